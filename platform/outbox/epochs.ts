import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type pg from "pg";
import { identifier } from "../db/ddl.ts";
import type { EventBus, Mark } from "../events/bus.ts";

/** The newest mark of a service in the bus, as EventBus tells it. */
export type Newest = Mark | "unknown" | "nothing";

/** What a database says of its outbox. */
export interface Known {
  /** Absent before the first relay was at work, and in a copy from before that. */
  readonly epoch: string | undefined;
  /** The epoch before this one. */
  readonly former: string | undefined;
  /** How far the outbox is published. */
  readonly position: number;
  /** The event in the row at the position of the newest mark, if that row is there. */
  readonly marked: string | undefined;
}

/**
 * What is wrong between a bus and a database, in words; undefined when what the bus has can come of this database.
 * A row beyond the position is never deleted, and a mark is published before the position is noted.
 */
export function findDifference(known: Known, newest: Newest): string | undefined {
  const { epoch, former, position, marked } = known;
  if (newest === "unknown") return undefined;
  if (newest === "nothing") {
    return epoch !== undefined && position > 0 ? "the bus has nothing of what was published" : undefined;
  }
  if (newest.epoch !== epoch) {
    // A new epoch of which nothing has been published yet.
    if (newest.epoch === former && position === 0) return undefined;
    return "the bus knows another epoch than the database";
  }
  if (newest.position < position) return "the bus has lost events";
  const isLost = marked === undefined ? newest.position > position : newest.eventId !== "" && newest.eventId !== marked;
  return isLost ? "the database has lost events" : undefined;
}

/** Epochs are counted, and their random part tells apart those that began after the same one. */
export const numberOf = (epoch: string): number => Number.parseInt(epoch, 10) || 1;

const nameAfter = (epochs: readonly (string | undefined)[]): string =>
  `${1 + Math.max(0, ...epochs.map((one) => (one === undefined ? 0 : numberOf(one))))}-${randomBytes(8).toString("hex")}`;

/**
 * The last epoch up to this one before which something may have been lost: the epoch itself, unless its name says that the
 * database was only moved, and which epoch was the last one then.
 */
export const setbackOf = (epoch: string): string => epoch.split("~", 2)[1] ?? epoch;

/**
 * The ids of the first epoch are those of the events alone, as the release before expects them. `copy` makes another one
 * within an epoch.
 */
export const messageIdOf = (eventId: string, epoch: string, copy?: string): string => {
  const parts = numberOf(epoch) === 1 && copy === undefined ? [eventId] : [eventId, epoch, copy];
  return parts.filter((part) => part !== undefined).join(".");
};

/** Why an epoch begins; kept in the database for whoever looks into it later. */
export interface EpochReason {
  readonly reason: string;
  /** The newest that the bus, or another witness, knows. */
  readonly newest?: unknown;
  /** An epoch that is known from elsewhere: the new one gets a higher number. */
  readonly after?: string | undefined;
  /** The bus knows that nothing was lost. */
  readonly isOnlyMoved?: boolean;
}

/**
 * Begins a new epoch of an outbox, as the relay role: whichever relay is at work publishes everything that the outbox has
 * again, under new message ids. For whoever finds that the database was put back to an earlier state.
 */
export async function beginEpoch(pool: pg.Pool, schemaName: string, why: EpochReason): Promise<string> {
  const schema = identifier(schemaName);
  const former = await readState(pool, schema, "epoch");
  const next = nameAfter([former, why.after]);
  const epoch = why.isOnlyMoved === true && former !== undefined ? `${next}~${setbackOf(former)}` : next;
  const story = JSON.stringify({ former: former ?? null, reason: why.reason, newest: why.newest ?? null });
  await pool.query(
    `with kept as (
       insert into ${schema}.relay_state (name, store_id)
       values ('epoch ' || $1, ($2::jsonb || jsonb_build_object('begun', clock_timestamp()))::text)
     )
     insert into ${schema}.relay_state (name, store_id) values ('epoch', $1)
     on conflict (name) do update set store_id = excluded.store_id`,
    [epoch, story],
  );
  return epoch;
}

/** The first epoch of a database that has none; everything that is published so far counts for it. */
export async function beginFirstEpoch(pool: pg.Pool, schema: string): Promise<string> {
  const epoch = nameAfter([]);
  await pool.query(
    `insert into ${schema}.relay_state (name, store_id) values ('epoch', $1), ('cursor', $1)
     on conflict (name) do update set store_id = excluded.store_id`,
    [epoch],
  );
  return epoch;
}

/** What the relay at work listens for. */
export const compareNudge = (service: string): string => `compare-${service}`;

const askAgainMs = 1_000;
const lookMs = 50;

/**
 * Has the relay of a service compare its database with the bus now; what it says then, or undefined when none has answered in
 * time. Rejects while the bus is away.
 */
export async function askRelay(
  bus: Required<Pick<EventBus, "newestMark" | "nudge">>,
  service: string,
  timeoutMs: number,
): Promise<Mark | undefined> {
  const positionOf = (newest: Newest): number => (typeof newest === "string" ? 0 : (newest.sequence ?? 0));
  const before = positionOf(await bus.newestMark(service));
  const began = performance.now();
  for (let askAt = began; performance.now() - began < timeoutMs; ) {
    if (performance.now() >= askAt) {
      bus.nudge(compareNudge(service), true);
      askAt = performance.now() + askAgainMs;
    }
    await delay(lookMs);
    const newest = await bus.newestMark(service);
    if (typeof newest !== "string" && positionOf(newest) > before) return newest;
  }
  return undefined;
}

/** What one of the rows of relay_state says. */
export async function readState(pool: pg.Pool, schema: string, name: string): Promise<string | undefined> {
  const text = `select store_id as "storeId" from ${schema}.relay_state where name = $1`;
  return (await pool.query<{ storeId: string }>(text, [name])).rows[0]?.storeId;
}

export const noteState = (pool: pg.Pool, schema: string, name: string, value: string): Promise<unknown> =>
  pool.query(
    `insert into ${schema}.relay_state (name, store_id) values ($1, $2)
     on conflict (name) do update set store_id = excluded.store_id`,
    [name, value],
  );

/**
 * Which database this is: another one after a restore or a promotion, whether it has lost something or not. Files that
 * were put back as they were are the same database. Empty where the server does not tell.
 */
export async function identityOf(pool: pg.Pool): Promise<string> {
  try {
    const found = await pool.query<{ identity: string }>(
      `select system_identifier || ' ' || left(pg_walfile_name(pg_current_wal_lsn()), 8) || ' ' || d.oid as identity
       from pg_control_system(), pg_database d where d.datname = current_database()`,
    );
    return found.rows[0]?.identity ?? "";
  } catch (error) {
    if (untold.has((error as { code?: string }).code ?? "")) return "";
    throw error;
  }
}

/** Not permitted, not known, not supported. */
const untold: ReadonlySet<string> = new Set(["42501", "42883", "0A000"]);
