import { createWorkerPool, type WorkerPool } from "#platform/worker-pool.ts";
import type { ContentReport, ContentSubject } from "../domain/content-rules/report.ts";

/** How long checks of long contents may take. */
export interface CheckLimits {
  /** For a thread to become free. */
  readonly waitMs: number;
  /** For one check. */
  readonly deadlineMs: number;
  /** For the checks of all versions of one answer; what is not known by then is left out. */
  readonly patienceMs: number;
}

/**
 * Waiting and checking together take less than the 5 s after which callers give up. 1 MiB of HTML takes about 0.3 s, of
 * ordinary Markdown 1 to 3 s.
 */
export const usualCheckLimits: CheckLimits = { waitMs: 1500, deadlineMs: 3000, patienceMs: 1000 };

/** Threads for contents that are too long for the event loop. */
export const createCheckPool = ({ waitMs, deadlineMs }: CheckLimits): WorkerPool<ContentSubject, ContentReport> =>
  createWorkerPool({
    module: new URL("./check-thread.ts", import.meta.url),
    size: 2,
    maxWaiting: 32,
    waitMs,
    deadlineMs,
    maxHeapMb: 384,
  });
