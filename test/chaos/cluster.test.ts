import { afterAll, beforeAll } from "@jest/globals";
import { findNatsServer } from "../../dev/nats.ts";
import { type Cluster, historyShape, startCluster } from "./accept-history/cluster.ts";
import { acceptHistory } from "./accept-history/suite.ts";
import { budgetShape } from "./budgets/cluster.ts";
import { budgets } from "./budgets/suite.ts";
import { completions } from "./completion/suite.ts";
import { batchUnderFaults } from "./generation/suite.ts";
import { twoOfEach } from "./lifecycle/cluster.ts";
import { lifecycle } from "./lifecycle/suite.ts";

// What breaks one cluster after the other of its parts: each suite has organizations of its own, and leaves it whole.
let cluster: Cluster;

beforeAll(async () => {
  if (findNatsServer() === undefined) return;
  cluster = await startCluster({
    ...{ gateways: budgetShape.gateways, clicks: historyShape.clicks, others: twoOfEach },
    environments: async (parts) =>
      new Map([
        ...(await historyShape.environments(parts)),
        ...(await budgetShape.environments(parts)),
        // One to be killed of each, so that the other one has to go on.
        ...["docgen", "docgen-2"].map((name) => [name, { RENDERER_PROCESSES: "1" }] as const),
      ]),
  });
});
afterAll(async () => {
  await cluster?.stop();
});

for (const suite of [acceptHistory, budgets, batchUnderFaults, completions, lifecycle]) suite(() => cluster);
