import { randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import type pg from "pg";
import { createPool, withOrg } from "#platform/db/pool.ts";
import { newId, type OrgId, parseOrgId } from "#platform/ids.ts";
import { createLogger } from "#platform/logger.ts";
import type { QueueWorker } from "#platform/periodic.ts";
import { createTestDatabase, type TestDatabase } from "#platform/testing/database.ts";
import { until } from "#platform/testing/until.ts";
import type { JobKind } from "../../agreement/change.ts";
import { claimJobs } from "../claim-store.ts";
import type { Hold, Job, JobHandler, JobOutcome } from "../job.ts";
import { createJobLoop, type JobLoopDeps } from "../job-loop.ts";
import { insertJobs } from "../job-store.ts";

let database: TestDatabase;
let pool: pg.Pool;
let claimerPool: pg.Pool;
let superuser: pg.Pool;
let orgId: OrgId;
let loops: QueueWorker[] = [];
let gates: PromiseWithResolvers<void>[] = [];
let time: Date;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool({ url: database.url, role: "assent_sign", max: 8, name: "sign" });
  claimerPool = createPool({ url: database.url, role: "assent_sign_claimer", max: 4, name: "sign-claimer" });
  superuser = database.superuser;
});
beforeEach(async () => {
  orgId = parseOrgId(randomUUID()) as OrgId;
  time = new Date();
  await superuser.query("delete from sign.job");
});
afterEach(async () => {
  for (const gate of gates) gate.resolve();
  gates = [];
  await Promise.all(loops.map((loop) => loop.stop()));
  loops = [];
});
afterAll(async () => {
  await Promise.all([pool.end(), claimerPool.end()]);
  await database.drop();
});

/** What a handler waits at; open after the test whatever becomes of it, or its loop would never stop. */
function newGate(): PromiseWithResolvers<void> {
  const gate = Promise.withResolvers<void>();
  gates.push(gate);
  return gate;
}

const done: JobOutcome = { kind: "done" };

const handlerOf = (run: JobHandler["run"], given: Partial<JobHandler> = {}): JobHandler => ({
  ...{ concurrency: 4, maxAttempts: 3, run },
  ...given,
});

async function startLoop(handlers: JobLoopDeps["handlers"]): Promise<QueueWorker> {
  const logger = createLogger("sign", "silent");
  const loop = createJobLoop({ pool, claimerPool, clock: { now: () => time }, logger, handlers });
  loops.push(loop);
  await loop.start();
  return loop;
}

const ask = (kind: JobKind, keys: readonly string[], runAt = time): Promise<void> =>
  withOrg(pool, orgId, (tenant) =>
    insertJobs(
      tenant,
      { caller: { orgId, requestId: "request-1", traceparent: "" }, agreementId: null, newId, now: time },
      keys.map((key) => ({ kind, key, runAt, payload: { key } })),
    ),
  );

interface Row {
  readonly key: string;
  readonly attempts: number;
  readonly claim: string | null;
  readonly run_at: Date;
  readonly failed_at: Date | null;
  readonly last_error: string | null;
}

async function rows(): Promise<Row[]> {
  return (await superuser.query<Row>("select * from sign.job order by key")).rows;
}

const isEmpty = async (): Promise<boolean> => (await rows()).length === 0;

describe("the job loop", () => {
  test("two loops do each job once, and none at the same time", async () => {
    const begun: string[] = [];
    const atOnce = new Set<string>();
    let overlaps = 0;
    const run = async ({ key, attempts, requestId }: Job): Promise<JobOutcome> => {
      if (atOnce.has(key)) overlaps += 1;
      atOnce.add(key);
      begun.push(`${key} ${attempts} ${requestId}`);
      await new Promise((resolve) => setImmediate(resolve));
      atOnce.delete(key);
      return done;
    };
    const keys = Array.from({ length: 60 }, (_, index) => `k${index}`);
    await ask("mail", keys);
    await Promise.all([startLoop({ mail: handlerOf(run) }), startLoop({ mail: handlerOf(run) })]);
    await until(isEmpty);
    expect(begun.sort()).toEqual(keys.map((key) => `${key} 1 request-1`).sort());
    expect(overlaps).toBe(0);
  });

  test("a claim takes no more jobs than it may, however few the database believes there are", async () => {
    const tomorrow = new Date(time.getTime() + 86_400_000);
    await ask("mail", ["later"], tomorrow);
    // With one row known, a plan that looks for due jobs once more for each row seems as good as any other.
    await superuser.query("analyze sign.job");
    await ask("mail", ["a", "b", "c", "d"]);
    const claim = randomUUID();
    expect(await claimJobs(claimerPool, { kind: "mail", limit: 1, now: time, claim })).toHaveLength(1);
    expect((await rows()).filter((row) => row.claim === claim)).toHaveLength(1);
  });

  test("a job is asked for once while it waits, and waits for its time", async () => {
    const begun: string[] = [];
    const loop = await startLoop({
      mail: handlerOf(async ({ key }) => {
        begun.push(key);
        return done;
      }),
    });
    await ask("mail", ["later", "later"], new Date(time.getTime() + 86_400_000));
    await ask("mail", ["later", "now"]);
    loop.wake();
    await until(async () => (await rows()).length === 1);
    expect(begun).toEqual(["now"]);
    time = new Date(time.getTime() + 86_400_000);
    loop.wake();
    await until(isEmpty);
    expect(begun).toEqual(["now", "later"]);
  });

  test("the job of a dead holder is taken when its lease has run out, and not before", async () => {
    const begun: number[] = [];
    await ask("mail", ["k"]);
    await superuser.query("update sign.job set claim = $1, claimed_until = now() + interval '1 hour', attempts = 1", [
      randomUUID(),
    ]);
    const loop = await startLoop({
      mail: handlerOf(async ({ attempts }) => {
        begun.push(attempts);
        return done;
      }),
    });
    await ask("mail", ["l"]);
    loop.wake();
    await until(async () => (await rows()).length === 1);
    expect(begun).toEqual([1]);
    await superuser.query("update sign.job set claimed_until = now() - interval '1 second'");
    await until(isEmpty);
    expect(begun).toEqual([1, 2]);
  });

  test("whoever has lost a job changes nothing: the end of the job and its effect are one transaction", async () => {
    const inside = Promise.withResolvers<void>();
    const goOn = newGate();
    const ends: string[] = [];
    const endIn = (hold: Hold, effect: string): Promise<void> =>
      withOrg(pool, orgId, async (tenant) => {
        await tenant.client.query("insert into sign.bulk_list values ($1, gen_random_uuid(), $2, '[]', 0, now())", [
          ...[orgId, effect],
        ]);
        await hold.endIn(tenant);
      });
    const first = await startLoop({
      mail: handlerOf(async (_job, hold) => {
        inside.resolve();
        await goOn.promise;
        await endIn(hold, "1").catch((error: Error) => {
          ends.push(error.message);
          throw error;
        });
        return done;
      }),
    });
    await ask("mail", ["k"]);
    first.wake();
    await inside.promise;
    await superuser.query("update sign.job set claimed_until = now() - interval '1 second'");
    await startLoop({
      mail: handlerOf(async (_job, hold) => {
        await endIn(hold, "2");
        return done;
      }),
    });
    await until(isEmpty);
    goOn.resolve();
    await until(() => ends.length === 1);
    expect(ends[0]).toContain("belongs to another process");
    const { rows: effects } = await superuser.query("select name from sign.bulk_list where organization_id = $1", [
      orgId,
    ]);
    expect(effects).toEqual([{ name: "2" }]);
  });

  test("what fails is done again after a pause that doubles, and is given up at last", async () => {
    const pauses: number[] = [];
    const loop = await startLoop({
      mail: handlerOf(() => Promise.reject(new Error("the server is away")), { maxAttempts: 4 }),
    });
    await ask("mail", ["k"]);
    for (let attempt = 1; attempt < 4; attempt += 1) {
      loop.wake();
      const [row] = await until(async () => {
        const found = await rows();
        return found[0]?.attempts === attempt && found[0].claim === null && found;
      });
      pauses.push((row?.run_at.getTime() ?? 0) - time.getTime());
      expect(row?.last_error).toBe("the server is away");
      time = row?.run_at ?? time;
    }
    loop.wake();
    const failed = await until(async () => (await rows()).find(({ failed_at }) => failed_at !== null));
    expect(failed.attempts).toBe(4);
    expect(pauses).toEqual([1_000, 2_000, 4_000]);
    time = new Date(time.getTime() + 10 * 86_400_000);
    await ask("mail", ["other"]);
    loop.wake();
    await until(async () => (await rows()).find(({ key, attempts }) => key === "other" && attempts === 1));
    expect((await rows()).find(({ key }) => key === "k")?.attempts).toBe(4);
  });

  test("what is to be done again has not failed, and begins to count anew", async () => {
    const attempts: number[] = [];
    const loop = await startLoop({
      mail: handlerOf(async (job) => {
        attempts.push(job.attempts);
        return attempts.length < 3 ? { kind: "again", runAt: time } : done;
      }),
    });
    await ask("mail", ["k"]);
    loop.wake();
    await until(isEmpty);
    expect(attempts).toEqual([1, 1, 1]);
  });

  test("kinds do not wait for each other, and none takes more places than it has", async () => {
    const goOn = newGate();
    let running = 0;
    const slow = handlerOf(
      async () => {
        running += 1;
        await goOn.promise;
        return done;
      },
      { concurrency: 2 },
    );
    const loop = await startLoop({ "bulk-copy": slow, mail: handlerOf(async () => done) });
    await ask(
      "bulk-copy",
      Array.from({ length: 20 }, (_, index) => `b${index}`),
    );
    loop.wake();
    await until(() => running === 2);
    await ask("mail", ["m"]);
    loop.wake();
    await until(async () => !(await rows()).some(({ key }) => key === "m"));
    expect(running).toBe(2);
    goOn.resolve();
    await until(isEmpty);
    expect(running).toBe(20);
  });

  test("a loop that stops lets its handlers end and takes nothing more", async () => {
    const signals: AbortSignal[] = [];
    const loop = await startLoop({
      mail: handlerOf(
        async (_job, _hold, signal) => {
          signals.push(signal);
          await new Promise((resolve) => signal.addEventListener("abort", resolve));
          return done;
        },
        { concurrency: 1 },
      ),
    });
    await ask("mail", ["a", "b"]);
    loop.wake();
    await until(() => signals.length === 1);
    await loop.stop();
    expect((await rows()).map(({ key, attempts }) => `${key} ${attempts}`)).toEqual(["b 0"]);
  });
});
