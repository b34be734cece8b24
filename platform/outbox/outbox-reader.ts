import { randomBytes } from "node:crypto";
import type pg from "pg";
import { identifier } from "../db/ddl.ts";
import type { BusEvent, Mark } from "../events/bus.ts";
import { advance, type Cursor, type Gap, type Look, startOfOutbox } from "./cursor.ts";
import {
  beginEpoch,
  beginFirstEpoch,
  type EpochReason,
  findDifference,
  identityOf,
  messageIdOf,
  type Newest,
  noteState,
  readState,
} from "./epochs.ts";

export interface OutboxRow extends BusEvent {
  readonly position: number;
  readonly createdAt: Date;
}

/** What a relay does with the outbox, as the relay role. */
export interface OutboxReader {
  /**
   * Goes on where the last publication was noted; before anything else, and whenever the database may be another one.
   * `isTakeover` when another relay may have been active.
   */
  resume(isTakeover: boolean): Promise<void>;
  /** The rows to publish, in the order of their positions; undefined when `resume` must come first. */
  unpublished(limit: number): Promise<readonly OutboxRow[] | undefined>;
  /** How far the outbox is published once these are; undefined while there is nothing to tell. */
  markOf(service: string, rows: readonly OutboxRow[]): Mark | undefined;
  /** Notes that all rows of the last answer are published. If a crash loses the note, they are published again. */
  markPublished(): Promise<void>;
  /** Goes back to what was written last before the last publication: a bus inside a dead process may not have delivered it. */
  rewindLatest(): Promise<void>;
  /** Notes the store of the bus. When it is another one than before, goes back to the first row; then true. */
  rewindWhenStoreChanged(storeId: string): Promise<boolean>;
  /**
   * Compares what the bus knows with this database, after `resume`. When they contradict each other, begins a new epoch
   * at the first row; when only the database is another one, at what was written before the last publication.
   */
  settle(newest: Newest, setback: boolean): Promise<Settled>;
  /** Deletes some of the published rows that were written more than 7 days before `now`, none beyond a gap. */
  deletePublished(now: Date): Promise<void>;
}

export interface Settled {
  readonly epoch: string;
  /** Why this epoch has begun just now. */
  readonly begun?: string | undefined;
}

const keepMs = 7 * 24 * 3_600_000;
/** More than all deliveries of one event take together. */
const replayMs = 5 * 60_000;
/** Longer than consumers are behind while nobody is alarmed. */
const doubtMs = 60 * 60_000;
const deletedAtOnce = 5_000;
const deletionsPerRound = 10;

export function createOutboxReader(pool: pg.Pool, schemaName: string): OutboxReader {
  const schema = identifier(schemaName);
  const table = `${schema}.outbox`;
  const cursorTable = `${schema}.relay_cursor`;
  let cursor = startOfOutbox;
  let publishedAt: Date | null = null;
  let epoch: string | undefined;
  /** What the row at the cursor says. */
  let eventAtCursor = "";
  /** Whether somebody may have published rows without a note of it, and up to where. */
  let isDoubtful = true;
  let doubtfulTo = 0;
  let copy = "";
  let lastLook: Look | undefined;
  let lastEvent = "";

  const save = async (next: Cursor, eventId: string): Promise<void> => {
    const text = `insert into ${cursorTable} as c (name, position, gaps, published_at)
      values ('outbox', $1, $2, clock_timestamp())
      on conflict (name) do update set position = excluded.position, gaps = excluded.gaps, published_at = excluded.published_at`;
    await pool.query({ name: `${schemaName}-cursor`, text, values: [next.position, JSON.stringify(next.gaps)] });
    cursor = next;
    eventAtCursor = eventId;
    lastLook = undefined;
  };
  const rewind = async (ms: number): Promise<void> => {
    if (publishedAt === null) return;
    const position = await lastBefore(pool, table, cursor.position, new Date(publishedAt.getTime() - ms));
    if (position < cursor.position)
      await save({ position, gaps: cursor.gaps.filter(({ from }) => from <= position) }, "");
  };
  const eventAt = async (position: number): Promise<string | undefined> => {
    const text = `select event_id as id from ${table} where position = $1`;
    return (await pool.query<{ id: string }>(text, [position])).rows[0]?.id;
  };
  const resume = async (): Promise<void> => {
    const found = await pool.query<{ position: string; gaps: Gap[]; publishedAt: Date }>(
      `select position, gaps, published_at as "publishedAt" from ${cursorTable} where name = 'outbox'`,
    );
    const row = found.rows[0];
    cursor = row === undefined ? startOfOutbox : { position: Number(row.position), gaps: row.gaps };
    publishedAt = row?.publishedAt ?? null;
    epoch = await readState(pool, schema, "epoch");
    // Only the relay at work writes the cursor: whoever begins an epoch leaves it to the relay to go back for it.
    if (epoch !== undefined && (await readState(pool, schema, "cursor")) !== epoch) {
      await save(startOfOutbox, "");
      await noteState(pool, schema, "cursor", epoch);
    }
    eventAtCursor = (await eventAt(cursor.position)) ?? "";
    lastLook = undefined;
  };
  const look = async (limit: number): Promise<LookRow[]> => {
    const gaps = [cursor.gaps.map((gap) => gap.from), cursor.gaps.map((gap) => gap.to)];
    const values = [cursor.position, ...gaps, limit];
    const text = lookSql(schema);
    return (await pool.query<LookRow>({ name: `${schemaName}-unpublished`, text, values })).rows;
  };
  const begin = async (why: EpochReason): Promise<void> => {
    await beginEpoch(pool, schemaName, why);
    await resume();
  };
  return {
    resume: (isTakeover) => {
      isDoubtful ||= isTakeover;
      return resume();
    },
    unpublished: async (limit) => {
      const found = await look(limit);
      const first = found[0] as LookRow;
      // Somebody has begun an epoch, or the database has lost its last commits, as by a failover: it will give out those
      // positions once more.
      if ((first.epoch ?? undefined) !== epoch || Number(first.noted) < cursor.position) {
        isDoubtful = true;
        return undefined;
      }
      const rows = found.flatMap((row) => rowOf(row, epoch, doubtfulTo, copy));
      lastLook = lookOf(first, rows, limit);
      lastEvent = rows.at(-1)?.id ?? "";
      return rows;
    },
    markOf: (service, rows) => {
      if (epoch === undefined) return undefined;
      const last = rows.at(-1);
      if (last !== undefined && last.position > cursor.position) {
        return { service, epoch, position: last.position, eventId: last.id };
      }
      return cursor.position === 0 ? undefined : { service, epoch, position: cursor.position, eventId: eventAtCursor };
    },
    markPublished: async () => {
      if (lastLook === undefined) return;
      const next = advance(cursor, lastLook);
      await save(next, next.position > cursor.position ? lastEvent : eventAtCursor);
    },
    rewindLatest: () => rewind(replayMs),
    rewindWhenStoreChanged: async (storeId) => {
      const before = await readState(pool, schema, "bus");
      if (before === storeId) return false;
      if (before !== undefined) await save(startOfOutbox, "");
      // Last, so that an interrupted run is repeated.
      await noteState(pool, schema, "bus", storeId);
      return before !== undefined;
    },
    settle: async (newest, setback) => {
      const mark = typeof newest === "string" ? undefined : newest;
      const identity = await identityOf(pool);
      const knownIdentity = await readState(pool, schema, "database");
      const story = epoch === undefined ? undefined : await readState(pool, schema, `epoch ${epoch}`);
      const former = story === undefined ? undefined : (JSON.parse(story).former ?? undefined);
      const marked = mark && (await eventAt(mark.position));
      const isBusOlder = setback && cursor.position > 0;
      const difference = findDifference({ epoch, former, position: cursor.position, marked }, newest);
      // Also when the cursor went back to the start a moment ago, because the bus is another one as well.
      const isOther = ![undefined, "", identity].includes(knownIdentity) && identity !== "" && publishedAt !== null;
      let begun = difference ?? (isBusOlder ? "the bus has lost events" : undefined);
      if (begun !== undefined) await begin({ reason: begun, newest, after: mark?.epoch });
      else if (isOther) {
        begun = "the database is another one than before";
        const { position, gaps } = cursor;
        // What the bus had last is there. If it has nothing to compare with, the database may lack anything.
        await begin({ reason: begun, newest, isOnlyMoved: mark !== undefined });
        await save({ position, gaps }, "");
        await rewind(doubtMs);
      } else if (epoch === undefined) epoch = await beginFirstEpoch(pool, schema);
      if (isDoubtful) {
        doubtfulTo = mark !== undefined && mark.epoch === epoch ? mark.position : 0;
        copy = randomBytes(4).toString("hex");
        isDoubtful = false;
      }
      if (knownIdentity !== identity) await noteState(pool, schema, "database", identity);
      return { epoch: epoch ?? "", begun };
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
  /** The epoch that is stored. */
  readonly epoch: string | null;
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
// 0.4 ms). Postgres would plan it for its values each time, in as long as it takes to run: pools of relays plan once.
const lookSql = (schema: string): string => `
select s.*, o.position, o.event_id as id, o.subject, o.data, o.created_at as "createdAt"
from (select pg_snapshot_xmin(x)::text as "oldestRunning", pg_snapshot_xmax(x)::text as "nextId", clock_timestamp() as now,
        coalesce((select position from ${schema}.relay_cursor where name = 'outbox'), 0) as noted,
        (select store_id from ${schema}.relay_state where name = 'epoch') as epoch
      from pg_current_snapshot() x) s
left join lateral (
  (select i.* from unnest($2::bigint[], $3::bigint[]) g (first, last)
   cross join lateral (
     select * from ${schema}.outbox where position between g.first and g.last order by position limit $4) i
   order by i.position limit $4)
  union all
  (select o.* from ${schema}.outbox o where o.position > $1 order by o.position limit $4)
  order by position limit $4
) o on true
order by o.position`;

/** What may have been published before gets another id: the bus would drop it, but consumers may have lost it since. */
function rowOf(row: LookRow, epoch: string | undefined, doubtfulTo: number, copy: string): OutboxRow[] {
  const { position, id, subject, data, createdAt } = row;
  if (position === null) return [];
  const messageId = epoch && messageIdOf(id, epoch, Number(position) <= doubtfulTo ? copy : undefined);
  return [{ position: Number(position), id, messageId, subject, data, createdAt }];
}

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
