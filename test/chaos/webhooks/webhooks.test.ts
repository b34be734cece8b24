import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { describeWithNats } from "../../../dev/test/describe-with-nats.ts";
import { type Cluster, startCluster } from "./cluster.ts";
import { faults } from "./faults.ts";
import { runWebhooks } from "./run.ts";

describeWithNats("webhooks of processes that die, to receivers that misbehave", () => {
  let cluster: Cluster;

  beforeAll(async () => {
    cluster = await startCluster();
  });
  afterAll(async () => {
    await cluster?.stop();
  });

  // npm run drill:webhooks -- --seed N is the same with a report.
  test("every event comes at least once to everybody who is to have it, and to nobody else", async () => {
    const seed = Math.floor(Math.random() * 2 ** 31);
    process.stderr.write(`webhooks of processes that die: seed ${seed}\n`);
    const {
      history,
      violations,
      faults: happened,
    } = await runWebhooks(cluster, {
      ...{ seed, rounds: 1, perSecond: 40, patienceMs: 60_000 },
    });
    expect(violations).toEqual([]);
    expect(happened.toSorted()).toEqual(Object.keys(faults).toSorted());
    const { published, requests } = history;
    expect(published.length).toBeGreaterThan(50);
    expect(new Set(requests.map(({ action }) => action)).size).toBeGreaterThan(7);
    expect(new Set(requests.map(({ round }) => round)).size).toBeGreaterThan(1);
  }, 180_000);
});
