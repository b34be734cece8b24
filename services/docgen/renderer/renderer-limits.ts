import { RenderError } from "./render-job.ts";

export interface RendererLimits {
  /** How long a job may take once a process has it. */
  readonly deadlineMs: number;
  /** Physical memory of a process. */
  readonly maxMemoryMb: number;
  /** A process with nothing to do that has more than this is replaced. */
  readonly maxIdleMemoryMb: number;
  /** A process is replaced after so many jobs. */
  readonly maxJobs: number;
  /** How long a process may take to become ready. */
  readonly startTimeoutMs: number;
  /** How long a process may have nothing to do before it is ended. */
  readonly idleMs: number;
  /** How long a process may go on with a job that nobody wants any more, before it is ended. */
  readonly graceMs: number;
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

/** Why a process was ended, or ended by itself. */
export type RendererEnd =
  /** The job took too long, too much memory, or brought the process down. */
  | "timeout"
  | "out_of_memory"
  | "crashed"
  /** Nobody wants the job any more. */
  | "aborted"
  /** It had many jobs, or keeps much memory. */
  | "worn"
  /** It had nothing to do for long. */
  | "idle"
  | "closed";

/** What becomes of a job whose process ends. */
export function endedError(end: RendererEnd, { deadlineMs, maxMemoryMb }: RendererLimits): RenderError {
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
