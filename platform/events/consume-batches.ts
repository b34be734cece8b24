import { timestampMs } from "@bufbuild/protobuf/wkt";
import type pg from "pg";
import type { Event } from "#gen/assent/events/v1/events_pb.ts";
import { systemClock } from "../clock.ts";
import { identifier } from "../db/ddl.ts";
import { type Tenant, withOrg, withTransaction } from "../db/pool.ts";
import type { OrgId } from "../ids.ts";
import { detached, noopTracer, type Tracer, traced } from "../telemetry.ts";
import type { ReceivedEvent } from "./bus.ts";
import { type ConsumerBase, type ConsumerWorker, createConsumerWorker } from "./consume.ts";
import { parseEvent } from "./deliver.ts";

export interface BatchConsumerOptions extends ConsumerBase {
  /** Applies events of one organization in one transaction. Rejects to have each retried separately. */
  applyBatch(tenant: Tenant, events: readonly Event[]): Promise<void>;
  /** Applies whole batches; a batch it rejects goes to applyBatch, one organization at a time. */
  readonly across?: AcrossOrganizations;
  /** How many events are in flight, and so the largest batch; default 256. */
  readonly maxBatch?: number;
  /**
   * How long a busy consumer collects events after a batch, in milliseconds; default 100. An idle one handles
   * an event at once, and one with many to handle does not wait for more.
   */
  readonly gatherMs?: number;
  /** As long as events keep coming, and none is old, it collects twice as long each time, up to this; default gatherMs. */
  readonly longestGatherMs?: number;
  /** Concurrent transactions, each for another organization; default 2. */
  readonly maxTransactions?: number;
  /** Where the spans of batches go. */
  readonly tracer?: Tracer | undefined;
}

/** A larger batch costs hardly less for each of its events. */
const enoughEvents = 256;

/**
 * One that is behind does not collect for long: the bus gives only so many events to all processes together, so that each
 * of many processes may never see enough of them.
 */
const behindMs = 5_000;

function isBehind(batch: readonly Waiting[], { clock = systemClock }: BatchConsumerOptions): boolean {
  const before = clock.now().getTime() - behindMs;
  return batch.some(({ event }) => event.occurredAt !== undefined && timestampMs(event.occurredAt) < before);
}

/** Applies events of many organizations in one transaction. */
export interface AcrossOrganizations {
  /** Connects as a role that may write for all organizations and into the inbox. */
  readonly pool: pg.Pool;
  apply(client: pg.PoolClient, batches: readonly OrganizationEvents[]): Promise<void>;
}

export interface OrganizationEvents {
  readonly orgId: OrgId;
  readonly events: readonly Event[];
}

/**
 * A consumer for effects that are cheaper in batches, such as counters. Like createConsumer it applies each
 * event exactly once, but many in one transaction and in no particular order. A failing event does not fail
 * others.
 */
export function createBatchConsumer(options: BatchConsumerOptions): ConsumerWorker {
  const { maxBatch = 256, gatherMs = 100, longestGatherMs = gatherMs, maxTransactions = 2 } = options;
  const enough = Math.min(maxBatch, enoughEvents);
  let waiting: Received[] = [];
  let isRunning = false;
  let isStopping = false;
  let endGathering = (): void => {};

  const gather = async (ms: number): Promise<void> => {
    if (isStopping || waiting.length >= enough) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, ms).unref();
    endGathering = resolve;
    await promise;
    clearTimeout(timer);
  };
  const run = async (): Promise<void> => {
    isRunning = true;
    let ms = gatherMs;
    while (waiting.length > 0) {
      const batch = parsed(waiting);
      waiting = [];
      await tracedBatch(options, batch, async () => {
        const groups = byOrganization(batch);
        const left = ((await applyAcross(options, groups)) ? [] : groups).values();
        const work = async () => {
          for (const [orgId, items] of left) await applyTogether(options, orgId, items);
        };
        await Promise.all(Array.from({ length: maxTransactions }, work));
      });
      await gather(ms);
      ms = isBehind(batch, options) ? gatherMs : Math.min(2 * ms, longestGatherMs);
    }
    isRunning = false;
  };
  const add = (received: ReceivedEvent): Promise<Event | undefined> => {
    const { promise, resolve, reject } = Promise.withResolvers<Event | undefined>();
    waiting.push({ received, span: options.tracer?.active?.(), resolve, reject });
    if (!isRunning) void detached(options.tracer, run);
    else if (waiting.length >= enough) endGathering();
    return promise;
  };
  const worker = createConsumerWorker(
    { ...options, concurrency: maxBatch },
    {
      apply: add,
      applyOne: (tenant, event) => options.applyBatch(tenant, [event]),
    },
  );
  return {
    ...worker,
    start: () => {
      isStopping = false;
      return worker.start();
    },
    stop: () => {
      isStopping = true;
      endGathering();
      return worker.stop();
    },
  };
}

interface Received {
  readonly received: ReceivedEvent;
  /** The span that handles it, when traced. */
  readonly span: string | undefined;
  /** With the event, if this delivery made it take effect. */
  resolve(event: Event | undefined): void;
  reject(error: unknown): void;
}

interface Waiting extends Received {
  readonly event: Event;
  readonly orgId: OrgId;
}

/** As late as possible: what survives until the batch is handled costs its collection. What cannot be parsed fails alone. */
function parsed(batch: readonly Received[]): Waiting[] {
  return batch.flatMap((item) => {
    try {
      const { received, span, resolve, reject } = item;
      return [{ received, span, resolve, reject, ...parseEvent(received) }];
    } catch (error) {
      item.reject(error);
      return [];
    }
  });
}

/** Traced under the first sampled event, with links to the others, because a span has only one parent. */
function tracedBatch(
  { durable, tracer = noopTracer }: BatchConsumerOptions,
  batch: readonly Waiting[],
  work: () => Promise<void>,
): Promise<void> {
  const [first, ...links] = batch.flatMap(({ span }) => span ?? []);
  if (first === undefined) return work();
  const attributes = { "messaging.consumer.group.name": durable, "assent.items": batch.length };
  return traced(tracer, tracer.startSpan(`${durable} batch`, "internal", first, { attributes, links }), work);
}

const byOrganization = (batch: readonly Waiting[]): [OrgId, Waiting[]][] => [
  ...Map.groupBy(batch, ({ orgId }) => orgId),
];

/** Settles every item, or returns false and settles none; never rejects. */
async function applyAcross(
  options: BatchConsumerOptions,
  groups: readonly [OrgId, readonly Waiting[]][],
): Promise<boolean> {
  const { across } = options;
  if (across === undefined) return false;
  const items = groups.flatMap(([, some]) => some);
  try {
    const fresh = await withTransaction(across.pool, async (client) => {
      const entered = await enter(client, options, items);
      const batches = byOrganization([...entered]).map(([orgId, some]) => ({ orgId, events: eventsOf(some) }));
      if (batches.length > 0) await across.apply(client, batches);
      return entered;
    });
    settle(options, items, fresh);
    return true;
  } catch (error) {
    const about = { consumer: options.durable, events: items.length, err: error };
    options.logger.warn(about, "a batch of events failed; applying those of each organization by themselves");
    return false;
  }
}

/** Settles every item; never rejects. */
async function applyTogether(options: BatchConsumerOptions, orgId: OrgId, items: readonly Waiting[]): Promise<void> {
  try {
    const fresh = await withOrg(options.pool, orgId, async (tenant) => {
      const entered = await enter(tenant.client, options, items);
      if (entered.size > 0) await options.applyBatch(tenant, eventsOf(entered));
      return entered;
    });
    settle(options, items, fresh);
  } catch (error) {
    if (items.length === 1) {
      items[0]?.reject(error);
      return;
    }
    options.logger.warn(
      { consumer: options.durable, events: items.length, err: error },
      "a batch of events failed; applying them one by one",
    );
    for (const item of items) await applyTogether(options, orgId, [item]);
  }
}

/** Records in the inbox that these take effect now; returns those that had not before. */
async function enter(
  client: pg.PoolClient,
  { schema, durable }: Pick<BatchConsumerOptions, "schema" | "durable">,
  items: readonly Waiting[],
): Promise<ReadonlySet<Waiting>> {
  // An event may be here twice, when its first delivery took too long.
  const byId = new Map(items.map((item) => [item.received.id, item]));
  const inserted = await client.query<{ id: string }>({
    name: `${schema}-enter-inbox`,
    text: `insert into ${identifier(schema)}.inbox (consumer, event_id)
      select $1, event_id from unnest($2::uuid[]) event_id order by event_id on conflict do nothing
      returning event_id as id`,
    values: [durable, [...byId.keys()]],
  });
  return new Set(inserted.rows.flatMap(({ id }) => byId.get(id) ?? []));
}

function settle({ onApplied }: BatchConsumerOptions, items: readonly Waiting[], fresh: ReadonlySet<Waiting>): void {
  if (fresh.size > 0) onApplied?.();
  for (const item of items) item.resolve(fresh.has(item) ? item.event : undefined);
}

const eventsOf = (items: Iterable<Waiting>): Event[] => Array.from(items, ({ event }) => event);
