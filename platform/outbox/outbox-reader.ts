import type pg from "pg";
import { identifier } from "../db/ddl.ts";
import type { BusEvent } from "../events/bus.ts";

export interface OutboxRow extends BusEvent {
  readonly position: number;
  readonly createdAt: Date;
}

/** What a relay does with the outbox, as the relay role. */
export interface OutboxReader {
  /** Goes on where the last relay stopped; before anything else, and whenever another relay may have been active. */
  resume(): Promise<void>;
  /** The rows to publish, in the order of their positions. */
  unpublished(limit: number): Promise<readonly OutboxRow[]>;
  /** Notes that all rows which were answered last are published. What a crash forgets is published again. */
  markPublished(): Promise<void>;
  /** Goes back to what was written last before the last publication: a bus inside a dead process may not have delivered it. */
  rewindLatest(): Promise<void>;
  /** Notes the store of the bus. When it is another one than before, goes back to the first row; then true. */
  rewindWhenStoreChanged(storeId: string): Promise<boolean>;
  /** Deletes some of the published rows that were written more than 7 days before `now`, none beyond a gap. */
  deletePublished(now: Date): Promise<void>;
}

const keepMs = 7 * 24 * 3_600_000;
/** More than all deliveries of one event take together. */
const replayMs = 5 * 60_000;
const deletedAtOnce = 5_000;
const deletionsPerRound = 10;

export function createOutboxReader(pool: pg.Pool, schemaName: string): OutboxReader {
  const schema = identifier(schemaName);
  const table = `${schema}.outbox`;
  const cursorTable = `${schema}.relay_cursor`;
  let cursor = startOfOutbox;
  let publishedAt: Date | null = null;
  let lastLook: Look | undefined;

  const save = async (next: Cursor): Promise<void> => {
    const text = `insert into ${cursorTable} as c (name, position, gaps, published_at)
      values ('outbox', $1, $2, clock_timestamp())
      on conflict (name) do update set position = excluded.position, gaps = excluded.gaps, published_at = excluded.published_at`;
    await pool.query({ name: `${schemaName}-cursor`, text, values: [next.position, JSON.stringify(next.gaps)] });
    cursor = next;
    lastLook = undefined;
  };
  const resume = async (): Promise<void> => {
    const found = await pool.query<{ position: string; gaps: Gap[]; publishedAt: Date }>(
      `select position, gaps, published_at as "publishedAt" from ${cursorTable} where name = 'outbox'`,
    );
    const row = found.rows[0];
    cursor = row === undefined ? startOfOutbox : { position: Number(row.position), gaps: row.gaps };
    publishedAt = row?.publishedAt ?? null;
    lastLook = undefined;
  };
  const look = async (limit: number): Promise<LookRow[]> => {
    const gaps = [cursor.gaps.map((gap) => gap.from), cursor.gaps.map((gap) => gap.to)];
    const values = [cursor.position, ...gaps, limit];
    const text = lookSql(table, cursorTable);
    return (await pool.query<LookRow>({ name: `${schemaName}-unpublished`, text, values })).rows;
  };
  return {
    resume,
    unpublished: async (limit) => {
      let found = await look(limit);
      if (Number(found[0]?.noted) < cursor.position) {
        // The database has lost its last commits, as by a failover: it will give out those positions once more.
        await resume();
        found = await look(limit);
      }
      const rows = found.flatMap(rowOf);
      lastLook = lookOf(found[0] as LookRow, rows, limit);
      return rows;
    },
    markPublished: async () => {
      if (lastLook !== undefined) await save(advance(cursor, lastLook));
    },
    rewindLatest: async () => {
      if (publishedAt === null) return;
      const since = new Date(publishedAt.getTime() - replayMs);
      const position = await lastBefore(pool, table, cursor.position, since);
      if (position < cursor.position)
        await save({ position, gaps: cursor.gaps.filter(({ from }) => from <= position) });
    },
    rewindWhenStoreChanged: async (storeId) => {
      const before = await readStore(pool, schema);
      if (before === storeId) return false;
      if (before !== undefined) await save(startOfOutbox);
      // Last, so that an interrupted run is repeated.
      await noteStore(pool, schema, storeId);
      return before !== undefined;
    },
    deletePublished: async (now) => {
      const before = new Date(now.getTime() - keepMs);
      const upTo = Math.min(cursor.position, (cursor.gaps[0]?.from ?? Number.POSITIVE_INFINITY) - 1);
      for (let round = 0; round < deletionsPerRound; round += 1) {
        const deleted = await pool.query(deleteSql(table), [upTo, before, deletedAtOnce]);
        if ((deleted.rowCount ?? 0) < deletedAtOnce) return;
      }
    },
  };
}

interface LookRow {
  /** The position of the cursor that is stored; 0 when none is. */
  readonly noted: string;
  readonly oldestRunning: string;
  readonly nextId: string;
  readonly now: Date;
  /** Null in the only row when there is nothing to publish. */
  readonly position: string | null;
  readonly id: string;
  readonly subject: string;
  readonly data: string;
  readonly createdAt: Date;
}

// The ids of transactions belong to the snapshot that the rows are looked for in. The limit within each gap makes Postgres
// look for it in the index: without it, it reads the whole table when there are no gaps (4 ms at 20,000 rows instead of
// 0.4 ms).
const lookSql = (table: string, cursorTable: string): string => `
select s.*, o.position, o.event_id as id, o.subject, o.data, o.created_at as "createdAt"
from (select pg_snapshot_xmin(x)::text as "oldestRunning", pg_snapshot_xmax(x)::text as "nextId", clock_timestamp() as now,
        coalesce((select position from ${cursorTable} where name = 'outbox'), 0) as noted
      from pg_current_snapshot() x) s
left join lateral (
  (select i.* from unnest($2::bigint[], $3::bigint[]) g (first, last)
   cross join lateral (
     select * from ${table} where position between g.first and g.last order by position limit $4) i
   order by i.position limit $4)
  union all
  (select o.* from ${table} o where o.position > $1 order by o.position limit $4)
  order by position limit $4
) o on true
order by o.position`;

const rowOf = ({ position, id, subject, data, createdAt }: LookRow): OutboxRow[] =>
  position === null ? [] : [{ position: Number(position), id, subject, data, createdAt }];

const lookOf = (row: LookRow, rows: readonly OutboxRow[], limit: number): Look => ({
  positions: rows.map(({ position }) => position),
  isCut: rows.length === limit,
  oldestRunning: row.oldestRunning,
  nextId: row.nextId,
  now: row.now.getTime(),
});

/** Rows grow older from the last position to the first, so the first that are not old enough end the search. */
const deleteSql = (table: string): string => `
delete from ${table} where position in (
  select position from (
    select position, created_at from ${table} where position <= $1 order by position limit $3
  ) oldest where created_at < $2)`;

const searchStep = 1_000;

/** The highest position up to this one whose row was written before a time; 0 when there is none. */
async function lastBefore(pool: pg.Pool, table: string, upTo: number, time: Date): Promise<number> {
  for (let to = upTo; to > 0; ) {
    const found = await pool.query<{ position: string; oldest: string; looked: number }>(
      `select max(position) filter (where created_at < $2) as position, min(position) as oldest, count(*)::integer as looked
       from (select position, created_at from ${table} where position <= $1 order by position desc limit ${searchStep}) o`,
      [to, time],
    );
    const { position = null, oldest = "0", looked = 0 } = found.rows[0] ?? {};
    if (position !== null) return Number(position);
    if (looked < searchStep) return 0;
    to = Number(oldest) - 1;
  }
  return 0;
}

async function readStore(pool: pg.Pool, schema: string): Promise<string | undefined> {
  const known = await pool.query<{ store_id: string }>(`select store_id from ${schema}.relay_state where name = 'bus'`);
  return known.rows[0]?.store_id;
}

const noteStore = (pool: pg.Pool, schema: string, storeId: string): Promise<unknown> =>
  pool.query(
    `insert into ${schema}.relay_state (name, store_id) values ('bus', $1)
     on conflict (name) do update set store_id = excluded.store_id`,
    [storeId],
  );

/**
 * How far an outbox is published: everything up to `position` but what may still come in the gaps. Positions are given
 * out before commit, so a lower one may appear after a higher one; a transaction that was rolled back leaves its gap.
 */
export interface Cursor {
  readonly position: number;
  /** In their order. */
  readonly gaps: readonly Gap[];
}

/** Positions, both ends included, that were not there when a higher one was published. */
interface Gap {
  readonly from: number;
  readonly to: number;
  /** Transactions that were under way when it was found have ids below this (xid8). */
  readonly before: string;
  /** When it was found, in milliseconds. */
  readonly since: number;
}

/** What a look at the outbox found. */
export interface Look {
  /** Of the rows found, in their order. */
  readonly positions: readonly number[];
  /** Whether there may be more rows beyond the last. */
  readonly isCut: boolean;
  /** No transaction below this id is under way (pg_snapshot_xmin). */
  readonly oldestRunning: string;
  /** The next transaction has at least this id (pg_snapshot_xmax). */
  readonly nextId: string;
  readonly now: number;
}

export const startOfOutbox: Cursor = { position: 0, gaps: [] };

/**
 * A transaction may get its position a moment before it gets its id, so the ids alone do not tell that nothing will come.
 * Far longer than any statement may take.
 */
const settleMs = 60_000;
/** Ids begin anew in a database that was restored from a dump; nothing is under way for a day. */
const forgetMs = 24 * 3_600_000;

/** The cursor once the rows that a look found are published. */
export function advance(cursor: Cursor, look: Look): Cursor {
  const last = look.positions.at(-1);
  const position = Math.max(cursor.position, last ?? 0);
  // Rows come in their order, so of what lies beyond the last row of a look that was cut nothing is known.
  const seenTo = look.isCut ? (last ?? 0) : position;
  const open = cursor.gaps.filter((gap) => gap.to > seenTo || !isDead(gap, look));
  const found = { from: cursor.position + 1, to: position, before: look.nextId, since: look.now };
  const gaps = position > cursor.position ? [...open, found] : open;
  return { position, gaps: withoutPublished(gaps, look.positions) };
}

/** Everything that could have come in this gap has been seen. */
const isDead = ({ before, since }: Gap, { oldestRunning, now }: Look): boolean =>
  (now - since > settleMs && BigInt(oldestRunning) >= BigInt(before)) || now - since > forgetMs;

/** Gaps and positions are in their order. */
function withoutPublished(gaps: readonly Gap[], positions: readonly number[]): Gap[] {
  const left: Gap[] = [];
  let next = 0;
  for (const gap of gaps) {
    let { from } = gap;
    while (next < positions.length && (positions[next] as number) < from) next += 1;
    for (; next < positions.length && (positions[next] as number) <= gap.to; next += 1) {
      const taken = positions[next] as number;
      if (taken > from) left.push({ ...gap, from, to: taken - 1 });
      from = taken + 1;
    }
    if (from <= gap.to) left.push({ ...gap, from });
  }
  return left;
}
