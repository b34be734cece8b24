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
