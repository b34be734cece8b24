import type { ServiceImpl } from "@connectrpc/connect";
import type { DocgenService } from "#gen/assent/docgen/v1/docgen_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { inTransaction } from "#platform/db/transaction.ts";
import { pageOfAssets } from "../store/asset-store.ts";
import type { DocgenDeps } from "./deps.ts";
import { parseAfterId } from "./ids.ts";
import { assetMessage } from "./messages.ts";

export const listAssets = (deps: Pick<DocgenDeps, "pool">): Pick<ServiceImpl<typeof DocgenService>, "listAssets"> => ({
  async listAssets(request, context) {
    const { orgId } = requireCaller(context);
    const { pageSize } = request;
    const afterId = parseAfterId(request.afterId);
    const found = await inTransaction(orgId, deps.pool, (client) =>
      pageOfAssets(orgId, client, { afterId, limit: pageSize + 1 }),
    );
    const page = found.slice(0, pageSize);
    return { assets: page.map(assetMessage), hasMore: found.length > page.length };
  },
});
