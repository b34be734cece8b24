import { type Batch, BatchStatus } from "#gen/assent/docgen/v1/docgen_pb.ts";
import { enumName, isoTime } from "../scalars.ts";

export const batchView = ({ id, status, createdAt, completedAt, ...counts }: Batch) => ({
  id,
  status: enumName(BatchStatus as unknown as Record<string, number>, status)?.toLowerCase() ?? null,
  counts: {
    total: counts.total,
    queued: counts.queued,
    completed: counts.completed,
    failed: counts.failed,
    cancelled: counts.cancelled,
  },
  createdAt: isoTime(createdAt),
  completedAt: isoTime(completedAt),
});

/** Statuses by the names that queries have. */
export const batchStatusOf = (name: string | undefined): BatchStatus =>
  name === undefined ? BatchStatus.UNSPECIFIED : (statuses.get(name) ?? BatchStatus.UNSPECIFIED);

const statuses: ReadonlyMap<string, BatchStatus> = new Map([
  ["queued", BatchStatus.QUEUED],
  ["running", BatchStatus.RUNNING],
  ["completed", BatchStatus.COMPLETED],
  ["completed_with_errors", BatchStatus.COMPLETED_WITH_ERRORS],
  ["cancelled", BatchStatus.CANCELLED],
]);
