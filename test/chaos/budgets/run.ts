import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { Cluster } from "../accept-history/cluster.ts";
import { createRandom, type Random } from "../accept-history/random.ts";
import { checkBudgets } from "./check.ts";
import { type Again, runClient } from "./client.ts";
import { setWindowEnd } from "./cluster.ts";
import type { Call, History, Incident, LimitChange, Observation, Tolerances, Violation } from "./history.ts";
import { runNemesis } from "./nemesis.ts";
import { watchCounters } from "./observe.ts";
import { createTenants, groups, type Limits, type Tenant, type Tenants } from "./tenants.ts";
import { windowMs } from "./windows.ts";

export interface RunOptions {
  readonly seed: number;
  /** The first window ends so long after the first request. */
  readonly firstWindowSeconds: number;
  /** Nothing goes wrong before. */
  readonly calmSeconds: number;
  /** Faults begin until then; it takes longer when not every kind has happened. */
  readonly seconds: number;
  /** What part of the load of a drill clients make, with budgets that are as much smaller; all of it when absent. */
  readonly part?: number;
  readonly tolerances: Tolerances;
}

export interface RunResult {
  readonly history: History;
  readonly observation: Observation;
  readonly violations: readonly Violation[];
}

/** Budgets that are soon used up, that last for ever, and that change all the time. */
const narrow: Limits = { accept: 80, render: 60, other: 50, sign: 40 };
const wide: Limits = { accept: 1_000_000, render: 1_000_000, other: 1_000_000, sign: 1_000_000 };
const senders = 6;
/** On average between two bursts of one of them. */
const pauseMs = 60;
const changeEveryMs = 5_000;

/** Clients of new organizations, at first undisturbed and then with faults, and what came of it. */
export async function runBudgets(cluster: Cluster, options: RunOptions): Promise<RunResult> {
  const small = partOf(narrow, options.part);
  const tenants = await createTenants(cluster.admin, cluster.running.baseUrls[0] ?? "", [small, wide, small]);
  const watch = await watchCounters(cluster.inspectUrl);
  try {
    const began = performance.now();
    const now = (): number => performance.now() - began;
    const databaseClock = await setWindowEnd(cluster.inspectUrl, options.firstWindowSeconds, now);
    const gatewayClock = Date.now() - now();
    const recorded = await useBudgets({ cluster, options, tenants, now, databaseClock });
    const history: History = { ...recorded, databaseClock, gatewayClock };
    const observation = await watch.observe(tenants);
    return { history, observation, violations: checkBudgets(history, observation, options.tolerances) };
  } finally {
    await watch.stop();
  }
}

interface Run {
  readonly cluster: Cluster;
  readonly options: RunOptions;
  readonly tenants: Tenants;
  now(): number;
  readonly databaseClock: number;
}

type Recorded = Pick<History, "calls" | "incidents" | "changes">;

async function useBudgets({ cluster, options, tenants, now, databaseClock }: Run): Promise<Recorded> {
  const random = createRandom(options.seed);
  const calls: Call[] = [];
  const incidents: Incident[] = [];
  const again: Again[] = [];
  const run = randomUUID().slice(0, 8);
  const idle = new AbortController();
  const common = { now, databaseClock, stop: idle.signal };
  const small = partOf(narrow, options.part);
  const changing = changeLimits(cluster, tenants, { ...common, small, random: random.fork(1) });
  const sending = Array.from({ length: senders }, (_, n) =>
    runClient({
      ...common,
      random: random.fork(2 + n),
      clients: tenants.clients,
      gateways: cluster.running.baseUrls,
      again,
      run,
      record: (call) => calls.push(call),
      pauseMs: pauseMs / (options.part ?? 1),
    }),
  );
  try {
    await delay(options.calmSeconds * 1_000);
    await runNemesis({
      cluster,
      random: random.fork(0),
      now,
      untilWindowEnds: () => windowMs - ((now() + databaseClock) % windowMs),
      record: (incident) => incidents.push(incident),
      stop: AbortSignal.timeout(Math.ceil(Math.max(0, options.seconds * 1_000 - now()))),
    });
    await delay(options.tolerances.recoveryMs + 1_000);
  } finally {
    idle.abort();
    await Promise.all(sending);
  }
  return { calls, incidents, changes: await changing };
}

interface ChangeContext {
  readonly random: Random;
  readonly small: Limits;
  now(): number;
  readonly stop: AbortSignal;
}

const partOf = (limits: Limits, part = 1): Limits =>
  Object.fromEntries(groups.map((group) => [group, Math.ceil(limits[group] * part)])) as unknown as Limits;

/** An administrator who sets other limits for the last organization again and again. Returns what held when. */
async function changeLimits(cluster: Cluster, { tenants }: Tenants, context: ChangeContext): Promise<LimitChange[]> {
  const { random, small, now, stop } = context;
  const changes = tenants.flatMap((tenant) => changesTo(tenant, tenant.limits, { from: 0, to: 0 }));
  const tenant = tenants.at(-1) as Tenant;
  const { organizationId } = tenant;
  while (!stop.aborted) {
    await delay(changeEveryMs, undefined, { signal: stop }).catch(() => undefined);
    if (stop.aborted) break;
    const factor = random.between(0.2, 2);
    const limits = partOf(small, factor);
    const from = now();
    await untilSet(() => cluster.admin.setOrganizationLimits({ organizationId, limits }, { timeoutMs: 2_000 }));
    changes.push(...changesTo(tenant, limits, { from, to: now() }));
  }
  return changes;
}

const changesTo = ({ organizationId }: Tenant, limits: Limits, setting: LimitChange["setting"]): LimitChange[] =>
  groups.map((group) => ({ organizationId, group, limit: limits[group], setting }));

/** The database is away at times. */
async function untilSet(set: () => Promise<unknown>): Promise<void> {
  for (let left = 100; left > 0; left -= 1) {
    const isSet = await set().then(
      () => true,
      () => false,
    );
    if (isSet) return;
    await delay(100);
  }
  throw new Error("limits could not be set");
}
