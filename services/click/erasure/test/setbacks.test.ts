import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { createPool } from "#platform/db/pool.ts";
import type { EventBus } from "#platform/events/bus.ts";
import { createMemoryBus } from "#platform/events/memory.ts";
import { createNatsBus } from "#platform/events/nats.ts";
import { newId } from "#platform/ids.ts";
import { createLogger } from "#platform/logger.ts";
import { createMetrics } from "#platform/metrics.ts";
import { compareNudge } from "#platform/outbox/epochs.ts";
import { insertOutbox } from "#platform/outbox/outbox.ts";
import { createRelay } from "#platform/outbox/relay.ts";
import type { Worker } from "#platform/periodic.ts";
import { createTestDatabase, type TestDatabase } from "#platform/testing/database.ts";
import { until } from "#platform/testing/until.ts";
import { startNats } from "../../../../dev/nats.ts";
import { describeWithNats } from "../../../../dev/test/describe-with-nats.ts";
import { createSetbacks, type Setbacks } from "../erase-due.ts";

const logger = createLogger("test", "silent");
const clock = { now: () => new Date() };

let database: TestDatabase;
let relayPool: ReturnType<typeof createPool>;
let workers: Worker[];
beforeAll(async () => {
  database = await createTestDatabase();
  relayPool = createPool({ url: database.url, role: "assent_click_relay", max: 3, name: "test-setbacks" });
});
beforeEach(async () => {
  workers = [];
  await database.superuser.query(
    "truncate click.outbox, click.relay_state, click.relay_lease, click.relay_cursor restart identity",
  );
});
afterAll(async () => {
  await relayPool.end();
  await database.drop();
});

const startRelay = async (bus: EventBus): Promise<void> => {
  const metrics = createMetrics();
  const times = { pollMs: 20, leaseMs: 600 };
  const relay = createRelay({
    pool: relayPool,
    schema: "click",
    service: "click",
    ...{ bus, clock, logger, metrics, ...times },
  });
  await relay.start();
  workers.push(relay);
};
const stopRelays = async (): Promise<void> => {
  for (const worker of workers.splice(0)) await worker.stop();
};
/** A process that has asked nobody yet. */
const openOn = (bus: Pick<EventBus, "newestMark" | "nudge">): Setbacks & { gauge(): Promise<unknown> } => {
  const metrics = createMetrics();
  const gauge = async () =>
    Object.fromEntries(
      (await metrics.setbackUnconfirmed.get()).values.map(({ labels, value }) => [labels.service, value]),
    );
  return { ...createSetbacks({ bus, relayPool, clock, logger, metrics }), gauge };
};

describeWithNats("databases of several services", () => {
  let nats: Awaited<ReturnType<typeof startNats>>;
  let folder: string;
  let bus: EventBus;
  /** What the relays of the others say; those without an entry are away. */
  let others: Map<string, string>;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), "assent-test-setbacks-"));
    nats = await startNats({ storeDir: folder });
    bus = createNatsBus({ url: nats?.url ?? "", logger });
    others = new Map([
      ["sign", "1-0000000000000001"],
      ["templates", "1-0000000000000002"],
    ]);
    for (const service of ["sign", "templates"]) {
      bus.onNudge?.(compareNudge(service), () => {
        const epoch = others.get(service);
        if (epoch !== undefined) void bus.publish([], { service, epoch, position: 0, eventId: "" });
      });
    }
    await startRelay(bus);
  });
  afterEach(async () => {
    await stopRelays();
    await bus.close();
    await nats?.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  const open = () => openOn(bus);
  const all = ["click", "templates", "sign"] as const;
  const good = (setbacks: Setbacks, holders: typeof all | readonly ["click"] = all) =>
    until(() => setbacks.areConfirmed(holders));

  test("whose events are of a first epoch need no confirmation", async () => {
    await good(open());
    expect(await open().list()).toEqual([]);
    expect(await open().confirm("ann")).toBe(0);
  });

  test("sign's alone goes back: what depends on it waits for an operator, and what does not goes on", async () => {
    await good(open());
    others.set("sign", "2-00000000000000aa");
    const process = open();
    expect(await process.areConfirmed(all)).toBe(false);
    await good(process, ["click"]);
    expect(await process.gauge()).toMatchObject({ click: 0, sign: 1 });
    expect(await open().list()).toEqual([
      { service: "sign", epoch: "2-00000000000000aa", foundAt: expect.any(Date), confirmedAt: null, confirmedBy: null },
    ]);
    // Promoted without a loss meanwhile: that does not confirm what was before.
    others.set("sign", "3-00000000000000bb~2-00000000000000aa");
    expect(await open().areConfirmed(all)).toBe(false);
    expect(await open().confirm("ann")).toBe(1);
    expect(await open().confirm("bob")).toBe(0);
    await good(process);
    expect(await process.gauge()).toMatchObject({ sign: 0 });
    expect(await open().list()).toEqual([
      expect.objectContaining({ service: "sign", confirmedAt: expect.any(Date), confirmedBy: "ann" }),
    ]);
    others.set("sign", "4-00000000000000cc~2-00000000000000aa");
    await good(open());
    others.set("sign", "5-00000000000000dd");
    expect(await open().areConfirmed(all)).toBe(false);
  });

  test("that has gone back before anybody asked for the first time is confirmed as well", async () => {
    others.set("templates", "2-00000000000000aa");
    expect(await open().areConfirmed(["templates"])).toBe(false);
    expect(await open().confirm("ann")).toBe(1);
    await until(() => open().areConfirmed(["templates"]));
  });

  test("one that does not answer is not known to be complete", async () => {
    await good(open());
    others.delete("templates");
    expect(await open().areConfirmed(all)).toBe(false);
    await good(open(), ["click"]);
    expect(await open().list()).toEqual([]);
  });

  test("click's own lacks no leaf, and is noticed by the events that it has lost", async () => {
    const say = async () => {
      const [organizationId, eventId] = [newId(), newId()];
      await insertOutbox(database.superuser, "click", [
        { organizationId, eventId, subject: "assent.click.thing.made", data: "{}" },
      ]);
      const sql = "select from click.relay_cursor c join click.outbox o using (position) where o.event_id = $1";
      await until(async () => (await database.superuser.query(sql, [eventId])).rowCount === 1);
      return eventId;
    };
    await say();
    await good(open());
    const lost = await say();
    await stopRelays();
    await database.superuser.query("delete from click.outbox where event_id = $1", [lost]);
    await database.superuser.query("update click.relay_cursor set position = position - 1, gaps = '[]'");
    await startRelay(bus);
    const waits = open();
    await until(async () => (await waits.list()).length === 1);
    expect(await waits.areConfirmed(["click"])).toBe(false);
    expect(await waits.confirm("ann")).toBe(1);
    await good(waits);
  });

  test("nothing is known while NATS is away", async () => {
    await good(open());
    await nats?.stop();
    expect(await open().areConfirmed(["click"])).toBe(false);
  });
});

test("without NATS another server under the same process waits for an operator, and files put back cannot be told", async () => {
  const bus = {};
  const setbacks = () => openOn(bus);
  // Before any event.
  expect(await setbacks().areConfirmed(["click", "templates", "sign"])).toBe(true);
  const memory = createMemoryBus();
  await startRelay(memory);
  await insertOutbox(database.superuser, "click", [
    { organizationId: newId(), eventId: newId(), subject: "assent.click.thing.made", data: "{}" },
  ]);
  await until(async () => (await database.superuser.query("select from click.relay_cursor")).rowCount === 1);
  await stopRelays();
  expect(await setbacks().areConfirmed(["click"])).toBe(true);
  await database.superuser.query("update click.relay_state set store_id = '1 00000001 1' where name = 'database'");
  // Before the relay has looked.
  expect(await setbacks().areConfirmed(["click"])).toBe(false);
  await startRelay(memory);
  await until(async () => (await setbacks().list()).length === 1);
  expect(await setbacks().areConfirmed(["click"])).toBe(false);
  expect(await setbacks().confirm("ann")).toBe(1);
  expect(await setbacks().areConfirmed(["click"])).toBe(true);
  await stopRelays();
  await memory.close();
});
