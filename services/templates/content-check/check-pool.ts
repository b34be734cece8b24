import { createWorkerPool, type WorkerPool } from "#platform/worker-pool.ts";
import type { ContentSubject } from "../domain/content-rules/check-content.ts";
import type { ContentReport } from "../domain/content-rules/report.ts";

/**
 * Threads for contents that are too long for the event loop. Waiting and checking together take less than the 5 s after
 * which callers give up. 1 MiB of HTML takes about 0.3 s, of ordinary Markdown 1 to 3 s.
 */
export const createCheckPool = (): WorkerPool<ContentSubject, ContentReport> =>
  createWorkerPool({
    module: new URL("./worker.ts", import.meta.url),
    size: 2,
    maxWaiting: 32,
    waitMs: 1500,
    deadlineMs: 3000,
    maxHeapMb: 384,
  });
