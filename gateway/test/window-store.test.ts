import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import pg from "pg";
import { createPool } from "#platform/db/pool.ts";
import { createTestDatabase, type TestDatabase } from "#platform/testing/database.ts";
import { createWindowStore } from "../limits/window-store.ts";

let database: TestDatabase;
let pools: pg.Pool[];

beforeAll(async () => {
  database = await createTestDatabase();
  pools = ["a", "b", "c", "d"].map((name) =>
    createPool({ url: database.url, role: "assent_gateway", name, max: 2, synchronousCommit: false }),
  );
});

afterAll(async () => {
  await Promise.all(pools.map((pool) => pool.end()));
  await database.drop();
});

beforeEach(async () => {
  await asSuperuser("truncate gateway.rate_window");
});

async function asSuperuser(sql: string): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString: database.superuserUrl });
  await client.connect();
  try {
    return await client.query(sql);
  } finally {
    await client.end();
  }
}

const storeOf = (index: number) => createWindowStore(pools[index % pools.length] as pg.Pool);

/** Runs again when a window has ended in between, which a test of one window cannot tell from a defect. */
async function withinOneWindow<T extends { windowStart: number }[]>(run: () => Promise<T>): Promise<T> {
  const states = await run();
  if (new Set(states.map(({ windowStart }) => windowStart)).size === 1) return states;
  await asSuperuser("truncate gateway.rate_window");
  return run();
}

describe("take", () => {
  test("grants exactly what is left", async () => {
    const store = storeOf(0);
    const states = await withinOneWindow(async () => {
      const taken = [];
      for (const count of [3, 4, 5, 1]) {
        taken.push((await store.take([{ bucket: "a", count, limit: 10 }])).get("a") ?? fail());
      }
      return taken;
    });
    expect(states.map(({ granted, used }) => [granted, used])).toEqual([
      [3, 3],
      [4, 7],
      [3, 10],
      [0, 10],
    ]);
  });

  test("the first take of a window cannot exceed the limit either", async () => {
    const state = (await storeOf(0).take([{ bucket: "a", count: 5, limit: 2 }])).get("a");
    expect(state).toMatchObject({ granted: 2, used: 2 });
  });

  test("a limit that was lowered below what is used grants nothing, and a raised one the rest", async () => {
    const store = storeOf(0);
    const states = await withinOneWindow(async () => {
      const taken = [];
      for (const [count, limit] of [
        [5, 5],
        [1, 3],
        [9, 8],
      ] as const) {
        taken.push((await store.take([{ bucket: "a", count, limit }])).get("a") ?? fail());
      }
      return taken;
    });
    expect(states.map(({ granted, used }) => [granted, used])).toEqual([
      [5, 5],
      [0, 5],
      [3, 8],
    ]);
  });

  test("windows are those of the database's clock", async () => {
    const state = (await storeOf(0).take([{ bucket: "a", count: 1, limit: 1 }])).get("a") ?? fail();
    const { rows } = await asSuperuser("select extract(epoch from now())::float8 as now");
    expect(state.windowStart % 60).toBe(0);
    expect(state.windowStart + 60 - state.secondsLeft).toBeCloseTo(rows[0].now, -1);
  });

  test("four replicas that take many buckets at once grant exactly each limit", async () => {
    const limit = 100;
    const buckets = ["a", "b", "c"];
    const states = await withinOneWindow(async () => {
      const rounds = Array.from({ length: 40 }, (_, n) =>
        storeOf(n).take(buckets.toSorted(() => (n % 2 === 0 ? 1 : -1)).map((bucket) => ({ bucket, count: 7, limit }))),
      );
      return (await Promise.all(rounds)).flatMap((taken) =>
        [...taken].map(([bucket, state]) => ({ bucket, ...state })),
      );
    });
    for (const bucket of buckets) {
      const granted = states.filter((state) => state.bucket === bucket).reduce((sum, state) => sum + state.granted, 0);
      expect(granted).toBe(limit);
    }
  });
});

describe("deleteOld", () => {
  test("four gateways that delete at once do not wait for each other, and leave nothing", async () => {
    await asSuperuser(`insert into gateway.rate_window (window_start, bucket, used, granted, budget)
      select date_trunc('minute', now()) - make_interval(mins => 5 + b % 3), 'b' || b, 1, 1, 1
      from generate_series(1, 2000) as b`);
    const deleted = await Promise.all(Array.from({ length: 4 }, (_, n) => storeOf(n).deleteOld(500)));
    expect(deleted.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(2_000);
    while ((await storeOf(0).deleteOld(500)) > 0);
    const { rows } = await asSuperuser("select count(*)::int as left from gateway.rate_window");
    expect(rows[0].left).toBe(0);
  });

  test("deletes windows that ended a period ago, in batches", async () => {
    await asSuperuser(`insert into gateway.rate_window (window_start, bucket, used, granted, budget)
      select date_trunc('minute', now()) - make_interval(mins => m), 'a', 1, 1, 1 from generate_series(0, 9) as m`);
    const store = storeOf(0);
    expect(await store.deleteOld(5)).toBe(5);
    expect(await store.deleteOld(5)).toBeGreaterThanOrEqual(2);
    expect(await store.deleteOld(5)).toBe(0);
    const { rows } = await asSuperuser("select count(*)::int as left from gateway.rate_window");
    expect(rows[0].left).toBeGreaterThanOrEqual(2);
  });
});

function fail(): never {
  throw new Error("the bucket is missing in the answer");
}
