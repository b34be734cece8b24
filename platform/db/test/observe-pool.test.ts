import { expect, test } from "@jest/globals";
import { createMetrics } from "../../metrics.ts";
import { createEmptyTestDatabase } from "../../testing/database.ts";
import { createPool, observePool } from "../pool.ts";

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
  const [small, large] = await Promise.all(pools.map((pool) => pool.connect()));
  const waiting = [pools[0]?.connect(), pools[0]?.connect()];
  large?.release();
  expect(await read()).toEqual([1, 0]);
  small?.release();
  const next = await waiting[0];
  expect(await read()).toEqual([1, 1]);
  next?.release();
  (await waiting[1])?.release();
  expect(await read()).toEqual([0, 0]);
  await Promise.all(pools.map((pool) => pool.end()));
  await database.drop();
});
