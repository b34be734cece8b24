import type { ChildEnd, ChildLimits } from "#platform/child-processes/limits.ts";
import { RenderError } from "./render-job.ts";

export interface RendererLimits extends ChildLimits {
  /** Jobs that may wait for a process. */
  readonly maxWaiting: number;
}

export const rendererLimits: RendererLimits = {
  deadlineMs: 20_000,
  maxMemoryMb: 512,
  maxIdleMemoryMb: 320,
  maxJobs: 2_000,
  startTimeoutMs: 30_000,
  idleMs: 5 * 60_000,
  graceMs: 1_000,
  maxWaiting: 256,
};

/** What becomes of a job whose process ends. */
export function endedError(end: ChildEnd, { deadlineMs, maxMemoryMb }: RendererLimits): RenderError {
  const failed = (reason: string, message: string) => new RenderError("GEN_RENDER_FAILED", message, { reason });
  switch (end) {
    case "timeout":
      return failed("timeout", `The rendering took longer than ${deadlineMs / 1000} s and was stopped.`);
    case "out_of_memory":
      return failed("out_of_memory", `The rendering needed more than ${maxMemoryMb} MB of memory and was stopped.`);
    case "crashed":
      return failed("crashed", "The renderer ended unexpectedly.");
    default:
      return failed("aborted", "The rendering was called off.");
  }
}
