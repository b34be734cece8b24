import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import type { BusEvent, EventBus } from "../../events/bus.ts";
import { createLogger } from "../../logger.ts";
import { createMetrics, type Metrics } from "../../metrics.ts";
import { terminateSessions } from "../../testing/database.ts";
import { until } from "../../testing/until.ts";
import type { OutboxRecord } from "../outbox.ts";
import { createRelay, type Relay, type RelayOptions } from "../relay.ts";
import { makeRecord, type OutboxDatabase, openOutboxDatabase, orgA, orgB, schema, write } from "./outbox-database.ts";

const logger = createLogger("test", "silent");

let db: OutboxDatabase;
let metrics: Metrics;
let published: string[];
let relays: Relay[];

beforeAll(async () => {
  db = await openOutboxDatabase();
});
afterAll(() => db.close());
beforeEach(async () => {
  await db.reset();
  metrics = createMetrics();
  published = [];
  relays = [];
});
afterEach(async () => {
  for (const relay of relays) await relay.stop();
});

/** A bus that notes what it was given; `publish` can be replaced. */
const makeBus = (options: Partial<EventBus> = {}): EventBus => ({
  publish: async (events) => note(events),
  subscribe: () => Promise.reject(new Error("not used")),
  isConnected: () => true,
  close: async () => {},
  ...options,
});
const note = (events: readonly BusEvent[]): void => void published.push(...events.map((event) => event.id));

const makeRelay = (options: Partial<RelayOptions> = {}): Relay => {
  const clock = { now: () => new Date() };
  const relay = createRelay({
    ...{ pool: db.relay, schema, service: "shop", clock, logger, metrics, bus: makeBus(), pollMs: 20, leaseMs: 600 },
    ...options,
  });
  relays.push(relay);
  return relay;
};
const records = (count: number, org = orgA): OutboxRecord[] => Array.from({ length: count }, () => makeRecord(org));
const ids = (list: readonly OutboxRecord[]): string[] => list.map((record) => record.eventId);
const cursorCondition = `coalesce((select position from ${schema}.relay_cursor), 0)`;
const count = async (condition: string): Promise<number> => {
  const found = await db.superuser.query<{ n: number }>(
    `select count(*)::integer as n from ${schema}.outbox where ${condition}`,
  );
  return found.rows[0]?.n ?? -1;
};
/** Makes the first rows look as if they had been written so long ago. */
const age = (rows: number, interval: string) =>
  db.superuser.query(
    `update ${schema}.outbox set created_at = now() - interval '${interval}'
     where position in (select position from ${schema}.outbox order by position limit ${rows})`,
  );
const allMarked = async (): Promise<boolean> => (await count(`position > ${cursorCondition}`)) === 0;

describe("createRelay", () => {
  test("publishes what is there and what comes, of all organizations, once and in order, and marks it", async () => {
    const before = records(450);
    await write(db.writer, before);
    const relay = makeRelay();
    await relay.start();
    await until(() => published.length === 450);
    const after = records(10, orgB);
    await write(db.writer, after);
    relay.wake();
    await until(() => published.length === 460);
    expect(published).toEqual([...ids(before), ...ids(after)]);
    await until(allMarked);
    const counted = await metrics.outboxPublished.get();
    expect(counted.values.map(({ labels, value }) => [labels.service, value])).toEqual([["shop", 460]]);
  });

  test("a row whose transaction commits after a later one is not skipped", async () => {
    const relay = makeRelay();
    await relay.start();
    const slow = await db.writer.connect();
    await slow.query(`begin; select set_config('app.org_id', '${orgA}', true)`);
    const early = makeRecord();
    await slow.query(
      `insert into ${schema}.outbox (organization_id, event_id, subject, data) values ($1, $2, $3, $4)`,
      [orgA, early.eventId, early.subject, early.data],
    );
    const late = makeRecord();
    await write(db.writer, [late]);
    await until(() => published.length === 1);
    await slow.query("commit");
    slow.release();
    await until(() => published.length === 2);
    expect(published).toEqual([late.eventId, early.eventId]);
  });

  test("of two relays one is active, and the other takes over at once when it stops", async () => {
    const active = makeRelay();
    const taken: string[] = [];
    const standby = makeRelay({
      bus: makeBus({ publish: async (events) => void taken.push(...events.map((event) => event.id)) }),
    });
    await active.start();
    await write(db.writer, records(1));
    await until(() => published.length === 1);
    await standby.start();
    await write(db.writer, records(20));
    await until(() => published.length === 21);
    expect(taken).toEqual([]);
    await active.stop();
    await write(db.writer, records(1));
    await until(() => taken.length === 1);
  });

  test("what a process writes that has not the lease is published at once by the one that has it", async () => {
    const listeners = new Set<() => void>();
    const shared: Partial<EventBus> = {
      nudge: () => {
        for (const listener of listeners) listener();
      },
      onNudge: (_name, listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    };
    const slow = { pollMs: 600_000, leaseMs: 60_000 };
    const active = makeRelay({ ...slow, bus: makeBus(shared) });
    await write(db.writer, records(1));
    await active.start();
    await until(() => published.length === 1);
    const standby = makeRelay({ ...slow, bus: makeBus({ ...shared, publish: () => Promise.reject(new Error("no")) }) });
    await standby.start();
    await write(db.writer, records(1));
    standby.wake();
    await until(() => published.length === 2);
  });

  test("what nobody tells of is published all the same, also after a long quiet time", async () => {
    await makeRelay({ pollMs: 10 }).start();
    // Ten looks are enough to be as slow as it gets.
    let looks = 0;
    db.relay.on("acquire", () => {
      looks += 1;
    });
    await until(() => looks >= 10);
    db.relay.removeAllListeners("acquire");
    await write(db.writer, records(1));
    await until(() => published.length === 1);
  });

  test("the lease of a relay that died is taken over when it has run out", async () => {
    await db.superuser.query(
      `insert into ${schema}.relay_lease values ('relay', gen_random_uuid(), clock_timestamp() + interval '500 ms')`,
    );
    const started = performance.now();
    const relay = makeRelay();
    await relay.start();
    await write(db.writer, records(1));
    relay.wake();
    await until(() => published.length === 1);
    expect(performance.now() - started).toBeGreaterThan(400);
  });

  test("a batch that was published but not marked is published again with the same ids", async () => {
    const batch = records(3);
    await write(db.writer, batch);
    const permit = (verb: string) => db.superuser.query(verb);
    let calls = 0;
    const bus = makeBus({
      publish: async (events) => {
        note(events);
        calls += 1;
        // The mark after the first publication fails, as when the relay dies in between.
        if (calls === 1) await permit(`revoke insert, update on ${schema}.relay_cursor from assent_shop_test_relay`);
        else await permit(`grant insert, update on ${schema}.relay_cursor to assent_shop_test_relay`);
      },
    });
    await makeRelay({ bus }).start();
    await until(allMarked);
    expect(published).toEqual([...ids(batch), ...ids(batch)]);
  });

  test("goes on after the database broke off its connections", async () => {
    const batch = records(2);
    await write(db.writer, batch);
    const bus = makeBus({
      publish: async (events) => {
        note(events);
        await terminateSessions(db.database, "relay");
      },
    });
    await makeRelay({ bus, batchSize: 1 }).start();
    await until(allMarked);
    expect([...new Set(published)]).toEqual(ids(batch));
  });

  test("when the bus refuses, the same batch is tried until it takes it, and the rest follows in order", async () => {
    const batch = records(5);
    await write(db.writer, batch);
    let refusals = 3;
    const bus = makeBus({
      publish: async (events) => {
        refusals -= 1;
        if (refusals >= 0) throw new Error("NATS cannot be reached");
        note(events);
      },
    });
    const lines: string[] = [];
    const written = createLogger("shop", "info", { write: (line: string) => void lines.push(line) });
    await makeRelay({ bus, batchSize: 2, logger: written }).start();
    await until(() => published.length === 5);
    expect(published).toEqual(ids(batch));
    await until(() => lines.length === 2);
    for (const line of lines) {
      expect(JSON.parse(line)).toMatchObject({ service: "shop", outbox: "shop" });
      // Readers of JSON differ in which of two members they take.
      expect(line.match(/"service":/g)).toHaveLength(1);
    }
  });

  test("the lag is the age of the oldest unpublished row, during an outage of the bus as well", async () => {
    await write(db.writer, records(2));
    await db.superuser.query(`update ${schema}.outbox set created_at = now() - interval '1 minute'`);
    let isUp = false;
    const bus = makeBus({ publish: () => (isUp ? Promise.resolve() : Promise.reject(new Error("down"))) });
    const lag = async () => (await metrics.outboxLagSeconds.get()).values[0]?.value ?? -1;
    await makeRelay({ bus }).start();
    await until(async () => (await lag()) >= 60);
    isUp = true;
    await until(async () => (await lag()) === 0);
  });

  test("published rows that are older than 7 days are deleted, others are kept", async () => {
    await write(db.writer, records(3));
    await age(1, "8 days");
    await makeRelay().start();
    await until(async () => (await count("true")) === 2);
    expect(await allMarked()).toBe(true);
  });

  test("what is older than 7 days but not published yet is published before it is deleted", async () => {
    const batch = records(3);
    await write(db.writer, batch);
    await age(3, "8 days");
    await makeRelay().start();
    await until(async () => (await count("true")) === 0);
    expect(published).toEqual(ids(batch));
  });

  test("what came late in a gap and is older than 7 days is published before it is deleted", async () => {
    const batch = records(5);
    await write(db.writer, batch);
    await age(5, "8 days");
    const gap = { from: 1, to: 4, before: "1", since: Date.now() };
    await db.superuser.query(
      `insert into ${schema}.relay_cursor (name, position, gaps, published_at) values ('outbox', 5, $1, now())`,
      [JSON.stringify([gap])],
    );
    await makeRelay({ batchSize: 2 }).start();
    await until(() => published.length === 4);
    expect(published).toEqual(ids(batch.slice(0, 4)));
  });

  test("publishes what comes after a failover to a database that lagged behind", async () => {
    await write(db.writer, records(4));
    await makeRelay().start();
    await until(allMarked);
    await db.superuser.query(
      `begin; lock table ${schema}.outbox; delete from ${schema}.outbox where position > 2;
       alter table ${schema}.outbox alter position restart with 3;
       update ${schema}.relay_cursor set position = 2, gaps = '[]'; commit`,
    );
    await terminateSessions(db.database, "relay");
    const next = records(1);
    await write(db.writer, next);
    await until(() => published.includes(next[0]?.eventId ?? ""));
    await until(allMarked);
  });

  test("with a bus that forgets, what was written shortly before the last publication is published again", async () => {
    const batch = records(3);
    await write(db.writer, batch);
    await age(2, "20 minutes");
    const first = makeRelay();
    await first.start();
    await until(allMarked);
    await first.stop();
    published = [];
    await makeRelay({ bus: makeBus({ volatile: true }) }).start();
    await until(() => published.length > 0);
    await until(allMarked);
    expect(published).toEqual([batch[2]?.eventId]);
  });

  test("a position that was rolled back does not hold up what follows", async () => {
    const lost = await db.writer.connect();
    await lost.query(`begin; select set_config('app.org_id', '${orgA}', true)`);
    await lost.query(
      `insert into ${schema}.outbox (organization_id, event_id, subject, data) values ($1, $1, '', '')`,
      [orgA],
    );
    await lost.query("rollback");
    lost.release();
    const batch = records(2);
    await write(db.writer, batch);
    const relay = makeRelay();
    await relay.start();
    await until(allMarked);
    await relay.stop();
    // The next relay knows of the gap and publishes nothing twice.
    await makeRelay().start();
    const next = records(1);
    await write(db.writer, next);
    await until(() => published.length === 3);
    expect(published).toEqual([...ids(batch), ...ids(next)]);
  });

  test("when the bus lost its store, everything that is kept is published again in order", async () => {
    const batch = records(3);
    await write(db.writer, batch);
    let store: string | undefined;
    const bus = makeBus({ storeId: () => store });
    const relay = makeRelay({ bus });
    await relay.start();
    await until(allMarked);
    store = "first";
    await write(db.writer, records(1));
    await until(() => published.length === 4);
    published = [];
    store = "second";
    await until(() => published.length === 4);
    expect(published.slice(0, 3)).toEqual(ids(batch));
    await until(allMarked);
    await relay.stop();
    // The next relay finds the store that its predecessor knew.
    published = [];
    await makeRelay({ bus }).start();
    await write(db.writer, records(1));
    await until(() => published.length > 0);
    expect(published).toHaveLength(1);
  });

  test("stopping waits for the batch that is under way", async () => {
    let release: (() => void) | undefined;
    const bus = makeBus({
      publish: async (events) => {
        await new Promise<void>((resolve) => (release = resolve));
        note(events);
      },
    });
    const relay = makeRelay({ bus });
    await write(db.writer, records(2));
    await relay.start();
    await until(() => release !== undefined);
    const stopping = relay.stop();
    release?.();
    await stopping;
    expect(published).toHaveLength(2);
    expect(await allMarked()).toBe(true);
    expect(await count("true")).toBe(2);
  });
});
