import type pg from "pg";
import { until } from "#platform/testing/until.ts";
import type { Observed } from "./check.ts";
import type { Cluster } from "./cluster.ts";
import { consumers, schema } from "./shop.ts";

/** Waits until everything so far has taken effect and nothing is left that could take effect again. */
export async function untilQuiet({ inspector, store }: Cluster, timeoutMs: number): Promise<void> {
  await until(async () => (await waiting(inspector)) === 0 && (await isNoted(inspector)), timeoutMs);
  // What is delivered again comes within the time for which the bus waits for an acknowledgement.
  for (const consumer of consumers) await until(() => store.isIdle(consumer), timeoutMs);
}

/** Effects that are still to come, of what was written up to a position or of all. */
export async function waiting(inspector: pg.Pool, upTo = Number.MAX_SAFE_INTEGER): Promise<number> {
  const { rows } = await inspector.query<{ n: number }>(
    `select count(*)::integer as n from ${schema}.outbox o cross join unnest($2::text[]) consumer
     where o.position <= $1
       and not exists (select from ${schema}.effect e where e.consumer = consumer.consumer and e.event_id = o.event_id)`,
    [upTo, consumers],
  );
  return rows[0]?.n ?? -1;
}

export async function lastPosition(inspector: pg.Pool): Promise<number> {
  const { rows } = await inspector.query<{ n: string }>(`select coalesce(max(position), 0) as n from ${schema}.outbox`);
  return Number(rows[0]?.n);
}

/** True when the relay has noted of everything that it is published: it publishes nothing again. */
async function isNoted(inspector: pg.Pool): Promise<boolean> {
  const { rows } = await inspector.query<{ n: string }>(`select position as n from ${schema}.relay_cursor`);
  return Number(rows[0]?.n ?? 0) >= (await lastPosition(inspector));
}

export async function observeOutbox(inspector: pg.Pool): Promise<Set<string>> {
  const { rows } = await inspector.query<{ id: string }>(`select event_id as id from ${schema}.outbox`);
  return new Set(rows.map(({ id }) => id));
}

export const observe = (inspector: pg.Pool): Promise<Observed[]> =>
  Promise.all(
    consumers.map(async (consumer) => {
      const select = (columns: string, table: string) =>
        inspector.query(`select ${columns} from ${schema}.${table} where consumer = $1`, [consumer]);
      const effects = await select("event_id as id, times", "effect");
      const inbox = await select("event_id as id", "inbox");
      const tally = await select("coalesce(sum(total), 0)::integer as total", "tally");
      const dead = await select("event_id as id", "dead_event");
      return {
        consumer,
        times: new Map(effects.rows.map(({ id, times }) => [id, times])),
        inbox: new Set(inbox.rows.map(({ id }) => id)),
        total: tally.rows[0].total,
        dead: dead.rows.map(({ id }) => id),
      };
    }),
  );

/** How late events took effect, in milliseconds, of those that did between two times of the database's clock. */
export async function lateness(inspector: pg.Pool, from: Date, to: Date): Promise<{ p50: number; p99: number }> {
  const { rows } = await inspector.query<{ p50: number; p99: number }>(
    `select percentile_cont(0.5) within group (order by late_ms) as p50,
       percentile_cont(0.99) within group (order by late_ms) as p99
     from ${schema}.effect where at between $1 and $2`,
    [from, to],
  );
  return rows[0] ?? { p50: Number.NaN, p99: Number.NaN };
}
