import { describe, expect, test } from "@jest/globals";
import { DomainError, toConnectError } from "#platform/errors.ts";
import { newId } from "#platform/ids.ts";
import { createLogger } from "#platform/logger.ts";
import { until } from "#platform/testing/until.ts";
import { createLimiter, createLocalLimiter, createRefusalMemory } from "../limits/limiter.ts";
import { createLoadSketch, createUseReporter } from "../limits/use-report.ts";
import {
  type Bucket,
  createWindowSweeper,
  type Grant,
  type WindowState,
  type WindowTake,
} from "../limits/window-store.ts";

const bucket = (key: string, limit: number): Bucket => ({ key, limit });

/** Windows in memory that count their statements. */
function createFakeWindows() {
  const used = new Map<string, number>();
  const statements: (readonly WindowTake[])[] = [];
  const take = async (takes: readonly WindowTake[]): Promise<ReadonlyMap<string, WindowState>> => {
    statements.push(takes);
    return new Map(
      takes.map(({ bucket: key, count, limit }) => {
        const before = used.get(key) ?? 0;
        const granted = Math.min(count, Math.max(0, limit - before));
        used.set(key, before + granted);
        return [key, { granted, used: before + granted, windowStart: 1_200, secondsLeft: 12.3 }];
      }),
    );
  };
  return { take, statements };
}

const summary = ({ granted, remaining }: Grant): string => `${granted ? "granted" : "refused"} ${remaining}`;

describe("take", () => {
  test("takes of one turn of the event loop share a statement and are granted in their order", async () => {
    const windows = createFakeWindows();
    const limiter = createLimiter({ windows, monotonic: () => 0 });
    const grants = await Promise.all(Array.from({ length: 5 }, () => limiter.take(bucket("a", 3))));
    expect(windows.statements).toEqual([[{ bucket: "a", count: 5, limit: 3 }]]);
    expect(grants.map(summary)).toEqual(["granted 2", "granted 1", "granted 0", "refused 0", "refused 0"]);
    expect(grants[0]).toMatchObject({ limit: 3, resetAt: 1_260, retryAfterSeconds: 13 });
  });

  test("buckets do not share a budget", async () => {
    const windows = createFakeWindows();
    const limiter = createLimiter({ windows, monotonic: () => 0 });
    const grants = await Promise.all([limiter.take(bucket("a", 1)), limiter.take(bucket("b", 2))]);
    expect(windows.statements).toHaveLength(1);
    expect(grants.map(summary)).toEqual(["granted 0", "granted 1"]);
  });

  test("a refused bucket is answered from memory until its window ends", async () => {
    const windows = createFakeWindows();
    let now = 0;
    const limiter = createLimiter({ windows, monotonic: () => now });
    await limiter.take(bucket("a", 1));
    await limiter.take(bucket("a", 1));
    expect(windows.statements).toHaveLength(2);
    now = 5_000;
    expect(await limiter.take(bucket("a", 1))).toMatchObject({ granted: false, resetAt: 1_260, retryAfterSeconds: 8 });
    expect(windows.statements).toHaveLength(2);
    now = 12_301;
    await limiter.take(bucket("a", 1));
    expect(windows.statements).toHaveLength(3);
  });

  test("a refusal under another limit is not remembered", async () => {
    const windows = createFakeWindows();
    const limiter = createLimiter({ windows, monotonic: () => 0 });
    await limiter.take(bucket("a", 1));
    await limiter.take(bucket("a", 1));
    expect(summary(await limiter.take(bucket("a", 3)))).toBe("granted 1");
  });

  test("takes that come during a statement gather for the next one", async () => {
    const windows = createFakeWindows();
    const gates: (() => void)[] = [];
    const held = async (takes: readonly WindowTake[]) => {
      await new Promise<void>((resolve) => gates.push(resolve));
      return windows.take(takes);
    };
    const limiter = createLimiter({ windows: { take: held }, monotonic: () => 0 });
    const first = limiter.take(bucket("a", 10));
    await until(() => gates.length === 1);
    const rest = Promise.all([1, 2, 3].map(() => limiter.take(bucket("a", 10))));
    gates[0]?.();
    await first;
    await until(() => gates.length === 2);
    gates[1]?.();
    await rest;
    expect(windows.statements.map((takes) => takes[0]?.count)).toEqual([1, 3]);
  });

  test("after a failure nobody waits for the database for half a second", async () => {
    let now = 0;
    let statements = 0;
    const take = async (): Promise<never> => {
      statements += 1;
      throw new Error("no database");
    };
    const limiter = createLimiter({ windows: { take }, monotonic: () => now });
    await expect(limiter.take(bucket("a", 1))).rejects.toThrow("no database");
    await expect(limiter.take(bucket("a", 1))).rejects.toThrow("a moment ago");
    expect(statements).toBe(1);
    now = 501;
    await expect(limiter.take(bucket("a", 1))).rejects.toThrow("no database");
  });

  test("a failure is that of all who wait, so that nobody waits for a second one", async () => {
    const gate = Promise.withResolvers<never>();
    let statements = 0;
    const take = (): Promise<never> => {
      statements += 1;
      return gate.promise;
    };
    const limiter = createLimiter({ windows: { take }, monotonic: () => 0 });
    const first = limiter.take(bucket("a", 1));
    await until(() => statements === 1);
    const second = limiter.take(bucket("b", 1));
    gate.reject(new Error("no database"));
    await expect(first).rejects.toThrow("no database");
    await expect(second).rejects.toThrow("no database");
    expect(statements).toBe(1);
  });

  test("an answer that a process reads after a long sleep neither grants nor refuses", async () => {
    const windows = createFakeWindows();
    let now = 0;
    const take = async (takes: readonly WindowTake[]) => {
      const states = await windows.take(takes);
      now += 2_001;
      return states;
    };
    const limiter = createLimiter({ windows: { take }, monotonic: () => now });
    const takes = [1, 2].map(() => limiter.take(bucket("a", 1)));
    for (const taken of takes) await expect(taken).rejects.toThrow("did not answer in time");
    expect(limiter.refusal(bucket("a", 1))).toBeUndefined();
  });

  test("who is refused by a window that ends meanwhile has the next one, and who was granted keeps the grant", async () => {
    let now = 0;
    const statements: (readonly WindowTake[])[] = [];
    const take = async (takes: readonly WindowTake[]): Promise<ReadonlyMap<string, WindowState>> => {
      statements.push(takes);
      now += 40;
      const window =
        statements.length === 1 ? { windowStart: 1_200, secondsLeft: 0.02 } : { windowStart: 1_260, secondsLeft: 59.9 };
      return new Map(takes.map(({ bucket: key, count }) => [key, { granted: Math.min(count, 2), used: 2, ...window }]));
    };
    const limiter = createLimiter({ windows: { take }, monotonic: () => now });
    const grants = await Promise.all(Array.from({ length: 5 }, () => limiter.take(bucket("a", 2))));
    expect(grants.map(({ granted, resetAt }) => [granted, resetAt])).toEqual([
      [true, 1_260],
      [true, 1_260],
      [true, 1_320],
      [true, 1_320],
      [false, 1_320],
    ]);
    expect(statements.map((takes) => takes[0]?.count)).toEqual([5, 3]);
    expect(limiter.refusal(bucket("a", 2))).toMatchObject({ resetAt: 1_320, retryAfterSeconds: 60 });
  });

  test("one statement may count in two windows", async () => {
    const take = async (): Promise<ReadonlyMap<string, WindowState>> =>
      new Map([
        ["a", { granted: 1, used: 5, windowStart: 1_200, secondsLeft: 0.001 }],
        ["b", { granted: 1, used: 1, windowStart: 1_260, secondsLeft: 60 }],
      ]);
    const limiter = createLimiter({ windows: { take }, monotonic: () => 0 });
    const grants = await Promise.all([limiter.take(bucket("a", 5)), limiter.take(bucket("b", 5))]);
    expect(grants).toEqual([
      { granted: true, limit: 5, remaining: 0, resetAt: 1_260, retryAfterSeconds: 1 },
      { granted: true, limit: 5, remaining: 4, resetAt: 1_320, retryAfterSeconds: 60 },
    ]);
  });

  test("a long key is shortened, so that the database refuses nobody's statement for it", async () => {
    const windows = createFakeWindows();
    const limiter = createLimiter({ windows, monotonic: () => 0 });
    const long = "x".repeat(10_000);
    await limiter.take(bucket(`${long} a`, 1));
    await limiter.take(bucket(`${long} b`, 1));
    await limiter.take(bucket(`${long} b`, 1));
    const keys = windows.statements.flat().map(({ bucket: key }) => key);
    expect(Math.max(...keys.map((key) => key.length))).toBeLessThan(100);
    expect(keys[0]).not.toBe(keys[1]);
    expect(limiter.refusal(bucket(`${long} b`, 1))).toBeDefined();
    expect(limiter.refusal(bucket(`${long} a`, 1))).toBeUndefined();
  });

  test("a statement that never returns fails its takes", async () => {
    const limiter = createLimiter({
      windows: { take: () => new Promise(() => {}) },
      monotonic: () => 0,
      timeoutMs: 20,
    });
    await expect(limiter.take(bucket("a", 1))).rejects.toThrow("did not answer in time");
  });
});

describe("refusal memory", () => {
  const state: WindowState = { granted: 0, used: 1, windowStart: 1_200, secondsLeft: 30 };

  test("a limit that was raised and is lowered again refuses as before, within the window", () => {
    let now = 0;
    const memory = createRefusalMemory(() => now);
    memory.remember(bucket("a", 1), state, 0);
    expect(memory.recall(bucket("a", 2))).toBeUndefined();
    expect(memory.recall(bucket("a", 1))).toMatchObject({ granted: false, remaining: 0, retryAfterSeconds: 30 });
    now = 30_000;
    expect(memory.recall(bucket("a", 1))).toBeUndefined();
  });

  test("counts from when the database was asked, however late its answer came", () => {
    const memory = createRefusalMemory(() => 31_000);
    memory.remember(bucket("a", 1), state, 1_000);
    expect(memory.recall(bucket("a", 1))).toBeUndefined();
  });

  test("forgets all rather than growing without end", () => {
    const memory = createRefusalMemory(() => 0);
    for (let n = 0; n <= 100_000; n += 1) memory.remember(bucket(`${n}`, 1), state, 0);
    expect(memory.recall(bucket("0", 1))).toBeUndefined();
    expect(memory.recall(bucket("100000", 1))).toBeDefined();
  });
});

describe("local limiter", () => {
  test("grants the limit in each window", () => {
    let now = new Date("2026-11-20T17:00:50Z");
    const take = createLocalLimiter({ now: () => now });
    const grants = [1, 2, 3].map(() => take(bucket("a", 2)));
    expect(grants.map(summary)).toEqual(["granted 1", "granted 0", "refused 0"]);
    expect(grants[0]).toMatchObject({
      limit: 2,
      resetAt: Date.parse("2026-11-20T17:01:00Z") / 1000,
      retryAfterSeconds: 10,
    });
    now = new Date("2026-11-20T17:01:00Z");
    expect(summary(take(bucket("a", 2)))).toBe("granted 1");
  });
});

describe("window sweeper", () => {
  test("deletes batch by batch until little is left, again and again, and survives failures", async () => {
    const left = [5_000, 5_000, 12];
    let calls = 0;
    const deleteOld = async (): Promise<number> => {
      calls += 1;
      const next = left.shift();
      if (next === undefined) throw new Error("no database");
      return next;
    };
    const windows = { deleteOld, take: () => Promise.reject(new Error("not used")) };
    const sweeper = createWindowSweeper({ windows, logger: createLogger("test", "silent"), intervalMs: 1 });
    await sweeper.start();
    await until(() => calls >= 5);
    await sweeper.stop();
    const after = calls;
    await new Promise((resolve) => setImmediate(resolve));
    expect(calls).toBe(after);
  });
});

describe("the sketch of who keeps a gateway busy", () => {
  test("has as many counters as it may, and says truly what each is at least and at most", () => {
    const seed = Date.now() % 2_147_483_647;
    let state = seed;
    const random = (): number => {
      state = (state * 48_271) % 2_147_483_647;
      return state / 2_147_483_647;
    };
    const sketch = createLoadSketch(() => 0, 50);
    const truth = new Map<string, number>();
    for (let n = 0; n < 100_000; n += 1) {
      // Some call often, and 10,000 now and then.
      const id = `organization ${Math.floor(10_000 * random() ** 4)}`;
      const ms = Math.round(100 * random());
      sketch.note(id, ms);
      truth.set(id, (truth.get(id) ?? 0) + ms);
    }
    const { organizations, othersMs } = sketch.take();
    const total = [...truth.values()].reduce((sum, ms) => sum + ms, 0);
    expect([seed, organizations.length]).toEqual([seed, 50]);
    expect(organizations.reduce((sum, { busyMs }) => sum + busyMs, 0)).toBe(total);
    expect(othersMs).toBeLessThanOrEqual(total / 50);
    const counted = new Map(organizations.map((one) => [one.organizationId, one]));
    for (const [id, ms] of truth) {
      const { busyMs, errorMs } = counted.get(id) ?? { busyMs: othersMs, errorMs: othersMs };
      expect([seed, id, busyMs - errorMs <= ms && ms <= busyMs]).toEqual([seed, id, true]);
    }
    const [busiest] = [...truth].sort(([, a], [, b]) => b - a);
    expect(counted.has(busiest?.[0] ?? "")).toBe(true);
    expect(sketch.take()).toEqual({ spanMs: 1, othersMs: 0, organizations: [] });
  });
});

describe("reports of use", () => {
  type Sent = { sequence?: bigint; requests?: { organizationId?: string; requests?: number; refused?: number }[] };

  test("are repeated as they are until they are taken, and bounded however many organizations call", async () => {
    const sent: Sent[] = [];
    let answer: unknown = toConnectError(new DomainError("SERVICE_UNAVAILABLE"));
    const reportUse = async (report: object): Promise<never> => {
      sent.push(report);
      if (answer !== undefined) throw answer;
      return {} as never;
    };
    const logger = createLogger("test", "silent");
    const { note, report } = createUseReporter({ tokens: { reportUse }, newId, monotonic: () => 0, logger });
    await report();
    expect(sent).toEqual([]);
    note("a", 5, false);
    note("a", 5, true);
    await expect(report()).rejects.toThrow();
    for (let n = 0; n < 30_000; n += 1) note(`other ${n}`, 1, false);
    answer = undefined;
    await report();
    expect(sent[1]).toEqual(sent[0]);
    expect(sent[0]).toMatchObject({
      sequence: 1n,
      requests: [{ organizationId: "a", requests: 2, refused: 1 }],
      load: { organizations: [{ organizationId: "a", busyMs: 10, errorMs: 0 }] },
    });
    await report();
    expect([sent[2]?.sequence, sent[2]?.requests?.length]).toEqual([2n, 20_000]);
    await report();
    expect(sent).toHaveLength(3);
  });

  test("that are refused for what is in them do not hold up the next ones", async () => {
    const sent: Sent[] = [];
    const reportUse = async (report: Sent): Promise<never> => {
      sent.push(report);
      if (sent.length === 1) throw toConnectError(new DomainError("VALIDATION_FAILED"));
      return {} as never;
    };
    const logger = createLogger("test", "silent");
    const { note, report } = createUseReporter({ tokens: { reportUse }, newId, monotonic: () => 0, logger });
    note("a", 5, false);
    await expect(report()).rejects.toThrow();
    note("b", 5, false);
    await report();
    expect(sent.map(({ requests }) => requests?.map(({ organizationId }) => organizationId))).toEqual([["a"], ["b"]]);
  });
});
