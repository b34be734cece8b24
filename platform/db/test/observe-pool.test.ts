import { expect, test } from "@jest/globals";
import { createMetrics } from "../../metrics.ts";
import { createFaultProxy } from "../../net/fault-proxy.ts";
import { createEmptyTestDatabase, overNetwork } from "../../testing/database.ts";
import { until } from "../../testing/until.ts";
import { observePool } from "../observe-pool.ts";
import { createPool } from "../pool.ts";

test("the pool metrics show connections in use and callers that wait, of all pools of a service", async () => {
  const database = await createEmptyTestDatabase();
  const metrics = createMetrics();
  const pools = [1, 2].map((max) => createPool({ url: database.url, name: "test", max }));
  for (const pool of pools) observePool(pool, "shop", metrics);
  const read = async () => [
    (await metrics.poolInUse.get()).values[0]?.value,
    (await metrics.poolWaiting.get()).values[0]?.value,
  ];
  expect(await read()).toEqual([0, 0]);
  expect((await metrics.poolSize.get()).values[0]?.value).toBe(3);
  const [small, large] = await Promise.all(pools.map((pool) => pool.connect()));
  const waiting = [pools[0]?.connect(), pools[0]?.connect()];
  large?.release();
  expect(await read()).toEqual([1, 2]);
  small?.release();
  const next = await waiting[0];
  expect(await read()).toEqual([1, 1]);
  next?.release();
  (await waiting[1])?.release();
  expect(await read()).toEqual([0, 0]);
  expect(await metrics.registry.metrics()).toContain('assent_pool_wait_seconds_count{service="shop"} 4');
  await Promise.all(pools.map((pool) => pool.end()));
  await database.drop();
});

test("statements are measured by their names, and by nothing that they contain", async () => {
  const database = await createEmptyTestDatabase();
  const metrics = createMetrics();
  const pool = createPool({ url: database.url, name: "test", max: 1 });
  observePool(pool, "shop", metrics);
  await pool.query({ name: "find-shop", text: "select $1::text", values: ["secret"] });
  await pool.query("select 'secret'");
  await expect(pool.query("drop table secret")).rejects.toThrow();
  const client = await pool.connect();
  await client.query("begin");
  await new Promise((resolve) => client.query("rollback", resolve));
  client.release();
  for (let at = 0; at < 200; at += 1) await pool.query({ name: `many-${at}`, text: "select 1" });
  const text = await metrics.registry.metrics();
  const labels = [...text.matchAll(/^assent_statement_duration_seconds_count\{(.*)\} (\d+)$/gm)].map(
    ([, of, count]) => [of, Number(count)],
  );
  const counts = Object.fromEntries(labels);
  const of = (statement: string) => counts[`service="shop",statement="${statement}"`];
  expect(["find-shop", "select", "begin", "rollback", "many-0"].map(of)).toEqual([1, 1, 1, 1, 1]);
  // The statement that failed, and the names that are too many.
  expect(of("other")).toBeGreaterThan(50);
  expect(labels.length).toBeLessThan(170);
  expect(text).not.toContain("secret");
  await pool.end();
  await database.drop();
});

test("a database that hangs is down, and those who wait for it are counted", async () => {
  const database = await createEmptyTestDatabase();
  const { hostname: host, port } = new URL(overNetwork(database.url));
  const proxy = await createFaultProxy({ host, port: Number(port) });
  const url = new URL(overNetwork(database.url));
  url.host = `127.0.0.1:${proxy.port}`;
  const metrics = createMetrics();
  const pool = createPool({ url: url.href, name: "test", max: 1, statementTimeoutMs: 1_000 });
  observePool(pool, "shop", metrics);
  expect(await metrics.registry.metrics()).toContain('assent_database_up{service="shop"} 1');
  proxy.setMode("hold-answers");
  const waiting = [1, 2, 3].map(() => pool.query("select 1").catch(() => undefined));
  await until(async () => {
    const text = await metrics.registry.metrics();
    return /^assent_database_up\{service="shop"\} 0$/m.test(text) && /^assent_pool_waiting\{.*\} [1-9]/m.test(text);
  });
  proxy.setMode("pass");
  await Promise.all(waiting);
  await until(async () => (await metrics.registry.metrics()).includes('assent_database_up{service="shop"} 1'));
  await pool.end();
  await proxy.close();
  await database.drop();
});

test("the age of the base backup is that of the one that was noted; absent without a note, and with one that is no time; 0 when somebody else watches", async () => {
  const database = await createEmptyTestDatabase();
  const metrics = createMetrics();
  const pool = createPool({ url: database.url, name: "backups" });
  observePool(pool, "click", metrics);
  const age = async () => (await metrics.baseBackupSeconds.get()).values[0]?.value;
  const note = (text: string) =>
    database.superuser.query(
      `do $$ begin execute format('alter database %I set assent.base_backup = %L', current_database(), '${text}'); end $$`,
    );
  try {
    expect(await age()).toBeUndefined();
    const noted = new Date(Date.now() - 40 * 3_600_000);
    await note(`${noted.toISOString().slice(0, 19)}Z`);
    expect(((await age()) ?? 0) / 3_600).toBeCloseTo(40, 0);
    await note("last night");
    expect(await age()).toBeUndefined();
    await note("elsewhere");
    expect(await age()).toBe(0);
  } finally {
    await pool.end();
    await database.drop();
  }
});

test("the end of the database's own certificate is that of the latest connection, and absent without TLS", async () => {
  const metrics = createMetrics();
  const pools = ["shop", "stock"].map((name) => ({
    name,
    pool: createPool({ url: "postgres://127.0.0.1:1/none", name }),
  }));
  for (const { name, pool } of pools) observePool(pool, name, metrics);
  const connect = (at: number, stream: object) =>
    pools[at]?.pool.emit("connect", { on: () => undefined, query: () => undefined, connection: { stream } } as never);
  const end = async () => (await metrics.certificateEnd.get()).values;
  connect(0, {});
  expect(await end()).toEqual([]);
  for (const [at, year] of [2030, 2031].entries()) {
    connect(at, { getPeerCertificate: () => ({ valid_to: `Jan  1 00:00:00 ${year} GMT` }) });
    const value = Date.UTC(year, 0, 1) / 1_000;
    expect(await end()).toEqual([{ labels: { certificate: "database" }, value }]);
  }
  await Promise.all(pools.map(({ pool }) => pool.end()));
});
