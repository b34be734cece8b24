/** Why a job has no result. */
export type WorkerFailure =
  /** It waited too long, or too many waited before it. It was not begun; it may be tried again. */
  | "BUSY"
  /** It took longer than its deadline. */
  | "DEADLINE"
  /** Its thread ended: out of memory, for example. */
  | "DIED"
  /** It threw. */
  | "FAILED"
  /** The pool was closed. */
  | "CLOSED";

/** Thrown for a job that has no result. */
export class WorkerPoolError extends Error {
  readonly failure: WorkerFailure;

  constructor(failure: WorkerFailure, options?: ErrorOptions) {
    super(`the worker job has no result: ${failure}`, options);
    this.name = "WorkerPoolError";
    this.failure = failure;
  }
}
