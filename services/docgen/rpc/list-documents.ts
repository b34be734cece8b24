import type { ServiceImpl } from "@connectrpc/connect";
import type { DocgenService } from "#gen/assent/docgen/v1/docgen_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { inTransaction } from "#platform/db/transaction.ts";
import { isUuid } from "#platform/ids.ts";
import { pageOfDocuments } from "../store/document-store.ts";
import type { DocgenDeps } from "./deps.ts";
import { documentMessage, statusFromWire } from "./document-messages.ts";
import { canonicalId, parseAfterId } from "./ids.ts";

export const listDocuments = (
  deps: Pick<DocgenDeps, "pool" | "clock">,
): Pick<ServiceImpl<typeof DocgenService>, "listDocuments"> => ({
  async listDocuments(request, context) {
    const { orgId } = requireCaller(context);
    const { pageSize, templateId } = request;
    const afterId = parseAfterId(request.afterId);
    // Nothing is made from a template that cannot be.
    if (templateId !== "" && !isUuid(templateId)) return { documents: [], hasMore: false };
    const now = deps.clock.now();
    const query = {
      afterId,
      limit: pageSize + 1,
      status: statusFromWire(request.status),
      templateId: templateId === "" ? undefined : canonicalId(templateId),
      now,
    };
    const found = await inTransaction(orgId, deps.pool, (client) => pageOfDocuments(orgId, client, query));
    const page = found.slice(0, pageSize);
    return { documents: page.map((document) => documentMessage(document, now)), hasMore: found.length > page.length };
  },
});
