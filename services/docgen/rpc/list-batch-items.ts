import type { ServiceImpl } from "@connectrpc/connect";
import type { DocgenService } from "#gen/assent/docgen/v1/docgen_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { inTransaction } from "#platform/db/transaction.ts";
import { DomainError } from "#platform/errors.ts";
import { findBatch } from "../store/batch-store.ts";
import { pageOfItems } from "../store/document-store.ts";
import type { DocgenDeps } from "./deps.ts";
import { documentMessage, statusFromWire } from "./document-messages.ts";
import { canonicalId } from "./ids.ts";

export const listBatchItems = (
  deps: Pick<DocgenDeps, "pool" | "clock">,
): Pick<ServiceImpl<typeof DocgenService>, "listBatchItems"> => ({
  async listBatchItems(request, context) {
    const { orgId } = requireCaller(context);
    const batchId = canonicalId(request.batchId);
    const { pageSize } = request;
    const now = deps.clock.now();
    const query = {
      batchId,
      // Beyond every index, and still what the column can hold.
      fromIndex: Math.min(request.fromIndex, maxIndex),
      limit: pageSize + 1,
      status: statusFromWire(request.status),
      now,
    };
    const items = await inTransaction(orgId, deps.pool, async (client) => {
      if ((await findBatch(orgId, client, batchId)) === undefined) throw new DomainError("GEN_BATCH_NOT_FOUND");
      return pageOfItems(orgId, client, query);
    });
    return {
      items: items.slice(0, pageSize).map((document) => ({
        index: document.itemIndex ?? 0,
        ref: document.ref ?? "",
        document: documentMessage(document, now),
      })),
      hasMore: items.length > pageSize,
    };
  },
});

const maxIndex = 2 ** 31 - 1;
