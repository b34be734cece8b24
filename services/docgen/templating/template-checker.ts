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

/** What a check takes in which others would have been kept waiting, and how long an organization is known for one. */
const slowMs = 2_000;
const knownAsSlowMs = 10 * 60_000;

/**
 * Begins as much as there are places, and one of each organization. Organizations with slow checks share one place, however
 * many they are, so that they do not hold all of them. Rejects with BUSY what waits for too long.
 */
function createTurns(waitMs: number) {
  const queue = createFairQueue<() => Promise<void>>();
  const slowUntil = new Map<string, number>();
  const running = new Set<string>();
  const isSlow = (owner: string): boolean => (slowUntil.get(owner) ?? 0) > performance.now();
  const mayTake = (owner: string): boolean => !isSlow(owner) || ![...running].some(isSlow);
  const note = (owner: string, tookMs: number): void => {
    const now = performance.now();
    for (const [known, until] of slowUntil) if (until <= now) slowUntil.delete(known);
    if (tookMs > slowMs) slowUntil.set(owner, now + knownAsSlowMs);
  };
  const handOut = (): void => {
    while (running.size < places) {
      const taken = queue.take({ idleOwnersOnly: true, mayTake });
      if (taken === undefined) return;
      const { owner, task } = taken;
      const from = performance.now();
      running.add(owner);
      void task().finally(() => {
        running.delete(owner);
        const tookMs = performance.now() - from;
        note(owner, tookMs);
        queue.finish(owner, tookMs);
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
