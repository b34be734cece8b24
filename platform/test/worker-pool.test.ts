import { afterEach, describe, expect, test } from "@jest/globals";
import { until } from "../testing/until.ts";
import { createWorkerPool, type WorkerPool, WorkerPoolError, type WorkerPoolOptions } from "../worker-pool.ts";
import type { TestJob } from "./worker-pool-program.ts";

interface TestAnswer {
  readonly jobs: number;
  readonly value?: unknown;
}

let pools: WorkerPool<TestJob, TestAnswer>[] = [];
afterEach(async () => {
  await Promise.all(pools.map((pool) => pool.close()));
  pools = [];
});

function createPool(options: Partial<WorkerPoolOptions> = {}): WorkerPool<TestJob, TestAnswer> {
  const module = new URL("./worker-pool-program.ts", import.meta.url);
  const pool = createWorkerPool<TestJob, TestAnswer>({
    ...{ module, size: 1, maxWaiting: 100, waitMs: 20_000, deadlineMs: 20_000, maxHeapMb: 32 },
    ...options,
  });
  pools.push(pool);
  return pool;
}

const echo = (value: unknown): TestJob => ({ kind: "echo", value });

async function failureOf(run: Promise<unknown>): Promise<string> {
  const error = await run.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(error instanceof WorkerPoolError)) throw new Error("no WorkerPoolError", { cause: error });
  return error.failure;
}

describe("createWorkerPool", () => {
  test("answers each job with its own answer, one after the other in one thread", async () => {
    const pool = createPool();
    const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => pool.run(echo({ index }))));
    expect(answers).toEqual(Array.from({ length: 20 }, (_, index) => ({ jobs: index + 1, value: { index } })));
  });

  test("uses as many threads as it may and no more", async () => {
    const pool = createPool({ size: 2 });
    const stuck = [failureOf(pool.run({ kind: "spin" }))];
    expect(await pool.run(echo(1))).toEqual({ jobs: 1, value: 1 });
    stuck.push(failureOf(pool.run({ kind: "spin" })), failureOf(pool.run(echo(2))));
    await pool.close();
    expect(await Promise.all(stuck)).toEqual(["CLOSED", "CLOSED", "CLOSED"]);
  });

  test("rejects with what a job throws, and the thread goes on", async () => {
    const pool = createPool();
    await pool.run(echo(1));
    const error = await pool.run({ kind: "throw" }).catch((error: unknown) => error);
    expect(error).toMatchObject({ failure: "FAILED", cause: { name: "RangeError", message: "as asked" } });
    expect(await pool.run(echo(2))).toEqual({ jobs: 3, value: 2 });
  });

  test.each([
    ["runs for ever", "spin", "DEADLINE"],
    ["ends its thread", "exit", "DIED"],
    ["takes too much memory", "fill memory", "DIED"],
  ] as const)("a job that %s fails alone, and a new thread takes the next one", async (_what, kind, failure) => {
    const pool = createPool({ deadlineMs: kind === "spin" ? 100 : 20_000 });
    await pool.run(echo(1));
    const failed = failureOf(pool.run({ kind }));
    const next = pool.run(echo(2));
    expect(await failed).toBe(failure);
    expect(await next).toEqual({ jobs: 1, value: 2 });
  });

  test("the deadline does not count the time that a job waits", async () => {
    const pool = createPool({ deadlineMs: 200 });
    const stuck = [pool.run({ kind: "spin" }), pool.run({ kind: "spin" })].map(failureOf);
    const last = pool.run(echo(1));
    expect(await Promise.all(stuck)).toEqual(["DEADLINE", "DEADLINE"]);
    expect(await last).toEqual({ jobs: 1, value: 1 });
  });

  test("a job that waits too long is busy and is not begun", async () => {
    const pool = createPool({ waitMs: 50 });
    // The thread has been started by a job that gave up before it was ready, or by one that it answered.
    await until(() => pool.run(echo(1)).catch(() => undefined));
    const stuck = failureOf(pool.run({ kind: "spin" }));
    expect(await failureOf(pool.run(echo(2)))).toBe("BUSY");
    await pool.close();
    expect(await stuck).toBe("CLOSED");
  });

  test("refuses a job at once when too many are waiting", async () => {
    const pool = createPool({ maxWaiting: 2 });
    await pool.run(echo(1));
    const stuck = failureOf(pool.run({ kind: "spin" }));
    const waiting = [pool.run(echo(2)), pool.run(echo(3))].map(failureOf);
    expect(await failureOf(pool.run(echo(4)))).toBe("BUSY");
    await pool.close();
    expect(await Promise.all([stuck, ...waiting])).toEqual(["CLOSED", "CLOSED", "CLOSED"]);
  });

  test("ends a thread that has had nothing to do for a while, and starts another when there is something", async () => {
    const pool = createPool({ idleMs: 1 });
    const answers = await Promise.all([pool.run(echo(1)), pool.run(echo(1))]);
    expect(answers.map((answer) => answer.jobs)).toEqual([1, 2]);
    await until(async () => (await pool.run(echo(1))).jobs === 1);
  });

  test("a module that cannot start fails its jobs in time", async () => {
    const pool = createPool({ module: new URL("./no-such-module.ts", import.meta.url), waitMs: 200 });
    expect(await failureOf(pool.run(echo(1)))).toBe("BUSY");
  });

  test("takes no job once it is closed, and can be closed again", async () => {
    const pool = createPool();
    await pool.run(echo(1));
    await pool.close();
    await pool.close();
    expect(await failureOf(pool.run(echo(1)))).toBe("CLOSED");
  });
});
