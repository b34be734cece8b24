import { setTimeout as delay } from "node:timers/promises";
import type { Pool } from "pg";
import { type FindMissing, healthMs } from "#platform/admin-port.ts";
import type { Logger } from "#platform/logger.ts";
import type { Revocations } from "./auth/revocations.ts";

/** Anybody may ask for readiness, so concurrent requests share one check. */
function shared<T>(look: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined;
  return () => {
    running ??= look().finally(() => {
      running = undefined;
    });
    return running;
  };
}

/** Longer than other gateways remember keys: by then one that knows nothing of them is as good as they are. */
const startMs = 60_000;

export interface ReadinessDeps {
  readonly pool: Pick<Pool, "query">;
  readonly revocations: Pick<Revocations, "requireKnown">;
  /** Throws while another part of this process that callers depend on is not ready. */
  checkOthers?: (() => Promise<void>) | undefined;
  /** Milliseconds on a clock that never jumps. */
  readonly monotonic: () => number;
  readonly logger: Logger;
}

/**
 * Throws while this gateway starts: until it has reached its database and knows the revocations, but for a minute at
 * most. From then on it is ready, whatever is away. What needs that is answered 503 with Retry-After, and all else as
 * ever; if all gateways left the load balancer at once, nobody would answer anything.
 */
export function createReadinessCheck(deps: ReadinessDeps): () => Promise<void> {
  const { pool, revocations, checkOthers, monotonic, logger } = deps;
  const begunAt = monotonic();
  const reachAll = shared(async () => {
    revocations.requireKnown();
    await pool.query("select");
  });
  let hasStarted = false;
  const start = async (): Promise<void> => {
    try {
      await reachAll();
    } catch (error) {
      if (monotonic() - begunAt < startMs) throw error;
      if (!hasStarted) logger.warn({ err: error }, "ready, although not everything could be reached since the start");
    }
    hasStarted = true;
  };
  return async () => {
    await checkOthers?.();
    if (!hasStarted) await start();
  };
}

/** Everything that is missing: the database, and the services behind the gateway. */
export function createMissingParts(pool: Pick<Pool, "query">, findServices: FindMissing = async () => []): FindMissing {
  return shared(async () => {
    const database = Promise.race([pool.query("select").then(() => [], isMissing), delay(healthMs).then(isMissing)]);
    return (await Promise.all([database, findServices()])).flat();
  });
}

const isMissing = (): string[] => ["database"];
