import { describe, expect, test } from "@jest/globals";
import { createLogger } from "#platform/logger.ts";
import { createPeriodicWorker } from "../periodic.ts";
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
