import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "@jest/globals";
import type pg from "pg";
import { type RunningNats, startNats } from "../../../dev/nats.ts";
import { describeWithNats } from "../../../dev/test/describe-with-nats.ts";
import type { EventBus } from "../../events/bus.ts";
import { createConsumer } from "../../events/consume.ts";
import { createBatchConsumer } from "../../events/consume-batches.ts";
import { createNatsBus } from "../../events/nats.ts";
import { createLogger, type Logger } from "../../logger.ts";
import { createMetrics, type Metrics } from "../../metrics.ts";
import type { Worker } from "../../periodic.ts";
import { backUpSchema } from "../../testing/database.ts";
import { until } from "../../testing/until.ts";
import { askRelay, beginEpoch, setbackOf } from "../epochs.ts";
import type { OutboxRecord } from "../outbox.ts";
import { createRelay } from "../relay.ts";
import { makeRecord, type OutboxDatabase, openOutboxDatabase, schema, write } from "./outbox-database.ts";

const silent = createLogger("test", "silent");

describeWithNats("what went back in time", () => {
  let db: OutboxDatabase;
  let folder: string;
  let nats: RunningNats;
  let buses: EventBus[];
  let running: Worker[];
  let metrics: Metrics;
  /** What was said at warn level. */
  let said: Record<string, unknown>[];
  let backups: Map<string, () => Promise<void>>;
  /** Whether what the database has lost may take effect, because NATS has forgotten that it did. */
  let hasGhosts: boolean;

  beforeAll(async () => {
    db = await openOutboxDatabase();
    await db.superuser.query(
      `create table ${schema}.effect (consumer text, event_id uuid); grant insert on ${schema}.effect to assent_shop_test`,
    );
  });
  afterAll(() => db.close());
  beforeEach(async () => {
    await db.reset();
    await db.superuser.query(`truncate ${schema}.effect`);
    folder = mkdtempSync(join(tmpdir(), "assent-test-restore-"));
    nats = (await startNats({ storeDir: folder })) as RunningNats;
    [buses, running, said, hasGhosts, backups] = [[], [], [], false, new Map()];
  });
  afterEach(async () => {
    await stop();
    await nats.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const logger = { ...silent, warn: (about: object) => void said.push({ ...about }) } as unknown as Logger;
  const openBus = (): EventBus => {
    const bus = createNatsBus({ url: nats.url, logger: silent });
    buses.push(bus);
    return bus;
  };
  const start = async (worker: Worker): Promise<Worker> => {
    await worker.start();
    running.push(worker);
    return worker;
  };
  const startRelay = () => {
    metrics = createMetrics();
    const clock = { now: () => new Date() };
    const pool = db.relay;
    const times = { pollMs: 20, leaseMs: 600 };
    return start(createRelay({ pool, schema, service: "click", clock, logger, metrics, bus: openBus(), ...times }));
  };
  const note = async (client: pg.ClientBase, consumer: string, ids: readonly string[]): Promise<void> => {
    await client.query(`insert into ${schema}.effect select $1, unnest($2::uuid[])`, [consumer, ids]);
  };
  const startConsumers = async () => {
    const subjects = ["assent.click.>"];
    const base = { pool: db.writer, schema, bus: openBus(), subjects, logger: silent, metrics: createMetrics() };
    const apply = (consumer: string) => ({
      durable: consumer,
      apply: ({ client }: { client: pg.ClientBase }, { id }: { id: string }) => note(client, consumer, [id]),
      applyBatch: ({ client }: { client: pg.ClientBase }, events: readonly { id: string }[]) =>
        note(
          client,
          consumer,
          events.map(({ id }) => id),
        ),
    });
    await start(createConsumer({ ...base, ...apply("one-by-one") }));
    await start(createBatchConsumer({ ...base, ...apply("batches"), gatherMs: 10 }));
  };
  /** Everything that runs, as before a restore. */
  const stop = async (): Promise<void> => {
    for (const worker of running.splice(0).reverse()) await worker.stop();
    for (const bus of buses.splice(0)) await bus.close();
  };
  const startAll = async (): Promise<void> => {
    await startRelay();
    await startConsumers();
  };
  const say = async (count: number): Promise<OutboxRecord[]> => {
    const records = Array.from({ length: count }, () => makeRecord());
    await write(db.writer, records);
    return records;
  };
  const isPublished = async (): Promise<boolean> => {
    const sql = `select from ${schema}.relay_cursor where position >= (select coalesce(max(position), 0) from ${schema}.outbox)`;
    return (await db.superuser.query(sql)).rowCount === 1;
  };
  const effects = async (): Promise<string[]> => {
    const known = hasGhosts ? `where event_id in (select event_id from ${schema}.outbox)` : "";
    const sql = `select consumer || ' ' || event_id as e from ${schema}.effect ${known} order by 1`;
    const found = await db.superuser.query(sql);
    return found.rows.map(({ e }) => e);
  };
  /** Resolves when each of these took effect for both consumers, and fails when any other did, or one did twice. */
  const tookEffect = async (...records: readonly OutboxRecord[][]): Promise<void> => {
    const ids = records.flat().map(({ eventId }) => eventId);
    const expected = ["batches", "one-by-one"].flatMap((name) => ids.map((id) => `${name} ${id}`)).sort();
    await until(async () => (await effects()).length >= expected.length && (await isPublished()));
    // What would come twice comes before what was published after it.
    const [last] = await say(1);
    await until(async () => (await effects()).filter((one) => one.endsWith(last?.eventId ?? "")).length === 2);
    await db.superuser.query(`delete from ${schema}.effect where event_id = $1`, [last?.eventId]);
    expect(await effects()).toEqual(expected);
  };
  const backUp = async (name: string): Promise<void> => {
    backups.set(name, await backUpSchema(db.superuser, schema));
  };
  const restore = (name: string) => backups.get(name)?.();
  /** What the relay says of its epoch when it is asked from another process. */
  const ask = async (timeoutMs = 60_000): Promise<string | undefined> => {
    const bus = openBus();
    if (bus.newestMark === undefined || bus.nudge === undefined) throw new Error("the bus outlives no process");
    const { newestMark, nudge } = bus;
    return (await askRelay({ newestMark, nudge }, "click", timeoutMs))?.epoch;
  };
  const epoch = async (): Promise<number> => (await metrics.outboxEpoch.get()).values[0]?.value ?? -1;
  const reasons = (): unknown[] => said.flatMap(({ reason }) => reason ?? []);

  /** Published before the backup and handled only after it, and what is lost with the time since. */
  const goOnAfterBackUp = async (name: string, ...early: readonly OutboxRecord[][]) => {
    await startRelay();
    const before = await say(3);
    await until(isPublished);
    await stop();
    const unpublished = await say(2);
    await backUp(name);
    await startAll();
    await tookEffect(...early, before, unpublished);
    const lost = await say(2);
    await tookEffect(...early, before, unpublished, lost);
    await stop();
    return [...before, ...unpublished];
  };

  test("beside a NATS that survived, what a restored database has takes effect once, and what it lost does not", async () => {
    const kept = await goOnAfterBackUp("first");
    await restore("first");
    await startAll();
    await tookEffect(kept);
    expect(await epoch()).toBe(2);
    expect(said).toEqual([
      expect.objectContaining({
        reason: "the database has lost events",
        epoch: expect.stringMatching(/^2-[0-9a-f]{16}$/),
        newest: expect.objectContaining({ epoch: expect.stringMatching(/^1-/) }),
      }),
    ]);
    const story = await db.superuser.query(`select store_id from ${schema}.relay_state where name like 'epoch 2-%'`);
    expect(JSON.parse(story.rows[0].store_id)).toMatchObject({ reason: "the database has lost events" });
    // The next relay finds nothing wrong.
    await stop();
    said = [];
    await startAll();
    await tookEffect(kept);
    expect([await epoch(), said]).toEqual([2, []]);
  });

  test("restored twice, and then to before another restore, it begins anew each time", async () => {
    const kept = await goOnAfterBackUp("first");
    await restore("first");
    await startAll();
    await tookEffect(kept);
    const since = await say(2);
    await tookEffect(kept, since);
    await stop();
    await backUp("second");
    const epochs: number[] = [];
    for (const [name, expected] of [
      ["first", [kept]],
      ["second", [kept, since]],
      ["second", [kept, since]],
      ["first", [kept]],
    ] as const) {
      await restore(name);
      await startAll();
      await tookEffect(...expected);
      epochs.push(await epoch());
      await stop();
    }
    expect(epochs).toEqual([3, 4, 5, 6]);
  });

  test("with a NATS that is empty as well, everything takes effect once", async () => {
    const kept = await goOnAfterBackUp("first");
    await restore("first");
    await nats.kill();
    rmSync(join(folder, "jetstream"), { recursive: true, force: true });
    await nats.restart();
    await startAll();
    await tookEffect(kept);
  });

  test("with a NATS that was put back too, to before and to after the database's backup, everything takes effect once", async () => {
    await startRelay();
    const early = await say(2);
    await until(isPublished);
    await nats.kill();
    cpSync(join(folder, "jetstream"), join(folder, "older"), { recursive: true });
    await nats.restart();
    await stop();
    const kept = await goOnAfterBackUp("first", early);
    await nats.kill();
    cpSync(join(folder, "jetstream"), join(folder, "newer"), { recursive: true });
    hasGhosts = true;
    for (const store of ["older", "newer"]) {
      await nats.kill();
      rmSync(join(folder, "jetstream"), { recursive: true });
      cpSync(join(folder, store), join(folder, "jetstream"), { recursive: true });
      await nats.restart();
      await restore("first");
      await startAll();
      await tookEffect(early, kept);
      await stop();
    }
  });

  test("a backup that has lain for a month still knows what took effect", async () => {
    await startAll();
    const kept = await say(3);
    await tookEffect(kept);
    await stop();
    await backUp("first");
    await startAll();
    await tookEffect(kept, await say(2));
    await stop();
    await restore("first");
    for (const [table, column] of [
      ["outbox", "created_at"],
      ["inbox", "received_at"],
      ["relay_cursor", "published_at"],
    ]) {
      await db.superuser.query(`update ${schema}.${table} set ${column} = ${column} - interval '30 days'`);
    }
    await startConsumers();
    await startRelay();
    await tookEffect(kept);
    expect(await epoch()).toBe(2);
  });

  test.each(["while the relay runs", "before another relay"])(
    "a NATS that was put back by itself, %s, gets what it has lost",
    async (when) => {
      const relay = await startRelay();
      const stored = await say(2);
      await until(isPublished);
      await nats.kill();
      cpSync(join(folder, "jetstream"), join(folder, "older"), { recursive: true });
      await nats.restart();
      const forgotten = await say(2);
      await until(isPublished);
      if (when === "before another relay") await relay.stop();
      await nats.kill();
      rmSync(join(folder, "jetstream"), { recursive: true });
      cpSync(join(folder, "older"), join(folder, "jetstream"), { recursive: true });
      await nats.restart();
      if (when === "before another relay") await startRelay();
      await startConsumers();
      await tookEffect(stored, forgotten);
      expect(reasons()).toEqual(["the bus has lost events"]);
    },
  );

  test("a database that lost its last commits under a running relay begins anew", async () => {
    await startRelay();
    const kept = await say(2);
    await until(isPublished);
    await backUp("first");
    await startConsumers();
    await say(3);
    await until(async () => (await effects()).length === 10);
    await restore("first");
    await tookEffect(kept);
    expect(reasons()).toEqual(["the database has lost events"]);
  });

  test("another database with the same events publishes those of the last hour again, which consumers may have lost", async () => {
    await startRelay();
    await say(1);
    await until(isPublished);
    await db.superuser.query(`update ${schema}.outbox set created_at = now() - interval '2 hours'`);
    const recent = await say(2);
    await until(isPublished);
    await backUp("first");
    await startConsumers();
    await until(async () => (await effects()).length === 6);
    await stop();
    await restore("first");
    const identity = `update ${schema}.relay_state set store_id = '1 00000001 1' where name = 'database'`;
    await db.superuser.query(identity);
    await startAll();
    await until(async () => (await effects()).length >= 4);
    expect(await effects()).toEqual(
      ["batches", "one-by-one"].flatMap((name) => recent.map(({ eventId }) => `${name} ${eventId}`)).sort(),
    );
    // The stream vouches for it: nothing was lost.
    const moved = await ask();
    expect([moved, setbackOf(moved ?? "")]).toEqual([
      expect.stringMatching(/^2-[0-9a-f]{16}~1-[0-9a-f]{16}$/),
      expect.stringMatching(/^1-/),
    ]);
  });

  test("another database beside a stream that is gone may lack anything", async () => {
    await startRelay();
    await say(1);
    await until(isPublished);
    await stop();
    await nats.stop();
    rmSync(folder, { recursive: true, force: true });
    nats = (await startNats({ storeDir: folder })) as RunningNats;
    const identity = `update ${schema}.relay_state set store_id = '1 00000001 1' where name = 'database'`;
    await db.superuser.query(identity);
    await startRelay();
    expect(setbackOf((await ask()) ?? "")).toMatch(/^2-/);
  });

  test("a relay that is asked compares again, also when nothing was ever published; nobody answers for it", async () => {
    expect(await ask(100)).toBeUndefined();
    await startRelay();
    const first = await ask();
    expect(first).toMatch(/^1-[0-9a-f]{16}$/);
    await say(2);
    await until(isPublished);
    await backUp("first");
    await say(1);
    await until(isPublished);
    expect(await ask()).toBe(first);
    // The relay goes on with its connections, as when a server is put back under it.
    await restore("first");
    expect(setbackOf((await ask()) ?? "")).toMatch(/^2-/);
    expect(reasons()).toEqual(["the database has lost events"]);
  });

  test("whoever else finds that the database went back begins an epoch under the running relay", async () => {
    await startAll();
    const all = await say(3);
    await tookEffect(all);
    await db.superuser.query(`delete from ${schema}.inbox; delete from ${schema}.effect`);
    await beginEpoch(db.relay, schema, { reason: "the log's witness knows more" });
    await until(async () => (await effects()).length >= 8);
    await until(async () => (await epoch()) === 2);
    expect((await effects()).filter((one) => all.some(({ eventId }) => one.endsWith(eventId)))).toHaveLength(6);
    await stop();
    await startAll();
    await until(async () => (await epoch()) === 2);
    expect(reasons()).toEqual([]);
  });
});
