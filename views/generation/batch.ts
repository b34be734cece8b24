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
