import { DomainError } from "#platform/errors.ts";
import type { Logger } from "#platform/logger.ts";
import { createWorkerPool, WorkerPoolError } from "#platform/worker-pool.ts";
import type { CheckJob } from "./check-job.ts";
import type { CheckedTemplate, TemplateChecker } from "./checked-template.ts";

export interface TemplateCheckerOptions {
  readonly logger: Logger;
  /** For a thread to become free. */
  readonly waitMs?: number;
  /** For one check. 512 KB of HTML take a second or two, of ordinary Markdown about six. */
  readonly deadlineMs?: number;
}

/** Checks templates in threads, which are ended when they take too long or too much. */
export function createTemplateChecker({
  logger,
  waitMs = 5_000,
  deadlineMs = 10_000,
}: TemplateCheckerOptions): TemplateChecker {
  const pool = createWorkerPool<CheckJob, CheckedTemplate>({
    module: new URL("./check-thread.ts", import.meta.url),
    size: 2,
    maxWaiting: 64,
    waitMs,
    deadlineMs,
    maxHeapMb: 384,
  });
  const run = async (job: CheckJob): Promise<CheckedTemplate> => {
    try {
      return await pool.run(job);
    } catch (error) {
      if (!(error instanceof WorkerPoolError) || !["DEADLINE", "DIED"].includes(error.failure)) throw error;
      logger.warn({ failure: error.failure, length: job.source.content.length }, "template too complex to check");
      throw tooComplex(error);
    }
  };
  return {
    check: (source) => run({ source }),
    checkWithData: (source, data) => run({ source, data }),
    close: () => pool.close(),
  };
}

const tooComplex = (cause: unknown): DomainError =>
  new DomainError("GEN_INVALID_REQUEST", {
    details: [{ field: "content", code: "TOO_COMPLEX", message: "takes more time or memory to check than it may" }],
    cause,
  });
