import type pg from "pg";
import { identifier } from "../db/ddl.ts";
import type { BusEvent } from "../events/bus.ts";

export interface OutboxRow extends BusEvent {
  readonly position: string;
  readonly createdAt: Date;
}

/** What a relay does with the outbox, as the relay role. */
export interface OutboxReader {
  /** The rows to publish, in the order of their positions. */
  unpublished(limit: number): Promise<OutboxRow[]>;
  markPublished(rows: readonly OutboxRow[]): Promise<void>;
  /** Makes the rows published last unpublished again: those that a bus inside a dead process may not have delivered. */
  unmarkLatest(): Promise<void>;
  /** Notes the store of the bus. When it is another one than before, all rows are unpublished again; then true. */
  unmarkWhenStoreChanged(storeId: string): Promise<boolean>;
  /** Deletes some of the rows published more than 7 days before `now`. */
  deletePublished(now: Date): Promise<void>;
}

const keepMs = 7 * 24 * 3_600_000;
/** More than all deliveries of one event take together. */
const replayMinutes = 5;
const batch = 5_000;
const batchesPerRound = 10;

export function createOutboxReader(pool: pg.Pool, schemaName: string): OutboxReader {
  const table = `${identifier(schemaName)}.outbox`;
  return {
    unpublished: async (limit) => {
      const found = await pool.query<OutboxRow>({
        name: `${schemaName}-unpublished`,
        text: unpublishedSql(table),
        values: [limit],
      });
      return found.rows;
    },
    markPublished: async (rows) => {
      const positions = rows.map((row) => row.position);
      await pool.query({ name: `${schemaName}-mark`, text: markSql(table), values: [positions] });
    },
    unmarkLatest: async () => {
      const found = await pool.query<{ since: Date | null }>(
        `select max(published_at) - make_interval(mins => ${replayMinutes}) as since from ${table} where published_at is not null`,
      );
      const since = found.rows[0]?.since;
      // Oldest first: an interrupted run is repeated in full by the next, which finds the same newest row.
      if (since instanceof Date) await unmarkSince(pool, table, since);
    },
    unmarkWhenStoreChanged: async (storeId) => {
      const state = `${identifier(schemaName)}.relay_state`;
      const known = await pool.query<{ store_id: string }>(`select store_id from ${state} where name = 'bus'`);
      const before = known.rows[0]?.store_id;
      if (before === storeId) return false;
      if (before !== undefined) await unmarkSince(pool, table, new Date(0));
      // Last, so that an interrupted run is repeated.
      await pool.query(
        `insert into ${state} (name, store_id) values ('bus', $1)
         on conflict (name) do update set store_id = excluded.store_id`,
        [storeId],
      );
      return before !== undefined;
    },
    deletePublished: async (now) => {
      const before = new Date(now.getTime() - keepMs);
      for (let i = 0; i < batchesPerRound; i += 1) {
        if ((await changeBatch(pool, table, "delete", "published_at < $1", before)) < batch) return;
      }
    },
  };
}

/**
 * All unpublished rows from the lowest position on, never "above the last one seen": positions are given out before
 * commit, so a lower one may appear later than a higher one.
 */
const unpublishedSql = (table: string): string =>
  `select position, event_id as id, subject, data, created_at as "createdAt" from ${table}
   where published_at is null order by position limit $1`;

/** By position rather than by primary key: the partial index holds the unpublished rows only and stays in memory. */
const markSql = (table: string): string =>
  `update ${table} set published_at = clock_timestamp() where published_at is null and position = any($1::bigint[])`;

async function unmarkSince(pool: pg.Pool, table: string, since: Date): Promise<void> {
  while ((await changeBatch(pool, table, "update", "published_at >= $1", since)) === batch);
}

async function changeBatch(
  pool: pg.Pool,
  table: string,
  action: "delete" | "update",
  condition: string,
  at: Date,
): Promise<number> {
  const head = action === "delete" ? `delete from ${table}` : `update ${table} set published_at = null`;
  const changed = await pool.query(
    `${head} where (organization_id, event_id) in (
       select organization_id, event_id from ${table}
       where published_at is not null and ${condition} order by published_at limit ${batch})`,
    [at],
  );
  return changed.rowCount ?? 0;
}
