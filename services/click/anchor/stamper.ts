import type pg from "pg";
import type { Clock } from "#platform/clock.ts";
import type { Logger } from "#platform/logger.ts";
import type { Metrics } from "#platform/metrics.ts";
import { type TimestampAuthority, TimestampError } from "#platform/timestamps/timestamp-authority.ts";
import { findNewestAnchor, insertTimestamp, type Published } from "../store/anchor-store.ts";

export interface Stamper {
  /** Gets a time stamp for the newest checkpoint of the anchor log if it has none. Rejects only for the database. */
  stampNewest(signal?: AbortSignal): Promise<void>;
}

export interface StamperDeps {
  /** Connects as the integrator. */
  readonly pool: pg.Pool;
  readonly authority: TimestampAuthority;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** How long to wait after a first failure; twice as long after each further one. */
  readonly retryMs: number;
}

/** An authority that is back is asked again after this time at the latest. */
const maxRetryMs = 300_000;

/**
 * Time stamps for the anchor log. While the authority cannot be reached nothing is lost: a stamp of a later checkpoint
 * holds for all before it.
 */
export function createStamper(deps: StamperDeps): Stamper {
  const { pool, authority, clock, logger, metrics } = deps;
  let failures = 0;
  let retryAt = Number.NEGATIVE_INFINITY;

  const stamp = async ({ size, note }: Published, signal?: AbortSignal): Promise<void> => {
    const { token, tsaName, stampedAt } = await authority.stamp(Buffer.from(note), signal);
    await insertTimestamp(pool, { anchorSize: size, token, tsaName, stampedAt }, clock.now());
    metrics.timestampRequests.inc({ outcome: "stamped" });
    if (failures > 0) logger.info({ tsaName, failures }, "the time-stamping authority works again");
    failures = 0;
  };
  const failed = (error: Error): void => {
    failures += 1;
    retryAt = clock.now().getTime() + Math.min(maxRetryMs, deps.retryMs * 2 ** Math.min(failures - 1, 20));
    metrics.timestampRequests.inc({ outcome: "failed" });
    // Outages last; one line says that one began.
    logger[failures === 1 ? "warn" : "debug"]({ err: error, failures }, "no time stamp for the anchor log");
  };
  return {
    stampNewest: async (signal) => {
      if (failures > 0 && clock.now().getTime() < retryAt) return;
      const newest = await findNewestAnchor(pool);
      if (newest === undefined || newest.isStamped) return;
      try {
        await stamp(newest, signal);
      } catch (error) {
        if (!(error instanceof TimestampError)) throw error;
        if (signal?.aborted !== true) failed(error);
      }
    },
  };
}
