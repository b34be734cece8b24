import type pg from "pg";
import type { Clock } from "#platform/clock.ts";
import { isTransient } from "#platform/db/errors.ts";
import type { Logger } from "#platform/logger.ts";
import type { Metrics } from "#platform/metrics.ts";
import type { Worker } from "#platform/periodic.ts";
import { createPeriodicWorker } from "#platform/periodic.ts";
import { keyLifetimeMs, retentionMs } from "../domain/endpoint.ts";
import { measureWaiting } from "../store/queue-store.ts";
import { sweepSome } from "../store/requeue-store.ts";

export interface SweepDeps {
  /** Connects as the role that removes rows of all organizations. */
  readonly sweeperPool: pg.Pool;
  readonly clock: Clock;
  readonly logger: Logger;
}

const everyMs = 60_000;
const batch = 1_000;
/** A deleted endpoint stays until what was under way when it went has ended. */
const afterDeletionMs = 60 * 60_000;
/** What is shown of 30 days, and the day on which it is no longer. */
const usesMs = 32 * 86_400_000;

/** Deletes data whose retention has ended. Concurrent processes are safe. */
export const createSweep = (deps: SweepDeps): Worker =>
  createPeriodicWorker({ name: "webhook-sweep", everyMs, logger: deps.logger, run: () => sweep(deps) });

export async function sweep({ sweeperPool, clock, logger }: SweepDeps): Promise<void> {
  const now = clock.now().getTime();
  const limits = {
    deliveriesBefore: new Date(now - retentionMs),
    keysBefore: new Date(now - keyLifetimeMs),
    endpointsBefore: new Date(now - afterDeletionMs),
    usesBefore: new Date(now - usesMs),
  };
  try {
    let isMore = true;
    while (isMore) isMore = await sweepSome(sweeperPool, limits, batch);
  } catch (error) {
    if (!isTransient(error)) throw error;
    logger.debug({ err: error }, "nothing is removed while the database is away");
  }
}

interface WatchDeps {
  /** Connects as the role that sees what waits of all organizations. */
  readonly claimerPool: pg.Pool;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Pick<Metrics, "webhookWaiting" | "webhookOldestSeconds">;
}

const usualEveryMs = 15_000;

/** Measures what waits to be sent, and for how long. */
export const createWatch = (deps: WatchDeps, everyMs = usualEveryMs): Worker =>
  createPeriodicWorker({ name: "webhook-watch", everyMs, logger: deps.logger, run: () => measure(deps) });

async function measure({ claimerPool, clock, logger, metrics }: WatchDeps): Promise<void> {
  try {
    const now = clock.now();
    const { due, oldest } = await measureWaiting(claimerPool, now);
    metrics.webhookWaiting.set(due);
    metrics.webhookOldestSeconds.set(oldest === undefined ? 0 : (now.getTime() - oldest.getTime()) / 1_000);
  } catch (error) {
    if (!isTransient(error)) throw error;
    logger.debug({ err: error }, "nothing is measured while the database is away");
  }
}
