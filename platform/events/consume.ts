import { fromJsonString } from "@bufbuild/protobuf";
import type pg from "pg";
import { type Event, EventSchema } from "#gen/assent/events/v1/events_pb.ts";
import { identifier } from "../db/ddl.ts";
import { withOrg } from "../db/pool.ts";
import { type OrgId, parseOrgId } from "../ids.ts";
import type { Logger } from "../logger.ts";
import type { Metrics } from "../metrics.ts";
import type { Worker } from "../service.ts";
import type { EventBus, ReceivedEvent, SubscribeOptions } from "./bus.ts";

export interface ConsumerOptions
  extends Pick<SubscribeOptions, "maxDeliver" | "ackWaitMs" | "backoffMs" | "concurrency" | "durable" | "subjects"> {
  readonly bus: EventBus;
  /** Connects as the role that was given to inboxTablesSql. */
  readonly pool: pg.Pool;
  readonly schema: string;
  /** The effect of the event, within the transaction of the event's organization. Rejects to have it tried again. */
  apply(client: pg.PoolClient, event: Event): Promise<void>;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** What a consumer does without knowing how its events take effect. */
export type ConsumerBase = Omit<ConsumerOptions, "apply">;

/** The inbox of a schema's consumers, and the events that they gave up. */
export const inboxTablesSql = (options: { schema: string; role: string }): string[] => {
  const schema = identifier(options.schema);
  const role = identifier(options.role);
  return [
    `create table ${schema}.inbox (
      consumer text not null,
      event_id uuid not null,
      received_at timestamptz not null default now(),
      primary key (consumer, event_id)
    )`,
    `create index inbox_received on ${schema}.inbox (received_at)`,
    `comment on table ${schema}.inbox is 'No organization: holds ids of events only, none of their content'`,
    `create table ${schema}.dead_event (
      consumer text not null,
      event_id text not null,
      subject text not null,
      data text not null,
      error text not null,
      deliveries integer not null,
      died_at timestamptz not null default now(),
      primary key (consumer, event_id)
    )`,
    `comment on table ${schema}.dead_event is
      'No organization: for operators only; an event may be dead because its organization cannot be read'`,
    `grant usage on schema ${schema} to ${role}`,
    `grant select, insert, delete on ${schema}.inbox, ${schema}.dead_event to ${role}`,
  ];
};

/** Longer than outbox rows are kept, so that publishing them again takes no effect twice. */
const inboxDays = 8;
const cleanIntervalMs = 600_000;

/**
 * A worker that applies each event exactly once, however often it is delivered: the inbox row and the effect commit
 * together, and the event is acknowledged afterwards. An event that fails `maxDeliver` times goes to dead_event.
 */
export const createConsumer = (options: ConsumerOptions): Worker =>
  createConsumerWorker(options, (received) => applyOnce(received, options));

/** A consumer whose events take effect in `apply`, which resolves with false for those that already had. */
export function createConsumerWorker(
  options: ConsumerBase,
  apply: (received: ReceivedEvent) => Promise<boolean>,
): Worker {
  const { bus, durable, logger, pool, schema } = options;
  let subscription: { stop(): Promise<void> } | undefined;
  let cleaner: NodeJS.Timeout | undefined;

  const clean = async (): Promise<void> => {
    try {
      await deleteOldInboxRows(pool, identifier(schema), durable);
    } catch (error) {
      logger.warn({ consumer: durable, err: error }, "old inbox rows could not be deleted");
    }
  };
  return {
    name: `consumer ${durable}`,
    start: async () => {
      subscription = await bus.subscribe({
        ...options,
        handle: (event) => handle(event, options, apply),
        onDead: (event, error) => bury(event, error, options),
      });
      cleaner = setInterval(() => void clean(), cleanIntervalMs);
      cleaner.unref();
    },
    stop: async () => {
      clearInterval(cleaner);
      await subscription?.stop();
      subscription = undefined;
    },
  };
}

async function handle(
  received: ReceivedEvent,
  options: ConsumerBase,
  apply: (received: ReceivedEvent) => Promise<boolean>,
): Promise<void> {
  const { durable, logger, metrics } = options;
  const { id: eventId, subject, deliveries } = received;
  try {
    if (await apply(received)) metrics.eventsConsumed.inc({ consumer: durable });
  } catch (error) {
    const about = { consumer: durable, eventId, subject, deliveries, err: error };
    logger.warn(about, "event failed and will be delivered again");
    throw error;
  }
}

/** False when the event has already taken effect. */
async function applyOnce(received: ReceivedEvent, options: ConsumerOptions): Promise<boolean> {
  const { event, orgId } = parseEvent(received);
  return withOrg(options.pool, orgId, async (client) => {
    const inbox = await client.query(
      `insert into ${identifier(options.schema)}.inbox (consumer, event_id) values ($1, $2) on conflict do nothing`,
      [options.durable, received.id],
    );
    if (inbox.rowCount === 0) return false;
    await options.apply(client, event);
    return true;
  });
}

/** The event of a message; throws for one that no organization can be found in. */
export function parseEvent({ data }: ReceivedEvent): { event: Event; orgId: OrgId } {
  const event = fromJsonString(EventSchema, data, { ignoreUnknownFields: true });
  const orgId = parseOrgId(event.organizationId);
  if (orgId === undefined) throw new Error("the event names no organization");
  return { event, orgId };
}

async function bury(received: ReceivedEvent, error: unknown, options: ConsumerBase): Promise<void> {
  const { durable, logger, metrics, pool, schema } = options;
  const { id, subject, data, deliveries } = received;
  const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
  const buried = await pool.query(
    `insert into ${identifier(schema)}.dead_event (consumer, event_id, subject, data, error, deliveries)
     values ($1, $2, $3, $4, $5, $6) on conflict do nothing`,
    [durable, id, subject, data, reason, deliveries],
  );
  if (buried.rowCount === 0) return;
  metrics.eventsDead.inc({ consumer: durable });
  logger.error({ consumer: durable, eventId: id, subject, deliveries, err: error }, "event given up; see dead_event");
}

/** In batches, so that no statement runs long and no lock is held long. */
async function deleteOldInboxRows(pool: pg.Pool, schema: string, consumer: string): Promise<void> {
  const batch = 5_000;
  for (;;) {
    const deleted = await pool.query(
      `delete from ${schema}.inbox where consumer = $1 and event_id in (
         select event_id from ${schema}.inbox
         where consumer = $1 and received_at < now() - make_interval(days => ${inboxDays})
         order by received_at limit ${batch})`,
      [consumer],
    );
    if ((deleted.rowCount ?? 0) < batch) return;
  }
}
