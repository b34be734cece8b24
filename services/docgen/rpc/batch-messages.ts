import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { type BatchSchema, BatchStatus as WireStatus } from "#gen/assent/docgen/v1/docgen_pb.ts";
import { type Batch, type BatchStatus, itemsLeft } from "../domain/batch.ts";

export function batchMessage(batch: Batch): MessageInitShape<typeof BatchSchema> {
  const { id, status, total, completed, failed, cancelled, createdAt, completedAt } = batch;
  return {
    id,
    status: wireStatuses[status],
    total,
    queued: itemsLeft(batch),
    completed,
    failed,
    cancelled,
    createdAt: timestampFromDate(createdAt),
    ...(completedAt === null ? {} : { completedAt: timestampFromDate(completedAt) }),
  };
}

/** Undefined for any. */
export const batchStatusFromWire = (status: WireStatus): BatchStatus | undefined =>
  (Object.keys(wireStatuses) as BatchStatus[]).find((name) => wireStatuses[name] === status);

const wireStatuses: Readonly<Record<BatchStatus, WireStatus>> = {
  queued: WireStatus.QUEUED,
  running: WireStatus.RUNNING,
  completed: WireStatus.COMPLETED,
  completed_with_errors: WireStatus.COMPLETED_WITH_ERRORS,
  cancelled: WireStatus.CANCELLED,
};
