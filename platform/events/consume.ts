import { timestampMs } from "@bufbuild/protobuf/wkt";
import type pg from "pg";
import type { Event } from "#gen/assent/events/v1/events_pb.ts";
import { type Clock, systemClock } from "../clock.ts";
import { identifier } from "../db/ddl.ts";
import { type Tenant, withOrg } from "../db/pool.ts";
import type { Logger } from "../logger.ts";
import type { Metrics } from "../metrics.ts";
import type { Worker } from "../periodic.ts";
import type { EventBus, ReceivedEvent, SubscribeOptions } from "./bus.ts";
import { createDeadEvents, type DeadEvents, type DeadEventsOptions, enterInbox } from "./dead-events.ts";
import { parseEvent } from "./deliver.ts";

export interface ConsumerOptions
  extends Pick<SubscribeOptions, "maxDeliver" | "ackWaitMs" | "backoffMs" | "concurrency" | "durable" | "subjects"> {
  readonly bus: EventBus;
  /** Connects as the role given to inboxTablesSql. */
  readonly pool: pg.Pool;
  readonly schema: string;
  /** Applies the event within a transaction of its organization. Rejects to have it retried. */
  apply(tenant: Tenant, event: Event): Promise<void>;
  /**
   * Called after new effects are committed, to wake the workers that depend on them. Must be cheap and must not
   * throw.
   */
  onApplied?(): void;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Measures how late events take effect; default the system's. */
  readonly clock?: Clock;
}

/** The part of a consumer that does not depend on how events take effect. */
export type ConsumerBase = Omit<ConsumerOptions, "apply">;

/** A running consumer, with its dead events. */
export interface ConsumerWorker extends Worker {
  readonly deadEvents: DeadEvents;
}

/** Creates the inbox of a schema's consumers, and the table of their dead events. */
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

/**
 * Longer than outbox rows are kept, so that a republished event never takes effect twice. Counted back from what was
 * received before the last day: rows of a backup do not grow old while the backup lies there, and when it has been
 * restored, a day is enough to publish its outbox again.
 */
const inboxDays = 8;
const houseKeepingMs = 600_000;
/** The usual scrape interval of metrics. */
const measureMs = 15_000;

/**
 * A worker that applies each event exactly once, however often it is delivered: the inbox row and the effect
 * are committed together, and only then is the event acknowledged. An event that fails `maxDeliver` times goes
 * to dead_event.
 */
export const createConsumer = (options: ConsumerOptions): ConsumerWorker =>
  createConsumerWorker(options, {
    apply: (received) => applyOnce(received, options),
    applyOne: options.apply,
  });

/** How a consumer applies events. */
export interface Effects extends Pick<DeadEventsOptions, "applyOne"> {
  /** Resolves with the event, or with undefined if it had already taken effect. Calls onApplied. */
  apply(received: ReceivedEvent): Promise<Event | undefined>;
}

export function createConsumerWorker(options: ConsumerBase, { apply, applyOne }: Effects): ConsumerWorker {
  const { bus, durable, logger, pool, schema } = options;
  const dead = createDeadEvents({
    ...{ pool, schema, durable, logger, metrics: options.metrics, applyOne },
    onEffect: (event) => {
      noteEffect(event, options);
      options.onApplied?.();
    },
  });
  let subscription: { stop(): Promise<void> } | undefined;
  let timers: readonly NodeJS.Timeout[] = [];
  let keeping = Promise.resolve();
  let measuring: Promise<unknown> = Promise.resolve();

  const keepHouse = (): void => {
    keeping = keeping
      .then(() => deleteOldInboxRows(pool, identifier(schema), durable))
      .catch((error: unknown) => logger.warn({ consumer: durable, err: error }, "the inbox could not be looked after"));
  };
  const measure = (): void => {
    // What cannot be read becomes absent.
    measuring = Promise.all([dead.measure().catch(() => {}), measurePending(options)]);
  };
  return {
    name: `consumer ${durable}`,
    deadEvents: dead,
    start: async () => {
      subscription = await bus.subscribe({
        ...options,
        handle: (event) => handle(event, options, apply),
        onDead: dead.bury,
      });
      timers = [setInterval(keepHouse, houseKeepingMs), setInterval(measure, measureMs)];
      for (const timer of timers) timer.unref();
      keepHouse();
      measure();
    },
    stop: async () => {
      for (const timer of timers) clearInterval(timer);
      await subscription?.stop();
      await Promise.all([keeping, measuring]);
      subscription = undefined;
    },
  };
}

async function measurePending({ bus, durable, metrics }: ConsumerBase): Promise<void> {
  const pending = await bus.pending?.(durable).catch(() => undefined);
  if (pending !== undefined) metrics.consumerPending.set({ consumer: durable }, pending);
}

async function handle(received: ReceivedEvent, options: ConsumerBase, apply: Effects["apply"]): Promise<void> {
  const { durable, logger } = options;
  const { id: eventId, subject, deliveries } = received;
  try {
    const event = await apply(received);
    if (event !== undefined) noteEffect(event, options);
  } catch (error) {
    const about = { consumer: durable, eventId, subject, deliveries, err: error };
    logger.warn(about, "event failed and will be delivered again");
    throw error;
  }
}

function noteEffect({ occurredAt }: Event, { durable, metrics, clock = systemClock }: ConsumerBase): void {
  metrics.eventsConsumed.inc({ consumer: durable });
  if (occurredAt === undefined) return;
  const seconds = (clock.now().getTime() - timestampMs(occurredAt)) / 1_000;
  metrics.eventLagSeconds.observe({ consumer: durable }, Math.max(0, seconds));
}

/** Undefined when the event has already taken effect. */
async function applyOnce(received: ReceivedEvent, options: ConsumerOptions): Promise<Event | undefined> {
  const { event, orgId } = parseEvent(received);
  const isNew = await withOrg(options.pool, orgId, async (tenant) => {
    if (!(await enterInbox(tenant.client, options.schema, options.durable, received.id))) return false;
    await options.apply(tenant, event);
    return true;
  });
  if (!isNew) return undefined;
  options.onApplied?.();
  return event;
}

/**
 * In batches, so that no statement runs long or holds locks for long. Rows of dead events stay: such an event
 * may have taken effect after all, and can be requeued at any time.
 */
async function deleteOldInboxRows(pool: pg.Pool, schema: string, consumer: string): Promise<void> {
  const batch = 5_000;
  for (;;) {
    const deleted = await pool.query(
      `delete from ${schema}.inbox where consumer = $1 and event_id in (
         select event_id from ${schema}.inbox i
         where consumer = $1 and received_at < (
             select max(received_at) - make_interval(days => ${inboxDays}) from ${schema}.inbox
             where received_at < now() - interval '1 day')
           and not exists (select from ${schema}.dead_event d where d.consumer = $1 and d.event_id = i.event_id::text)
         order by received_at limit ${batch})`,
      [consumer],
    );
    if ((deleted.rowCount ?? 0) < batch) return;
  }
}
