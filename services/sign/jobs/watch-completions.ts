import type pg from "pg";
import type { Clock } from "#platform/clock.ts";
import type { Logger } from "#platform/logger.ts";
import type { Metrics } from "#platform/metrics.ts";
import { createPeriodicWorker } from "#platform/periodic.ts";
import type { Worker } from "#platform/service.ts";
import { findOldestCompletion } from "../store/claim-store.ts";

export interface CompletionWatchDeps {
  /** Connects as the role that sees the jobs of all organizations. */
  readonly claimerPool: pg.Pool;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Pick<Metrics, "signCompletingOldestSeconds">;
}

/** Measures how long the oldest agreement waits to be sealed, and tells when that is too long. */
export function createCompletionWatch(deps: CompletionWatchDeps, everyMs = usualEveryMs): Worker {
  const { logger } = deps;
  let quietUntil = 0;
  return createPeriodicWorker({
    name: "sign-completions",
    everyMs,
    logger,
    run: async () => {
      const now = deps.clock.now().getTime();
      const oldest = await findOldestCompletion(deps.claimerPool);
      const seconds = oldest === undefined ? 0 : Math.max(0, (now - oldest.getTime()) / 1_000);
      deps.metrics.signCompletingOldestSeconds.set(seconds);
      if (seconds <= tooLongSeconds || now < quietUntil) return;
      quietUntil = now + repeatMs;
      logger.warn({ since: oldest }, "an agreement has waited for its seal for more than two minutes");
    },
  });
}

const usualEveryMs = 5_000;
const tooLongSeconds = 120;
const repeatMs = 60_000;
