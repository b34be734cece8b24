import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import type pg from "pg";
import type { Event } from "#gen/assent/events/v1/events_pb.ts";
import type { OrgId } from "../../ids.ts";
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
import { type AcrossOrganizations, type BatchConsumerOptions, createBatchConsumer } from "../consume-batches.ts";
import { createMemoryBus } from "../memory.ts";

const logger = createLogger("test", "silent");
const durable = "shop-counters";

let db: OutboxDatabase;
let bus: EventBus;
let metrics: Metrics;
let consumers: Worker[];
let now = 0;

beforeAll(async () => {
  db = await openOutboxDatabase();
  await db.superuser.query(
    `create table ${schema}.counted (organization_id uuid default nullif(current_setting('app.org_id', true), '')::uuid, event_id uuid)`,
  );
  await db.superuser.query(`grant insert on ${schema}.counted to assent_shop_test`);
});
afterAll(() => db.close());
beforeEach(async () => {
  await db.reset();
  // No two publications are near enough to be taken for one.
  bus = createMemoryBus({
    now: () => {
      now += 130_000;
      return now;
    },
  });
  metrics = createMetrics();
  consumers = [];
  await db.superuser.query(`truncate ${schema}.counted`);
});
afterEach(async () => {
  for (const consumer of consumers) await consumer.stop();
  await bus.close();
});

const count = async (client: pg.PoolClient, events: readonly Event[]): Promise<void> => {
  const sql = `insert into ${schema}.counted (event_id) select unnest($1::uuid[])`;
  await client.query(sql, [events.map(({ id }) => id)]);
};

/** Starts a consumer and tells of its batches. */
async function consume(options: Partial<BatchConsumerOptions> = {}) {
  const batches: { orgId: OrgId; size: number }[] = [];
  const base = { bus, pool: db.writer, schema, durable, subjects: ["assent.click.>"], logger, metrics, backoffMs: [5] };
  const consumer = createBatchConsumer({
    ...base,
    gatherMs: 5,
    applyBatch: async ({ orgId, client }, events) => {
      batches.push({ orgId, size: events.length });
      await count(client, events);
    },
    ...options,
  });
  consumers.push(consumer);
  await consumer.start();
  return batches;
}

const publish = (records: readonly OutboxRecord[]): Promise<void> =>
  bus.publish(records.map(({ eventId, subject, data }) => ({ id: eventId, subject, data })));
const counted = async () =>
  (await db.superuser.query<{ organization_id: string; event_id: string }>(`select * from ${schema}.counted`)).rows;
const dead = async () => (await db.superuser.query(`select event_id from ${schema}.dead_event`)).rows;
const records = (n: number, org = orgA): OutboxRecord[] => Array.from({ length: n }, () => makeRecord(org));

describe("createBatchConsumer", () => {
  test("applies many events of an organization with few transactions, and none of another one with them", async () => {
    const batches = await consume();
    const all = [...records(100), ...records(50, orgB)];
    await publish(all.toSorted((a, b) => a.eventId.localeCompare(b.eventId)));
    await until(async () => (await counted()).length === 150);
    expect(batches.length).toBeLessThan(20);
    const stored = await counted();
    expect(stored.map(({ event_id }) => event_id).sort()).toEqual(all.map(({ eventId }) => eventId).sort());
    const owners = new Map(all.map(({ eventId, organizationId }) => [eventId, organizationId]));
    for (const { event_id, organization_id } of stored) expect(organization_id).toBe(owners.get(event_id));
    expect(batches.filter(({ orgId }) => orgId === orgB).reduce((sum, { size }) => sum + size, 0)).toBe(50);
  });

  test("takes whole batches where it may, and one by one of each organization what they reject", async () => {
    const [bad] = records(1, orgB);
    const sizes: number[] = [];
    const sql = `insert into ${schema}.counted (organization_id, event_id) select * from unnest($1::uuid[], $2::uuid[])`;
    const apply: AcrossOrganizations["apply"] = async (client, all) => {
      const rows = all.flatMap(({ orgId, events }) => events.map(({ id }) => ({ orgId, id })));
      await client.query(sql, [rows.map(({ orgId }) => orgId), rows.map(({ id }) => id)]);
      if (rows.some(({ id }) => id === bad?.eventId)) throw new Error("cannot count this");
      sizes.push(all.length);
    };
    const batches = await consume({ across: { pool: db.superuser, apply }, gatherMs: 50 });
    const good = [...records(30), ...records(30, orgB)].toSorted((a, b) => a.eventId.localeCompare(b.eventId));
    for (let round = 0; round < 2; round += 1) await publish(good);
    await until(async () => (await counted()).length === 60);
    expect(batches).toEqual([]);
    expect(Math.max(...sizes)).toBe(2);
    await publish([...records(5), bad as OutboxRecord]);
    await until(async () => (await counted()).length === 66);
    expect(batches).toContainEqual({ orgId: orgB, size: 1 });
    expect(new Set((await counted()).map(({ event_id }) => event_id)).size).toBe(66);
  });

  test("handles a lone event at once", async () => {
    await consume({ gatherMs: 60_000 });
    await publish(records(1));
    await until(async () => (await counted()).length === 1);
  });

  test("while it collects, many that wait are handled at once, and so are all when it stops", async () => {
    await consume({ gatherMs: 60_000 });
    await publish(records(1));
    await until(async () => (await counted()).length === 1);
    await publish(records(300));
    await until(async () => (await counted()).length >= 257);
    const left = 301 - (await counted()).length;
    await publish(records(3));
    await until(async () => (await bus.pending?.(durable)) === left + 3);
    for (const consumer of consumers) await consumer.stop();
    expect(await counted()).toHaveLength(304);
  });

  test("collects longer as long as events keep coming", async () => {
    const justAfter = { now: () => new Date("2026-11-20T17:00:01.000Z") };
    const batches = await consume({ longestGatherMs: 60_000, clock: justAfter });
    const isLarge = () => batches.some(({ size }) => size >= 64);
    for (let n = 0; n < 5_000 && !isLarge(); n += 1) {
      await publish(records(1));
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    expect(isLarge()).toBe(true);
  });

  test("an event that is delivered again has no further effect, in one process or in two", async () => {
    await consume();
    await consume();
    const all = records(60);
    for (let round = 0; round < 3; round += 1) await publish(all);
    const last = records(1);
    await publish(last);
    await until(async () => (await counted()).some(({ event_id }) => event_id === last[0]?.eventId));
    await until(async () => (await counted()).length >= 61);
    expect(await counted()).toHaveLength(61);
  });

  test("an event that fails takes no other with it, and ends in dead_event", async () => {
    const [bad] = records(1);
    await consume({
      maxDeliver: 3,
      applyBatch: async ({ client }, events) => {
        await count(client, events);
        if (events.some(({ id }) => id === bad?.eventId)) throw new Error("cannot count this");
      },
    });
    await publish([...records(20), bad as OutboxRecord, ...records(20)]);
    await until(async () => (await counted()).length === 40 && (await dead()).length === 1);
    expect(await dead()).toEqual([{ event_id: bad?.eventId }]);
    expect((await counted()).map(({ event_id }) => event_id)).not.toContain(bad?.eventId);
  });

  test("what is not an event ends in dead_event and holds nothing up", async () => {
    await consume({ maxDeliver: 2 });
    const [good] = records(1);
    await bus.publish([{ id: "x1", subject: "assent.click.session.created", data: "{" }]);
    await publish([good as OutboxRecord]);
    await until(async () => (await counted()).length === 1 && (await dead()).length === 1);
  });

  test("stops only after what it has begun", async () => {
    await consume();
    await publish(records(30));
    for (const consumer of consumers) await consumer.stop();
    const done = (await counted()).length;
    await new Promise((resolve) => setImmediate(resolve));
    expect(await counted()).toHaveLength(done);
  });
});
