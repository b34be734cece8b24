import type { MessageInitShape } from "@bufbuild/protobuf";
import { nameReader, recordsOf } from "#api/records.ts";
import { BatchSchema, BatchStatus as WireStatus } from "#gen/assent/docgen/v1/docgen_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { withOrg } from "#platform/db/pool.ts";
import { DomainError } from "#platform/errors.ts";
import { insertOutbox } from "#platform/outbox/outbox.ts";
import { type Batch, type BatchStatus, itemsLeft } from "../domain/batch.ts";
import { cancelWaitingItems, findBatch, markCancelled, pageOfBatches } from "../store/batch-store.ts";
import { pageOfItems } from "../store/document-store.ts";
import { noteItemsEnded } from "../store/finish-store.ts";
import { schema } from "../store/orm.ts";
import type { DocgenDeps, DocgenRpcs } from "./deps.ts";
import { canonicalId, documentMessage, documentStatusOf, parseAfterId } from "./documents.ts";

type Deps = Pick<DocgenDeps, "pool" | "clock" | "newId" | "wakeRelay">;

/** Items being rendered continue, and the batch ends with them. If no item waits there is nothing to cancel. */
export const cancelBatch = (deps: Deps): DocgenRpcs<"cancelBatch"> => ({
  async cancelBatch(request, context) {
    const caller = requireCaller(context);
    const { orgId } = caller;
    const id = canonicalId(request.batchId);
    const now = deps.clock.now();
    const batch = await withOrg(deps.pool, orgId, async (tenant) => {
      const cancelled = await cancelWaitingItems(tenant, id, now);
      if (cancelled > 0) {
        await markCancelled(tenant, id, now);
        const event = { caller, eventId: deps.newId(), now };
        const counts = { completed: 0, failed: 0, cancelled };
        await insertOutbox(tenant.client, schema, await noteItemsEnded(tenant, id, counts, event));
      }
      return findBatch(tenant, id);
    });
    if (batch === undefined) throw new DomainError("GEN_BATCH_NOT_FOUND");
    deps.wakeRelay();
    return { batch: batchMessage(batch) };
  },
});

export const getBatch = (deps: Pick<DocgenDeps, "pool">): DocgenRpcs<"getBatch"> => ({
  async getBatch(request, context) {
    const { orgId } = requireCaller(context);
    const id = canonicalId(request.batchId);
    const batch = await withOrg(deps.pool, orgId, (tenant) => findBatch(tenant, id));
    if (batch === undefined) throw new DomainError("GEN_BATCH_NOT_FOUND");
    return { batch: batchMessage(batch) };
  },
});

export const listBatches = (deps: Pick<DocgenDeps, "pool">): DocgenRpcs<"listBatches"> => ({
  async listBatches(request, context) {
    const { orgId } = requireCaller(context);
    const { pageSize } = request;
    const query = {
      afterId: parseAfterId(request.afterId),
      limit: pageSize + 1,
      status: batchStatusOf(request.status),
    };
    const found = await withOrg(deps.pool, orgId, (tenant) => pageOfBatches(tenant, query));
    const page = found.slice(0, pageSize);
    return { batches: page.map(batchMessage), hasMore: found.length > page.length };
  },
});

export const listBatchItems = (deps: Pick<DocgenDeps, "pool" | "clock">): DocgenRpcs<"listBatchItems"> => ({
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
      status: documentStatusOf(request.status),
      now,
    };
    const items = await withOrg(deps.pool, orgId, async (tenant) => {
      if ((await findBatch(tenant, batchId)) === undefined) throw new DomainError("GEN_BATCH_NOT_FOUND");
      return pageOfItems(tenant, query);
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

const statuses = {
  queued: WireStatus.QUEUED,
  running: WireStatus.RUNNING,
  completed: WireStatus.COMPLETED,
  completed_with_errors: WireStatus.COMPLETED_WITH_ERRORS,
  cancelled: WireStatus.CANCELLED,
} as const satisfies Record<BatchStatus, WireStatus>;

/** Undefined for any. */
const batchStatusOf = nameReader(statuses);
const batches = recordsOf(BatchSchema, { status: statuses });

export const batchMessage = (batch: Batch): MessageInitShape<typeof BatchSchema> =>
  batches.write({ ...batch, queued: itemsLeft(batch) });
