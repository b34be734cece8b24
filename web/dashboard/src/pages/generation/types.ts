import type { Batch, GenDocument } from "#api/generation-documents.ts";
import type { GenTemplate } from "#api/generation-templates.ts";

export type Data = NonNullable<GenTemplate["sampleData"]>;

export const documentStatuses = [
  "queued",
  "rendering",
  "completed",
  "failed",
  "expired",
  "cancelled",
] as const satisfies readonly GenDocument["status"][];
export const batchStatuses = [
  "queued",
  "running",
  "completed",
  "completed_with_errors",
  "cancelled",
] as const satisfies readonly Batch["status"][];

export const hasEnded = ({ status }: Pick<Batch, "status">): boolean => status !== "queued" && status !== "running";

/** Older ones are reached by their number. */
const most = 50;

/** Numbers of versions are without gaps, so that the latest one tells them all. */
export const newestVersions = (latest: number | null): number[] =>
  Array.from({ length: Math.min(latest ?? 0, most) }, (_, index) => (latest ?? 0) - index);
