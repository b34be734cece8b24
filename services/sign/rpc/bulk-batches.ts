import type { ServiceImpl } from "@connectrpc/connect";
import type { SendBulkListRequest, SignService } from "#gen/assent/sign/v1/sign_pb.ts";
import { type Caller, requireCaller } from "#platform/caller.ts";
import { inTransaction } from "#platform/db/transaction.ts";
import { DomainError } from "#platform/errors.ts";
import type { BulkBatch } from "../domain/bulk.ts";
import type { JobRequest } from "../domain/change.ts";
import { findBulkBatch, findBulkList, insertBulkBatch, listBulkBatches } from "../store/bulk-store.ts";
import { insertJobs } from "../store/job-store.ts";
import { bulkBatchMessage } from "./bulk-messages.ts";
import { targetOf } from "./context.ts";
import type { SignDeps } from "./deps.ts";
import { requireTarget } from "./require-target.ts";

type BulkBatches = Pick<ServiceImpl<typeof SignService>, "sendBulkList" | "getBulkBatch" | "listBulkBatches">;
type BulkDeps = Pick<SignDeps, "pool" | "clock" | "newId" | "wakeJobs">;

const usualLimit = 50;

export const bulkBatches = (deps: BulkDeps): BulkBatches => ({
  async sendBulkList(request, context) {
    return { batch: bulkBatchMessage(await submit(deps, requireCaller(context), request)) };
  },
  async getBulkBatch({ id }, context) {
    const { orgId } = requireCaller(context);
    const batch = await findBulkBatch(deps.pool, orgId, id);
    if (batch === undefined) throw new DomainError("BULK_BATCH_NOT_FOUND");
    return { batch: bulkBatchMessage(batch) };
  },
  async listBulkBatches({ limit }, context) {
    const { orgId } = requireCaller(context);
    return { batches: (await listBulkBatches(deps.pool, orgId, limit || usualLimit)).map(bulkBatchMessage) };
  },
});

/** The batch and the work of all its copies are there together, or neither is. */
async function submit(deps: BulkDeps, caller: Caller, request: SendBulkListRequest): Promise<BulkBatch> {
  const { orgId } = caller;
  const list = await findBulkList(deps.pool, orgId, request.listId);
  if (list === undefined) throw new DomainError("BULK_LIST_NOT_FOUND");
  const source = await requireTarget(deps, orgId, targetOf(request.target));
  if (source.status !== "created" && source.status !== "template") throw new DomainError("ENVELOPE_CANNOT_BE_MODIFIED");
  const now = deps.clock.now();
  const total = list.copies.length;
  const batch: BulkBatch = {
    id: deps.newId(),
    listId: list.id,
    name: request.batchName || list.name,
    sourceId: source.id,
    copies: list.copies,
    total,
    sent: 0,
    failed: 0,
    failures: [],
    createdBy: caller.clientId,
    submittedAt: now,
    endedAt: total === 0 ? now : null,
  };
  await inTransaction(orgId, deps.pool, async (client) => {
    await insertBulkBatch(client, orgId, batch);
    const origin = { caller, agreementId: null, newId: deps.newId, now };
    await insertJobs(
      client,
      origin,
      list.copies.map((_copy, index) => copyJob(batch.id, index, now)),
    );
  });
  deps.wakeJobs();
  return batch;
}

const copyJob = (batchId: string, index: number, runAt: Date): JobRequest => ({
  kind: "bulk-copy",
  key: `${batchId}:${index}`,
  runAt,
  payload: { batchId, index },
});
