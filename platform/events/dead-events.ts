import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type pg from "pg";
import type { Event } from "#gen/assent/events/v1/events_pb.ts";
import { DeadEventService } from "#gen/assent/operations/v1/dead_events_pb.ts";
import { identifier } from "../db/ddl.ts";
import { type Tenant, withOrg, withTransaction } from "../db/pool.ts";
import { DomainError } from "../errors.ts";
import { isUuid } from "../ids.ts";
import type { Logger } from "../logger.ts";
import type { Metrics } from "../metrics.ts";
import { refusedField } from "../problems.ts";
import type { RpcRoutes } from "../rpc/routes.ts";
import type { ReceivedEvent } from "./bus.ts";
import { parseEvent } from "./deliver.ts";

/** An event that a consumer gave up on. */
export interface DeadEvent {
  readonly consumer: string;
  readonly eventId: string;
  readonly subject: string;
  readonly data: string;
  readonly error: string;
  readonly deliveries: number;
  readonly diedAt: Date;
}

export interface Requeued {
  readonly requeued: number;
  /** These stay dead, with the new error. */
  readonly failed: readonly { readonly eventId: string; readonly error: string }[];
  /** Not tried because time ran out. */
  readonly left: number;
}

/** A consumer's dead events and what operators can do with them. */
export interface DeadEvents {
  readonly consumer: string;
  count(): Promise<number>;
  newest(limit: number): Promise<readonly DeadEvent[]>;
  /**
   * Applies events again, each in a transaction that also removes it from the dead events; an event that has
   * already taken effect is not applied again.
   */
  requeue(which: readonly string[] | "all"): Promise<Requeued>;
  /** Removes events for good and returns how many; even a replay of the bus does not bring them back. */
  discard(which: readonly string[] | "all"): Promise<number>;
}

export interface DeadEventsOptions {
  readonly pool: pg.Pool;
  readonly schema: string;
  readonly durable: string;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Applies one event within a transaction of its organization. */
  applyOne(tenant: Tenant, event: Event): Promise<void>;
  /** Called for each event that took effect, after the commit. */
  onEffect(event: Event): void;
}

/** Dead events as the consumer itself uses them. */
export interface DeadEventKeeper extends DeadEvents {
  bury(received: ReceivedEvent, error: unknown): Promise<void>;
  /** Updates the metric. */
  measure(): Promise<void>;
}

/** Leaves time to respond within the minute that an operator's call may take. */
const requeueMs = 30_000;
const requeuedAtOnce = 10_000;
const discardedAtOnce = 1_000;

export function createDeadEvents(options: DeadEventsOptions): DeadEventKeeper {
  const { pool, durable: consumer, metrics } = options;
  const table = `${identifier(options.schema)}.dead_event`;
  const count = async (): Promise<number> => {
    const sql = `select count(*)::integer as n from ${table} where consumer = $1`;
    return (await pool.query<{ n: number }>(sql, [consumer])).rows[0]?.n ?? 0;
  };
  const measure = async (): Promise<void> => metrics.deadEvents.set({ consumer }, await count());
  const oldest = async (limit: number): Promise<string[]> => {
    const sql = `select event_id as id from ${table} where consumer = $1 order by died_at, event_id limit $2`;
    return (await pool.query<{ id: string }>(sql, [consumer, limit])).rows.map(({ id }) => id);
  };
  return {
    consumer,
    count,
    measure,
    newest: async (limit) => {
      const found = await pool.query<DeadEvent>(
        `select consumer, event_id as "eventId", subject, data, error, deliveries, died_at as "diedAt"
         from ${table} where consumer = $1 order by died_at desc, event_id desc limit $2`,
        [consumer, limit],
      );
      return found.rows;
    },
    requeue: async (which) => {
      const result = await requeueAll(options, table, which === "all" ? await oldest(requeuedAtOnce) : which);
      const left = which === "all" ? (await count()) - result.failed.length : result.left;
      await measure();
      return { ...result, left: Math.max(0, left) };
    },
    discard: async (which) => {
      let discarded = 0;
      let ids = which === "all" ? await oldest(discardedAtOnce) : which;
      while (ids.length > 0) {
        discarded += await discardSome(options, table, ids);
        ids = which === "all" ? await oldest(discardedAtOnce) : [];
      }
      await measure();
      return discarded;
    },
    bury: async (received, error) => {
      if (await bury(received, error, options, table)) await measure().catch(() => {});
    },
  };
}

async function bury(
  received: ReceivedEvent,
  error: unknown,
  { pool, durable, logger, metrics }: DeadEventsOptions,
  table: string,
): Promise<boolean> {
  const { id, subject, data, deliveries } = received;
  const buried = await pool.query(
    `insert into ${table} (consumer, event_id, subject, data, error, deliveries)
     values ($1, $2, $3, $4, $5, $6) on conflict do nothing`,
    [durable, id, subject, storable(data), reasonOf(error), deliveries],
  );
  if (buried.rowCount === 0) return false;
  metrics.eventsDead.inc({ consumer: durable });
  logger.error({ consumer: durable, eventId: id, subject, deliveries, err: error }, "event given up; see dead_event");
  return true;
}

const reasonOf = (error: unknown): string =>
  storable(error instanceof Error ? (error.stack ?? error.message) : String(error));

/** Postgres cannot store U+0000, and a message that contains it must not be redelivered for ever. */
const storable = (text: string): string => text.replaceAll("\0", "\ufffd");

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** One after the other, as the consumer would, until time runs out. */
async function requeueAll(options: DeadEventsOptions, table: string, ids: readonly string[]): Promise<Requeued> {
  const deadline = performance.now() + requeueMs;
  const failed: { eventId: string; error: string }[] = [];
  let requeued = 0;
  let tried = 0;
  for (const eventId of ids) {
    if (performance.now() > deadline) break;
    tried += 1;
    try {
      await requeueOne(options, table, eventId);
      requeued += 1;
    } catch (error) {
      failed.push({ eventId, error: messageOf(error) });
      await noteFailure(options, table, eventId, error);
    }
  }
  return { requeued, failed, left: ids.length - tried };
}

async function requeueOne(options: DeadEventsOptions, table: string, eventId: string): Promise<void> {
  const { pool, schema, durable } = options;
  const key = [durable, eventId];
  const found = await pool.query<{ data: string }>(
    `select data from ${table} where consumer = $1 and event_id = $2`,
    key,
  );
  if (found.rows[0] === undefined) throw new Error("the consumer has no such dead event");
  const { event, orgId } = parseEvent(found.rows[0]);
  const isNew = await withOrg(pool, orgId, async (tenant) => {
    // Locks the row. If somebody else requeued or discarded it meanwhile, the inbox row exists already.
    await tenant.client.query(`delete from ${table} where consumer = $1 and event_id = $2`, key);
    if (!(await enterInbox(tenant.client, schema, durable, eventId))) return false;
    await options.applyOne(tenant, event);
    return true;
  });
  if (isNew) options.onEffect(event);
}

/** Moves the row to the end of the queue, so that events that keep failing do not block others. */
async function noteFailure(
  { pool, durable }: DeadEventsOptions,
  table: string,
  eventId: string,
  error: unknown,
): Promise<void> {
  await withTransaction(pool, async (client) => {
    const removed = await client.query<{ subject: string; data: string; deliveries: number }>(
      `delete from ${table} where consumer = $1 and event_id = $2 returning subject, data, deliveries`,
      [durable, eventId],
    );
    for (const { subject, data, deliveries } of removed.rows) {
      await client.query(
        `insert into ${table} (consumer, event_id, subject, data, error, deliveries) values ($1, $2, $3, $4, $5, $6)`,
        [durable, eventId, subject, data, reasonOf(error), deliveries + 1],
      );
    }
  });
}

/** Marks them as handled in the inbox, so that a replay does not bring them back. */
function discardSome(options: DeadEventsOptions, table: string, ids: readonly string[]): Promise<number> {
  const { pool, schema, durable } = options;
  return withTransaction(pool, async (client) => {
    const removed = await client.query<{ id: string }>(
      `delete from ${table} where consumer = $1 and event_id = any($2) returning event_id as id`,
      [durable, ids],
    );
    const known = removed.rows.map(({ id }) => id).filter(isUuid);
    await client.query(
      `insert into ${identifier(schema)}.inbox (consumer, event_id)
       select $1, event_id from unnest($2::uuid[]) event_id order by event_id on conflict do nothing`,
      [durable, known],
    );
    return removed.rowCount ?? 0;
  });
}

/** False when the event is already there: it has taken effect. */
export async function enterInbox(
  client: pg.PoolClient,
  schema: string,
  consumer: string,
  eventId: string,
): Promise<boolean> {
  const entered = await client.query(
    `insert into ${identifier(schema)}.inbox (consumer, event_id) values ($1, $2) on conflict do nothing`,
    [consumer, eventId],
  );
  return entered.rowCount !== 0;
}

const defaultLimit = 50;

/** What operators do with the dead events of all consumers of a process, for its admin port. */
export function deadEventRoutes(consumers: readonly DeadEvents[]): RpcRoutes {
  const byName = new Map(consumers.map((one) => [one.consumer, one]));
  const find = (name: string): DeadEvents => {
    const found = byName.get(name);
    if (found !== undefined) return found;
    const known = byName.size === 0 ? "none" : [...byName.keys()].join(", ");
    throw new DomainError("NOT_FOUND", { message: `This process has no such consumer; it has ${known}.` });
  };
  return (router) => {
    router.service(DeadEventService, {
      async listDeadEvents({ consumer, limit }) {
        const asked = consumer === "" ? consumers : [find(consumer)];
        const most = limit === 0 ? defaultLimit : limit;
        const found = await Promise.all(asked.map((one) => one.newest(most)));
        const counts = await Promise.all(asked.map((one) => one.count()));
        const newest = found.flat().sort((a, b) => b.diedAt.getTime() - a.diedAt.getTime());
        return {
          events: newest.slice(0, most).map((event) => ({ ...event, diedAt: timestampFromDate(event.diedAt) })),
          total: counts.reduce((sum, n) => sum + n, 0),
        };
      },
      async requeueDeadEvents(request) {
        const { requeued, failed, left } = await find(request.consumer).requeue(selected(request));
        return { requeued, failed: [...failed], left };
      },
      async discardDeadEvents(request) {
        return { discarded: await find(request.consumer).discard(selected(request)) };
      },
    });
  };
}

function selected({ eventIds, all }: { eventIds: string[]; all: boolean }): readonly string[] | "all" {
  if (all === eventIds.length > 0) {
    const message = "Name either events or all of them.";
    throw refusedField("eventIds", "either_or", message);
  }
  return all ? "all" : [...new Set(eventIds)];
}
