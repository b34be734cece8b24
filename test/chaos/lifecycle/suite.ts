import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { describeDistributed } from "../../support/system.ts";
import type { Cluster } from "../accept-history/cluster.ts";
import { createRandom } from "../accept-history/random.ts";
import { problemsOf } from "./check.ts";
import { type LifecycleCluster, visit } from "./cluster.ts";
import { type Load, startLoad } from "./load.ts";
import { calm, killOneOfEach, rollingRestart } from "./steps.ts";

const seed = 1;
const hardStopMs = 25_000;

// npm run drill:lifecycle does the same for longer, and takes NATS and the database away as well.
export const lifecycle = (running: () => Cluster): void =>
  describeDistributed("two of every process under load", () => {
    let cluster: LifecycleCluster;
    let load: Load;

    beforeAll(async () => {
      cluster = await visit(running());
      load = startLoad(cluster.visitor, { random: createRandom(seed), perSecond: 25 });
      await calm(load);
    }, 180_000);
    afterAll(async () => {
      await load?.stop();
      await cluster?.events.stop();
    }, 120_000);

    test("are replaced one copy after the other, and no request fails", async () => {
      load.look();
      const endings = await rollingRestart(cluster, 7);
      expect(endings).toHaveLength(cluster.running.processes.length);
      expect(endings.filter(({ code, ms }) => code !== 0 || ms > hardStopMs)).toEqual([]);
      const { failures, requests } = load.look();
      expect(failures).toEqual([]);
      expect(requests).toBeGreaterThan(20);
    }, 180_000);

    test("lose one copy of each at the same moment: no request fails, and every acceptance counts once", async () => {
      await killOneOfEach(cluster, 1, 500);
      await calm(load);
      expect((await load.stop()).failures).toEqual([]);
      expect(await problemsOf(cluster, load)).toEqual([]);
    }, 240_000);
  });
