export interface ChildLimits {
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
}

/** Why a process was ended, or ended by itself. */
export type ChildEnd =
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
