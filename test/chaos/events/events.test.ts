import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { describeWithNats } from "../../../dev/test/describe-with-nats.ts";
import { createRandom } from "../accept-history/random.ts";
import { checkEvents } from "./check.ts";
import { type Cluster, startCluster } from "./cluster.ts";
import { faults, runFaults } from "./faults.ts";
import { observe, observeOutbox, untilQuiet } from "./observe.ts";
import { startWriters } from "./writers.ts";

describeWithNats("events between processes that die", () => {
  let cluster: Cluster;

  beforeAll(async () => {
    cluster = await startCluster();
  });
  afterAll(async () => {
    await cluster?.stop();
  });

  // npm run drill:events -- --seed N is the same with a report.
  test("whatever breaks, every event that was committed takes effect exactly once", async () => {
    const seed = Math.floor(Math.random() * 2 ** 31);
    process.stderr.write(`events between processes that die: seed ${seed}\n`);
    const random = createRandom(seed);
    const writers = startWriters(cluster.writer, random.fork(0), 150);
    const happened: string[] = [];
    await runFaults(cluster, random.fork(1), (fault) => happened.push(fault)).finally(writers.stop);
    await untilQuiet(cluster, 60_000);
    const { written } = writers;
    const { inspector, store } = cluster;
    expect(checkEvents(written, await observeOutbox(inspector), await observe(inspector))).toEqual([]);
    expect(happened.toSorted()).toEqual(Object.keys(faults).toSorted());
    expect(written.committed.size).toBeGreaterThan(200);
    expect(written.rolledBack.size).toBeGreaterThan(0);
    // What was lost with the disk is there again.
    expect((await store.contents()).messages).toBeGreaterThanOrEqual(written.committed.size);
  }, 120_000);
});
