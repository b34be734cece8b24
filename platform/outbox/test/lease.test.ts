import { randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { createPool } from "../../db/pool.ts";
import { createLogger } from "../../logger.ts";
import { until } from "../../testing/until.ts";
import { createLease, type Lease } from "../relay.ts";
import { type OutboxDatabase, openOutboxDatabase, schema } from "./outbox-database.ts";

const logger = createLogger("test", "silent");
// A third of it is the margin within which the checks must run, on a busy machine too.
const leaseMs = 1_500;

let db: OutboxDatabase;
let leases: Lease[];

beforeAll(async () => {
  db = await openOutboxDatabase();
});
afterAll(() => db.close());
beforeEach(async () => {
  await db.reset();
  leases = [];
});
afterEach(async () => {
  for (const lease of leases) await lease.release();
});

const makeLease = (pool = db.relay): Lease => {
  const lease = createLease(pool, schema, { holder: randomUUID(), leaseMs, logger });
  leases.push(lease);
  return lease;
};

describe("createLease", () => {
  test("of many who ask at once one gets it", async () => {
    const all = Array.from({ length: 8 }, () => makeLease());
    const answers = await Promise.all(all.map((lease) => lease.acquire()));
    expect(answers.filter(Boolean)).toHaveLength(1);
    expect(all.filter((lease) => lease.isHeld())).toHaveLength(1);
  });

  test("is kept for longer than its time by renewal", async () => {
    const lease = makeLease();
    await lease.acquire();
    const deadline = performance.now() + leaseMs * 2;
    await until(async () => {
      expect(lease.isHeld()).toBe(true);
      return performance.now() > deadline && !(await makeLease().acquire());
    });
  });

  test("is free at once after release", async () => {
    const lease = makeLease();
    await lease.acquire();
    await lease.release();
    expect(lease.isHeld()).toBe(false);
    expect(await makeLease().acquire()).toBe(true);
  });

  test("a holder that cannot renew considers it lost before another one can have it", async () => {
    const pool = createPool({ url: db.database.url, role: "assent_shop_test_relay", name: "cut off", max: 1 });
    const lease = makeLease(pool);
    await lease.acquire();
    await pool.end();
    await until(() => !lease.isHeld());
    expect(await makeLease().acquire()).toBe(false);
    await until(() => makeLease().acquire());
  });

  test("a holder whose lease was taken learns it with the next renewal", async () => {
    const lease = makeLease();
    await lease.acquire();
    await db.superuser.query(
      `update ${schema}.relay_lease set holder = gen_random_uuid(), expires_at = clock_timestamp() + interval '1 hour'`,
    );
    await until(() => !lease.isHeld());
    expect(await lease.acquire()).toBe(false);
  });
});
