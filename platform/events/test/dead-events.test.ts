import { createClient, type Transport } from "@connectrpc/connect";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import type pg from "pg";
import type { Event } from "#gen/assent/events/v1/events_pb.ts";
import { DeadEventService } from "#gen/assent/operations/v1/dead_events_pb.ts";
import type { Tenant } from "../../db/pool.ts";
import { createLogger } from "../../logger.ts";
import { createMetrics, type Metrics } from "../../metrics.ts";
import type { OutboxRecord } from "../../outbox/outbox.ts";
import {
  makeRecord,
  type OutboxDatabase,
  openOutboxDatabase,
  orgA,
  orgB,
  schema,
} from "../../outbox/test/outbox-database.ts";
import { serverInterceptors } from "../../rpc/interceptors.ts";
import { createMemoryTransport } from "../../rpc/memory.ts";
import { until } from "../../testing/until.ts";
import type { EventBus } from "../bus.ts";
import { type ConsumerWorker, createConsumer } from "../consume.ts";
import { createBatchConsumer } from "../consume-batches.ts";
import { deadEventRoutes } from "../dead-events.ts";
import { createMemoryBus } from "../memory.ts";

const logger = createLogger("test", "silent");
const single = "shop-single";
const batched = "shop-batched";

let db: OutboxDatabase;
let bus: EventBus;
let metrics: Metrics;
let consumers: ConsumerWorker[];
/** Ids of events that cannot be applied. */
let refused: Set<string>;
let applied: number;

beforeAll(async () => {
  db = await openOutboxDatabase();
  await db.superuser.query(
    `create table ${schema}.effect (organization_id uuid default nullif(current_setting('app.org_id', true), '')::uuid, event_id uuid)`,
  );
  await db.superuser.query(`grant insert on ${schema}.effect to assent_shop_test`);
});
afterAll(() => db.close());
beforeEach(async () => {
  await db.reset();
  await db.superuser.query(`truncate ${schema}.effect`);
  metrics = createMetrics();
  refused = new Set();
  applied = 0;
  bus = createMemoryBus();
  consumers = [];
});
afterEach(async () => {
  for (const consumer of consumers) await consumer.stop();
  await bus.close();
});

async function applyAll(client: pg.PoolClient, events: readonly Event[]): Promise<void> {
  const ids = events.map(({ id }) => id);
  await client.query(`insert into ${schema}.effect (event_id) select unnest($1::uuid[])`, [ids]);
  if (ids.some((id) => refused.has(id))) throw new Error("cannot take this one");
}

/** Both kinds of consumers, and what operators call. */
async function start(): Promise<Transport> {
  const base = { bus, pool: db.writer, schema, subjects: ["assent.click.>"], maxDeliver: 2, backoffMs: [5] };
  const onApplied = (): void => {
    applied += 1;
  };
  const apply = ({ client }: Tenant, event: Event) => applyAll(client, [event]);
  const applyBatch = ({ client }: Tenant, events: readonly Event[]) => applyAll(client, events);
  consumers = [
    createConsumer({ ...base, durable: single, apply, onApplied, logger, metrics }),
    createBatchConsumer({ ...base, durable: batched, applyBatch, onApplied, gatherMs: 5, logger, metrics }),
  ];
  for (const consumer of consumers) await consumer.start();
  const routes = deadEventRoutes(consumers.map(({ deadEvents }) => deadEvents));
  const interceptors = serverInterceptors({ service: "admin", logger, metrics });
  return createMemoryTransport(routes, { interceptors });
}

const publish = (...records: OutboxRecord[]): Promise<void> =>
  bus.publish(records.map(({ eventId, subject, data }) => ({ id: eventId, subject, data })));
const rows = async (table: string): Promise<Record<string, unknown>[]> =>
  (await db.superuser.query(`select * from ${schema}.${table}`)).rows;
const effects = async (id: string) => (await rows("effect")).filter((row) => row.event_id === id).length;
const gauge = async (consumer: string) =>
  (await metrics.deadEvents.get()).values.find(({ labels }) => labels.consumer === consumer)?.value;

/** Events that both consumers have given up. */
async function killed(...records: OutboxRecord[]) {
  const admin = createClient(DeadEventService, await start());
  for (const { eventId } of records) refused.add(eventId);
  await publish(...records);
  await until(async () => (await rows("dead_event")).length === 2 * records.length);
  return admin;
}

describe("dead events", () => {
  test("are listed newest first, with what was in them and what was wrong, and counted", async () => {
    const [one, two] = [makeRecord(), makeRecord(orgB)];
    const admin = await killed(one, two);
    const { events, total } = await admin.listDeadEvents({});
    expect(total).toBe(4);
    const times = events.map(({ diedAt }) => Number(diedAt?.seconds) * 1e9 + Number(diedAt?.nanos));
    expect(times).toEqual(times.toSorted((a, b) => b - a));
    const mine = await admin.listDeadEvents({ consumer: batched });
    expect(mine.total).toBe(2);
    const found = mine.events.find(({ eventId }) => eventId === one.eventId);
    expect(found).toMatchObject({ consumer: batched, subject: one.subject, data: one.data, deliveries: 2 });
    expect(found?.error).toContain("cannot take this one");
    expect(await admin.listDeadEvents({ limit: 1 })).toMatchObject({ events: [expect.anything()], total: 4 });
    await until(async () => (await gauge(single)) === 2 && (await gauge(batched)) === 2);
  });

  test("take effect once when they are requeued, however often and by whomever", async () => {
    const [one, two] = [makeRecord(), makeRecord(orgB)];
    const admin = await killed(one, two);
    refused.clear();
    for (const consumer of [single, batched]) {
      const answers = await Promise.all(
        [1, 2, 3].map(() => admin.requeueDeadEvents({ consumer, eventIds: [one.eventId] })),
      );
      expect(answers.some(({ requeued }) => requeued === 1)).toBe(true);
      const all = await admin.requeueDeadEvents({ consumer, all: true });
      expect(all).toMatchObject({ requeued: 1, failed: [], left: 0 });
    }
    expect(await rows("dead_event")).toEqual([]);
    for (const { eventId } of [one, two]) expect(await effects(eventId)).toBe(2);
    expect(new Set((await rows("effect")).map((row) => row.organization_id))).toEqual(new Set([orgA, orgB]));
    expect(applied).toBe(4);
    expect(await gauge(single)).toBe(0);
    const { values } = await metrics.eventLagSeconds.get();
    const measured = values.filter(({ metricName }) => metricName === "assent_event_lag_seconds_count");
    expect(measured.map(({ value }) => value)).toEqual([2, 2]);
  });

  test("that fail again stay with the new error and leave the others their turn", async () => {
    const [bad, good] = [makeRecord(), makeRecord()];
    const admin = await killed(bad, good);
    refused.delete(good.eventId);
    await db.superuser.query(`update ${schema}.dead_event set error = 'the old one'`);
    const answer = await admin.requeueDeadEvents({ consumer: single, all: true });
    expect(answer).toMatchObject({ requeued: 1, left: 0 });
    expect(answer.failed).toMatchObject([{ eventId: bad.eventId, error: "cannot take this one" }]);
    const { events } = await admin.listDeadEvents({ consumer: single });
    expect(events).toMatchObject([{ eventId: bad.eventId, data: bad.data, deliveries: 3 }]);
    expect(events[0]?.error).toContain("cannot take this one");
    expect(await effects(bad.eventId)).toBe(0);
  });

  test("that took effect after all are only removed, even when the inbox would have forgotten them", async () => {
    const record = makeRecord();
    const admin = await killed(record);
    await db.superuser.query(
      `insert into ${schema}.inbox (consumer, event_id, received_at) values
       ($1, $2, now() - interval '30 days'), ($1, $3, now() - interval '30 days'), ($1, $4, now() - interval '2 days')`,
      [single, record.eventId, makeRecord().eventId, makeRecord().eventId],
    );
    await consumers[0]?.stop();
    await consumers[0]?.start();
    await until(async () => (await rows("inbox")).length === 2);
    refused.clear();
    expect(await admin.requeueDeadEvents({ consumer: single, all: true })).toMatchObject({ requeued: 1 });
    expect(await effects(record.eventId)).toBe(0);
    expect(await admin.listDeadEvents({ consumer: single })).toMatchObject({ total: 0 });
  });

  test("that are discarded do not come back with a replay, those that are no events go as well", async () => {
    const [one, two] = [makeRecord(), makeRecord()];
    const admin = await killed(one, two);
    await bus.publish([{ id: "no-uuid", subject: "assent.click.x.y", data: "no\0JSON" }]);
    await until(async () => (await rows("dead_event")).length === 6);
    expect((await admin.requeueDeadEvents({ consumer: single, eventIds: ["no-uuid"] })).failed).toHaveLength(1);
    expect(await admin.discardDeadEvents({ consumer: single, eventIds: [one.eventId] })).toMatchObject({
      discarded: 1,
    });
    for (const consumer of [single, batched]) await admin.discardDeadEvents({ consumer, all: true });
    expect(await rows("dead_event")).toEqual([]);
    refused.clear();
    await bus.close();
    for (const consumer of consumers) await consumer.stop();
    bus = createMemoryBus();
    await start();
    const last = makeRecord();
    await publish(one, two, last);
    await until(async () => (await effects(last.eventId)) === 2);
    expect(await rows("effect")).toHaveLength(2);
  });

  test("of a consumer that is not here, or of none and all at once, are refused", async () => {
    const admin = createClient(DeadEventService, await start());
    await expect(admin.listDeadEvents({ consumer: "other" })).rejects.toThrow(/shop-single, shop-batched/);
    await expect(admin.requeueDeadEvents({ consumer: "other", all: true })).rejects.toThrow(/no such consumer/);
    await expect(admin.discardDeadEvents({ consumer: single })).rejects.toThrow(/is invalid/);
    const both = { consumer: single, all: true, eventIds: ["x"] };
    await expect(admin.discardDeadEvents(both)).rejects.toThrow(/is invalid/);
  });
});
