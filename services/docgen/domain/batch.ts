export type BatchStatus = "queued" | "running" | "completed" | "completed_with_errors" | "cancelled";

/** Items that have ended, by how. */
export interface EndedItems {
  readonly completed: number;
  readonly failed: number;
  readonly cancelled: number;
}

/** The progress of a batch. */
export interface BatchProgress extends EndedItems {
  readonly total: number;
  readonly status: BatchStatus;
  /** When the remaining items were cancelled together. */
  readonly cancelledAt: Date | null;
}

/** A batch. */
export interface Batch extends BatchProgress {
  readonly id: string;
  readonly createdAt: Date;
  readonly completedAt: Date | null;
}

/** Items that are waiting or being rendered. */
export const itemsLeft = ({ total, completed, failed, cancelled }: Omit<BatchProgress, "status" | "cancelledAt">) =>
  total - completed - failed - cancelled;

/** The batch is final and no longer changes. */
export const hasBatchEnded = ({ status }: Pick<BatchProgress, "status">): boolean =>
  status !== "queued" && status !== "running";

/** The progress after these items have ended as well. */
export function withEnded<T extends BatchProgress>(batch: T, ended: EndedItems): T {
  const after = {
    ...batch,
    completed: batch.completed + ended.completed,
    failed: batch.failed + ended.failed,
    cancelled: batch.cancelled + ended.cancelled,
  };
  return { ...after, status: statusAfter(after, ended) };
}

function statusAfter(batch: BatchProgress, ended: EndedItems): BatchStatus {
  if (itemsLeft(batch) > 0) {
    // Cancelled items were never started.
    return ended.completed + ended.failed > 0 ? "running" : batch.status;
  }
  if (batch.cancelledAt !== null || batch.cancelled === batch.total) return "cancelled";
  return batch.completed === batch.total ? "completed" : "completed_with_errors";
}
