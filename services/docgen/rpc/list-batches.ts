import type { ServiceImpl } from "@connectrpc/connect";
import type { DocgenService } from "#gen/assent/docgen/v1/docgen_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { inTransaction } from "#platform/db/transaction.ts";
import { pageOfBatches } from "../store/batch-store.ts";
import { batchMessage, batchStatusFromWire } from "./batch-messages.ts";
import type { DocgenDeps } from "./deps.ts";
import { parseAfterId } from "./ids.ts";

export const listBatches = (
  deps: Pick<DocgenDeps, "pool">,
): Pick<ServiceImpl<typeof DocgenService>, "listBatches"> => ({
  async listBatches(request, context) {
    const { orgId } = requireCaller(context);
    const { pageSize } = request;
    const query = {
      afterId: parseAfterId(request.afterId),
      limit: pageSize + 1,
      status: batchStatusFromWire(request.status),
    };
    const found = await inTransaction(orgId, deps.pool, (client) => pageOfBatches(orgId, client, query));
    const page = found.slice(0, pageSize);
    return { batches: page.map(batchMessage), hasMore: found.length > page.length };
  },
});
