import { EventEmitter } from "node:events";
import { describe, expect, test } from "@jest/globals";
import { createLogger } from "#platform/logger.ts";
import { createNudges } from "../events/nudges.ts";
import { createPauses, createPeriodicWorker, createQueueWorker } from "../periodic.ts";
import { until } from "../testing/until.ts";

const logger = createLogger("test", "silent");

describe("createPeriodicWorker", () => {
  test("it runs at once and again and again, also after a failure, until it is stopped", async () => {
    let runs = 0;
    const run = async () => {
      runs += 1;
      if (runs === 1) throw new Error("the first run fails");
    };
    const worker = createPeriodicWorker({ name: "test", everyMs: 1, logger, run });
    await worker.start();
    await until(() => runs >= 3);
    await worker.stop();
    const stoppedAt = runs;
    await new Promise((resolve) => setImmediate(resolve));
    expect(runs).toBe(stoppedAt);
  });

  test("stop waits for the run that is under way", async () => {
    let finish = () => {};
    let isDone = false;
    const run = async () => {
      await new Promise<void>((resolve) => {
        finish = resolve;
      });
      isDone = true;
    };
    const worker = createPeriodicWorker({ name: "test", everyMs: 1, logger, run });
    await worker.start();
    const stopped = worker.stop();
    finish();
    await stopped;
    expect(isDone).toBe(true);
  });

  test("a worker that was never started stops", async () => {
    await createPeriodicWorker({ name: "test", everyMs: 1, logger, run: async () => {} }).stop();
  });
});

/** Nothing that is looked for so seldom is looked for during a test. */
const rarely = 60_000;

describe("createQueueWorker", () => {
  test("what it is told of while it works is looked for right afterwards, and never beside", async () => {
    let atOnce = 0;
    const seen: number[] = [];
    const queue = createQueueWorker({
      ...{ name: "test", pollMs: rarely, logger },
      work: async () => {
        atOnce += 1;
        seen.push(atOnce);
        await new Promise((resolve) => setImmediate(resolve));
        atOnce -= 1;
      },
    });
    queue.wake();
    expect(seen).toEqual([]);
    await queue.start();
    queue.wake();
    queue.wake();
    await until(() => seen.length === 2);
    await queue.stop();
    expect(seen).toEqual([1, 1]);
  });

  test("looks by itself now and then, also after a failure", async () => {
    const errors: unknown[] = [];
    let looks = 0;
    const queue = createQueueWorker({
      ...{ name: "test", pollMs: 1, logger, onError: (error) => errors.push(error) },
      work: async () => {
        looks += 1;
        if (looks === 1) throw new Error("the first look fails");
      },
    });
    await queue.start();
    await until(() => looks >= 3);
    await queue.stop();
    expect(errors).toEqual([new Error("the first look fails")]);
  });

  test("stop tells the work not to go on and waits for it", async () => {
    let rounds = 0;
    let isDone = false;
    const queue = createQueueWorker({
      ...{ name: "test", pollMs: rarely, logger },
      work: async (mayGoOn) => {
        while (mayGoOn()) {
          rounds += 1;
          await new Promise((resolve) => setImmediate(resolve));
        }
        isDone = true;
      },
    });
    await queue.start();
    await until(() => rounds > 0);
    await queue.stop();
    expect(isDone).toBe(true);
    const done = rounds;
    queue.wake();
    expect(rounds).toBe(done);
  });
});

describe("createPauses", () => {
  test("get longer up to four times while there is nothing, and short again with the first work", () => {
    const pauses = createPauses(10);
    expect(Array.from({ length: 7 }, () => pauses.next())).toEqual([10, 20, 40, 40, 40, 40, 40]);
    expect(pauses.shorten()).toBe(true);
    expect([pauses.next(), pauses.next()]).toEqual([10, 20]);
  });

  test("say whether a pause that was begun is longer than is due now", () => {
    const pauses = createPauses(10);
    expect(pauses.shorten()).toBe(false);
    pauses.next();
    expect(pauses.shorten()).toBe(false);
  });
});

describe("processes that share a queue", () => {
  const bus = () => {
    const told = new EventEmitter();
    return {
      told,
      nudge: (name: string) => void told.emit(name),
      onNudge: (name: string, listener: () => void) => {
        told.on(name, listener);
        return () => told.off(name, listener);
      },
    };
  };
  const queueOn = (shared: ReturnType<typeof bus> | undefined, pollMs: number) => {
    const looks: number[] = [];
    const work = async () => void looks.push(performance.now());
    return { looks, queue: createQueueWorker({ ...{ name: "test", pollMs, logger, bus: shared, work } }) };
  };

  test("tell each other of what is new, and not of the room that they have", async () => {
    const shared = bus();
    const [one, other] = [queueOn(shared, rarely), queueOn(shared, rarely)];
    await one.queue.start();
    await other.queue.start();
    await until(() => one.looks.length === 1 && other.looks.length === 1);
    one.queue.look();
    await until(() => one.looks.length === 2);
    expect(other.looks.length).toBe(1);
    one.queue.wake();
    await until(() => other.looks.length === 2);
    await one.queue.stop();
    await other.queue.stop();
    expect(shared.told.listenerCount("test")).toBe(0);
  });

  test("find the work in time when what they are told gets lost", async () => {
    const { looks, queue } = queueOn(undefined, 5);
    await queue.start();
    await until(() => looks.length >= 12);
    await queue.stop();
    // 20 ms at the most, and so often that the machine may be late.
    const last = looks.slice(-3);
    expect((last[2] as number) - (last[0] as number)).toBeGreaterThanOrEqual(2 * 5 * 4 - 2);
  });
});

describe("createNudges", () => {
  test("pass on the first message at once and the rest together", async () => {
    const sent: number[] = [];
    const nudges = createNudges({ nudge: () => void sent.push(performance.now()) }, "test", 50);
    for (let n = 0; n < 5; n += 1) nudges.tell();
    expect(sent.length).toBe(1);
    await until(() => sent.length === 2);
    expect((sent[1] as number) - (sent[0] as number)).toBeGreaterThanOrEqual(49);
    nudges.stop();
  });

  test("are nothing on a bus of one process", () => {
    const nudges = createNudges({}, "test");
    nudges.listen(() => undefined);
    nudges.tell();
    nudges.stop();
  });
});
