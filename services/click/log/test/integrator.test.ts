import { randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { withOrg } from "#platform/db/pool.ts";
import type { OrgId } from "#platform/ids.ts";
import { createLogger } from "#platform/logger.ts";
import { createMetrics, type Metrics } from "#platform/metrics.ts";
import { terminateSessions } from "#platform/testing/database.ts";
import { until } from "#platform/testing/until.ts";
import { newOrg } from "../../test/harness.ts";
import { createIntegrator, createLogWatch, type Integrator, type IntegratorDeps } from "../integrator.ts";
import { leafHashOf } from "../leaf.ts";
import { appendLeaves } from "../log-store.ts";
import { type LogHarness, readCheckpoints, startLogs, verifyLog } from "./log-harness.ts";

interface Line {
  readonly level: string;
  readonly msg: string;
  readonly organizationId?: string;
}

let logs: LogHarness;
let metrics: Metrics;
let deps: IntegratorDeps;
let lines: Line[];
const started: Integrator[] = [];

beforeAll(async () => {
  logs = await startLogs();
});
beforeEach(() => {
  lines = [];
  metrics = createMetrics();
  const logger = createLogger("click", "info", { write: (line: string) => void lines.push(JSON.parse(line) as Line) });
  deps = { ...logs.deps, metrics, logger };
});
afterEach(async () => {
  for (const integrator of started.splice(0)) await integrator.stop();
});
afterAll(() => logs.close());

async function start(): Promise<Integrator> {
  const integrator = createIntegrator(deps);
  started.push(integrator);
  await integrator.start();
  return integrator;
}

const sizes = async (orgId: OrgId) => (await readCheckpoints(logs, orgId)).map(({ size }) => size);
const gaugeOf = async (gauge: Metrics["logsOverdue"]) => (await gauge.get()).values[0]?.value;
const errorsOf = (orgId: string) =>
  lines.filter(({ level, organizationId }) => level === "error" && organizationId === orgId);

describe("the integrator", () => {
  test("finds what a process that is gone has left behind", async () => {
    const orgId = newOrg();
    await logs.append(orgId, 5);
    await start();
    await until(async () => (await sizes(orgId)).includes(5));
    expect(lines).toEqual([]);
  });
  test("publishes soon after it was told of new leaves, and once for many of them", async () => {
    const integrator = await start();
    const orgId = newOrg();
    const startedAt = performance.now();
    for (let n = 0; n < 100; n += 1) {
      await logs.append(orgId, 1);
      integrator.touched(orgId);
    }
    await until(async () => (await sizes(orgId)).includes(100), 5_000);
    const seconds = (performance.now() - startedAt) / 1000;
    expect((await sizes(orgId)).length).toBeLessThanOrEqual(Math.ceil(seconds) + 1);
    await verifyLog(logs, orgId);
  });
  test("goes on after the database was away", async () => {
    const integrator = await start();
    const orgId = newOrg();
    await logs.append(orgId, 1);
    integrator.touched(orgId);
    await terminateSessions(logs.database, "click-integrator");
    await logs.append(orgId, 1);
    integrator.touched(orgId);
    await until(async () => (await sizes(orgId)).includes(2));
    expect(lines.filter(({ level }) => level === "error")).toEqual([]);
  });
  test("signs nothing for a log that contradicts itself and says so, and serves the others", async () => {
    const [broken, other] = [newOrg(), newOrg()];
    await logs.append(broken, 3);
    await logs.superuser.query("delete from click.log_leaf where organization_id = $1 and leaf_index = 1", [broken]);
    const integrator = await start();
    await until(async () => (await gaugeOf(metrics.logsRefused)) === 1);
    expect(errorsOf(broken)).toMatchObject([{ msg: "the log contradicts its tree: no checkpoint is signed" }]);
    await logs.append(other, 1);
    integrator.touched(broken);
    integrator.touched(other);
    await until(async () => (await sizes(other)).includes(1));
    expect(await sizes(broken)).toEqual([]);
    expect(errorsOf(broken)).toHaveLength(1);
    await logs.superuser.query("delete from click.log_head where organization_id = $1", [broken]);
  });
});

describe("the watch over the logs", () => {
  const waiting = async () => ({
    leaves: await gaugeOf(metrics.logLeavesWaiting),
    overdue: await gaugeOf(metrics.logsOverdue),
  });

  test("raises the alarm for a promise that is over, once, and says when it is kept", async () => {
    const watch = createLogWatch(deps);
    expect(await watch.look()).toEqual([]);
    const [late, fresh] = [newOrg(), newOrg()];
    await logs.append(late, 3);
    expect(await watch.look()).toEqual([late]);
    expect(await waiting()).toEqual({ leaves: 3, overdue: 0 });
    logs.clock.advance(59);
    await watch.look();
    expect(await waiting()).toEqual({ leaves: 3, overdue: 0 });
    expect(await gaugeOf(metrics.logOldestLeafSeconds)).toBeGreaterThanOrEqual(59);
    logs.clock.advance(2);
    await logs.append(fresh, 1);
    await watch.look();
    await watch.look();
    expect(await waiting()).toEqual({ leaves: 4, overdue: 1 });
    expect(errorsOf(late)).toMatchObject([
      { msg: "a leaf is not in its log's tree although its receipt promises it", recordedAt: expect.any(String) },
    ]);
    expect(errorsOf(fresh)).toEqual([]);
    await logs.integrate(late);
    await logs.integrate(fresh);
    expect(await watch.look()).toEqual([]);
    expect(await waiting()).toEqual({ leaves: 0, overdue: 0 });
    expect(await gaugeOf(metrics.logOldestLeafSeconds)).toBe(0);
    expect(lines.at(-1)).toMatchObject({ level: "info", organizationId: late });
  });
  test("goes by the leaf, not by the session that is older", async () => {
    const watch = createLogWatch(deps);
    const orgId = newOrg();
    const sessionId = `00000000-0000-7000-8000-${randomUUID().slice(24)}`;
    const leaf = Buffer.from(JSON.stringify({ completedAt: logs.clock.now().toISOString() }));
    const signed = { recordId: sessionId, leaf, leafHash: leafHashOf(leaf), signedBy: 1, signature: Buffer.alloc(64) };
    await withOrg(logs.pool, orgId, (tenant) => appendLeaves(tenant, [signed]));
    await watch.look();
    expect(await waiting()).toEqual({ leaves: 1, overdue: 0 });
    await logs.integrate(orgId);
  });
  test("is not led astray by a leaf that says nothing, nor by one that is not there", async () => {
    const watch = createLogWatch(deps);
    const [orgId, gone] = [newOrg(), newOrg()];
    const leaf = Buffer.from("not JSON");
    const silent = {
      recordId: randomUUID(),
      leaf,
      leafHash: leafHashOf(leaf),
      signedBy: 1,
      signature: Buffer.alloc(64),
    };
    await withOrg(logs.pool, orgId, (tenant) => appendLeaves(tenant, [silent]));
    await logs.superuser.query("insert into click.log_head values ($1, 1)", [gone]);
    expect((await watch.look()).sort()).toEqual([orgId, gone].sort());
    expect(await waiting()).toEqual({ leaves: 2, overdue: 0 });
    await logs.integrate(orgId);
    await logs.superuser.query("delete from click.log_head where organization_id = $1", [gone]);
  });
  test("also finds a tree whose log has lost its head", async () => {
    const watch = createLogWatch(deps);
    const orgId = newOrg();
    await logs.append(orgId, 1);
    await logs.integrate(orgId);
    await logs.superuser.query("delete from click.log_head where organization_id = $1", [orgId]);
    expect(await watch.look()).toEqual([orgId]);
    await logs.superuser.query("delete from click.log_tree where organization_id = $1", [orgId]);
  });
});
