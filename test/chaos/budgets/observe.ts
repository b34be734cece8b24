import { setTimeout as delay } from "node:timers/promises";
import type pg from "pg";
import { createPool } from "#platform/db/pool.ts";
import type { Counter, Observation } from "./history.ts";
import type { Tenants } from "./tenants.ts";
import { nameOf } from "./windows.ts";

export interface CounterWatch {
  /** Ends the watch and reads what is stored. */
  observe(tenants: Tenants): Promise<Observation>;
  stop(): Promise<void>;
}

const everyMs = 1_000;

/**
 * Keeps the highest counts: counters of windows that are over are deleted after a while. What others were counted for
 * before is theirs.
 */
export async function watchCounters(inspectUrl: string): Promise<CounterWatch> {
  const pool = createPool({ url: inspectUrl, name: "budgets", max: 1 });
  const earlier = (await readCounters(pool)).map(({ bucket }) => bucket);
  const counters = new Map<string, Counter>();
  const over = new AbortController();
  const read = async (): Promise<void> => {
    for (const counter of await readCounters(pool)) {
      const name = nameOf(counter);
      if (counter.used >= (counters.get(name)?.used ?? 0)) counters.set(name, counter);
    }
  };
  const watching = (async () => {
    while (!over.signal.aborted) {
      // The database is away at times.
      await read().catch(() => undefined);
      await delay(everyMs, undefined, { signal: over.signal }).catch(() => undefined);
    }
  })();
  const halt = async (): Promise<void> => {
    over.abort();
    await watching;
  };
  return {
    observe: async ({ tenants, otherBuckets }) => {
      await halt();
      await read();
      const receiptIds = await readReceipts(
        pool,
        tenants.map(({ organizationId }) => organizationId),
      );
      return { receiptIds, counters: [...counters.values()], otherBuckets: [...otherBuckets, ...earlier] };
    },
    stop: async () => {
      await halt();
      await pool.end();
    },
  };
}

async function readCounters(pool: pg.Pool): Promise<Counter[]> {
  const { rows } = await pool.query<Counter>(
    "select bucket, extract(epoch from window_start)::int + 60 as reset, used from gateway.rate_window",
  );
  return rows;
}

async function readReceipts(pool: pg.Pool, organizations: readonly string[]): Promise<string[]> {
  const { rows } = await pool.query<{ receipt_id: string }>(
    "select receipt_id from click.acceptance where organization_id = any($1)",
    [organizations],
  );
  return rows.map(({ receipt_id }) => receipt_id);
}
