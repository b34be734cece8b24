import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import type { Event } from "#gen/assent/events/v1/events_pb.ts";
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
import type { Worker } from "../../periodic.ts";
import { until } from "../../testing/until.ts";
import type { EventBus } from "../bus.ts";
import { type ConsumerOptions, createConsumer } from "../consume.ts";
import { createMemoryBus } from "../memory.ts";

const logger = createLogger("test", "silent");
const durable = "shop-sessions";

let db: OutboxDatabase;
let bus: EventBus;
let metrics: Metrics;
let consumers: Worker[];

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
  bus = createMemoryBus();
  metrics = createMetrics();
  consumers = [];
  await db.superuser.query(`truncate ${schema}.effect`);
});
afterEach(async () => {
  for (const consumer of consumers) await consumer.stop();
  await bus.close();
});

const noteEffect = async ({ client }: Tenant, event: Event): Promise<void> => {
  await client.query(`insert into ${schema}.effect (event_id) values ($1)`, [event.id]);
};
const consume = async (options: Partial<ConsumerOptions> = {}): Promise<void> => {
  const base = { bus, pool: db.writer, schema, durable, subjects: ["assent.click.>"], logger, metrics, backoffMs: [5] };
  const consumer = createConsumer({ ...base, apply: noteEffect, ...options });
  consumers.push(consumer);
  await consumer.start();
};
const publish = (...records: OutboxRecord[]): Promise<void> =>
  bus.publish(records.map(({ eventId, subject, data }) => ({ id: eventId, subject, data })));
const rows = async (table: string): Promise<Record<string, unknown>[]> =>
  (await db.superuser.query(`select * from ${schema}.${table}`)).rows;
const total = async (metric: Metrics["eventsDead" | "eventsConsumed"]): Promise<number> =>
  (await metric.get()).values.reduce((sum, { value }) => sum + value, 0);

describe("createConsumer", () => {
  test("the effect runs as the organization of the event, with the event parsed", async () => {
    const seen: Event[] = [];
    await consume({
      apply: async (tenant, event) => {
        seen.push(event);
        await noteEffect(tenant, event);
      },
    });
    const [a, b] = [makeRecord(orgA), makeRecord(orgB)];
    await publish(a, b);
    await until(async () => (await rows("effect")).length === 2);
    expect(await rows("effect")).toEqual([
      { organization_id: orgA, event_id: a.eventId },
      { organization_id: orgB, event_id: b.eventId },
    ]);
    expect(seen[0]?.payload).toMatchObject({ case: "sessionCompleted", value: { outcome: "ACCEPTED" } });
    expect(await total(metrics.eventsConsumed)).toBe(2);
  });

  test("an event that comes again has no second effect", async () => {
    const record = makeRecord();
    await consume();
    await publish(record);
    await until(async () => (await rows("effect")).length === 1);
    await bus.close();
    bus = createMemoryBus();
    await consume({ bus });
    const last = makeRecord();
    await publish(record, last);
    await until(async () => (await rows("effect")).length === 2);
    expect((await rows("effect")).map((row) => row.event_id)).toEqual([record.eventId, last.eventId]);
  });

  test("two deliveries of one event at the same time have one effect", async () => {
    const other = createMemoryBus();
    const slow = async (tenant: Tenant, event: Event): Promise<void> => {
      await tenant.client.query("select pg_sleep(0.1)");
      await noteEffect(tenant, event);
    };
    await consume({ apply: slow });
    await consume({ bus: other, apply: slow });
    const record = makeRecord();
    const event = { id: record.eventId, subject: record.subject, data: record.data };
    await Promise.all([bus.publish([event]), other.publish([event])]);
    await until(async () => (await rows("effect")).length > 0);
    await other.close();
    expect(await rows("effect")).toHaveLength(1);
  });

  test("two consumers each have their effect", async () => {
    await consume();
    await consume({ durable: "shop-other" });
    await publish(makeRecord());
    await until(async () => (await rows("effect")).length === 2);
    expect((await rows("inbox")).map((row) => row.consumer).sort()).toEqual(["shop-other", "shop-sessions"]);
  });

  test("when the effect fails, neither it nor the inbox row is kept, and the event is tried again", async () => {
    let failures = 2;
    let inboxDuringRetry = -1;
    await consume({
      apply: async (tenant, event) => {
        await noteEffect(tenant, event);
        inboxDuringRetry = (await rows("inbox")).length;
        failures -= 1;
        if (failures >= 0) throw new Error("not yet");
      },
    });
    await publish(makeRecord());
    await until(async () => (await rows("inbox")).length === 1);
    expect(inboxDuringRetry).toBe(0);
    expect(await rows("effect")).toHaveLength(1);
  });

  test("an event that never succeeds ends in dead_event, and the events behind it go on", async () => {
    const bad = makeRecord();
    await consume({
      maxDeliver: 3,
      apply: async (tenant, event) => {
        if (event.id === bad.eventId) throw new Error("I cannot stand this one");
        await noteEffect(tenant, event);
      },
    });
    await publish(bad, makeRecord());
    await until(async () => (await rows("dead_event")).length === 1);
    const [dead] = await rows("dead_event");
    expect(dead).toMatchObject({
      consumer: durable,
      event_id: bad.eventId,
      subject: bad.subject,
      data: bad.data,
      deliveries: 3,
    });
    expect(dead?.error).toContain("I cannot stand this one");
    expect(await total(metrics.eventsDead)).toBe(1);
    await until(async () => (await rows("effect")).length === 1);
    expect((await rows("inbox")).map((row) => row.event_id)).not.toContain(bad.eventId);
  });

  test("what is not an event, or names no organization, ends in dead_event", async () => {
    await consume({ maxDeliver: 1 });
    const { eventId } = makeRecord();
    await bus.publish([{ id: "no-uuid", subject: "assent.click.x.y", data: "not JSON" }]);
    await bus.publish([{ id: eventId, subject: "assent.click.x.y", data: JSON.stringify({ id: eventId }) }]);
    await until(async () => (await rows("dead_event")).length === 2);
  });

  test("fields that a later version added are ignored", async () => {
    await consume();
    const record = makeRecord();
    await publish({ ...record, data: JSON.stringify({ ...JSON.parse(record.data), somethingNew: { a: 1 } }) });
    await until(async () => (await rows("effect")).length === 1);
  });
});
