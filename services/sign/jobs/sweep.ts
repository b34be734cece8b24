import type pg from "pg";
import type { Clock } from "#platform/clock.ts";
import { isTransient } from "#platform/db/errors.ts";
import type { Logger } from "#platform/logger.ts";
import type { Metrics } from "#platform/metrics.ts";
import type { Worker } from "#platform/periodic.ts";
import { createPeriodicWorker } from "#platform/periodic.ts";
import { daysBefore } from "../agreement/days.ts";
import { findOldestCompletion } from "./claim-store.ts";
import { type LinkPlace, removeLinksOfEnded, removeOldFailures, removeOldKeys, removeOldViews } from "./sweep-store.ts";

export interface SweepDeps {
  /** Connects as the role that removes what is old of all organizations. */
  readonly sweeperPool: pg.Pool;
  readonly clock: Clock;
}

const keptDays = {
  /** A request with a key may be repeated for as long. */
  keys: 7,
  /** After the end; the link of a mail shows what was completed for 30 days, and is never gone before that. */
  views: 31,
  failures: 90,
} as const;

/** Few rows at a time: nobody waits for the locks of more. */
const usualLimit = 500;

/** Removes what is of no use to anybody any more. Any number of processes may do it at the same time. */
export async function sweep({ sweeperPool, clock }: SweepDeps, limit = usualLimit): Promise<void> {
  const now = clock.now();
  const over = (days: number) => ({ before: daysBefore(now, days), limit });
  await repeatedly(limit, () => removeOldKeys(sweeperPool, over(keptDays.keys)));
  await repeatedly(limit, () => removeOldViews(sweeperPool, over(keptDays.views)));
  await repeatedly(limit, () => removeOldFailures(sweeperPool, over(keptDays.failures)));
  let place: LinkPlace | undefined;
  do {
    place = await removeLinksOfEnded(sweeperPool, over(keptDays.views), place);
  } while (place !== undefined);
}

/** Sweeps again and again. An outage of the database is left to those who need an answer: what was missed comes next time. */
export const createSweeper = ({ logger, ...deps }: SweepDeps & { readonly logger: Logger }): Worker =>
  createPeriodicWorker({
    name: "sweeper sign",
    everyMs,
    logger,
    run: () =>
      sweep(deps).catch((error: unknown) => {
        if (!isTransient(error)) throw error;
        logger.debug({ err: error }, "nothing is swept while the database is away");
      }),
  });

const everyMs = 10 * 60_000;

async function repeatedly(limit: number, removeSome: () => Promise<number>): Promise<void> {
  while ((await removeSome()) === limit);
}

interface CompletionWatchDeps {
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
