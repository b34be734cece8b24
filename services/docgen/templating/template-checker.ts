import { DomainError } from "#platform/errors.ts";
import { createFairQueue } from "#platform/fair-queue.ts";
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

const places = 2;
const maxWaiting = { own: 24, all: 128 };

/**
 * Checks templates in threads, which are ended when they take too long or too much. An organization has one of them at a
 * time, so that none waits for another's templates as long as a thread is left.
 */
export function createTemplateChecker({
  logger,
  waitMs = 5_000,
  deadlineMs = 10_000,
}: TemplateCheckerOptions): TemplateChecker {
  const pool = createWorkerPool<CheckJob, CheckedTemplate>({
    module: new URL("./check-thread.ts", import.meta.url),
    size: places,
    maxWaiting: places,
    waitMs,
    deadlineMs,
    maxHeapMb: 384,
  });
  const turns = createTurns(waitMs);
  const run = async (job: CheckJob, orgId: string): Promise<CheckedTemplate> => {
    try {
      return await turns.take(orgId, () => pool.run(job));
    } catch (error) {
      if (!(error instanceof WorkerPoolError) || !["DEADLINE", "DIED"].includes(error.failure)) throw error;
      logger.warn({ failure: error.failure, length: job.source.content.length }, "template too complex to check");
      throw tooComplex(error);
    }
  };
  return {
    check: (source, orgId) => run({ source }, orgId),
    checkWithData: (source, data, orgId) => run({ source, data }, orgId),
    close: () => pool.close(),
  };
}

/** Begins as much as there are places, and one of each organization. Rejects with BUSY what waits for too long. */
function createTurns(waitMs: number) {
  const queue = createFairQueue<() => Promise<void>>();
  let running = 0;
  const handOut = (): void => {
    while (running < places) {
      const taken = queue.take({ idleOwnersOnly: true });
      if (taken === undefined) return;
      const from = performance.now();
      running += 1;
      void taken.task().finally(() => {
        running -= 1;
        queue.finish(taken.owner, performance.now() - from);
        handOut();
      });
    }
  };
  return {
    take: <T>(owner: string, work: () => Promise<T>): Promise<T> =>
      new Promise((resolve, reject) => {
        const busy = () => reject(new WorkerPoolError("BUSY"));
        if (queue.waiting() >= maxWaiting.all || queue.waitingOf(owner).length >= maxWaiting.own) return busy();
        const task = (): Promise<void> => {
          clearTimeout(timer);
          return work().then(resolve, reject);
        };
        const timer = setTimeout(() => {
          queue.remove(owner, task);
          busy();
        }, waitMs);
        queue.add(owner, task);
        handOut();
      }),
  };
}

const tooComplex = (cause: unknown): DomainError =>
  new DomainError("GEN_INVALID_REQUEST", {
    details: [{ field: "content", code: "TOO_COMPLEX", message: "takes more time or memory to check than it may" }],
    cause,
  });
