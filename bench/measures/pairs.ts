import { availableParallelism } from "node:os";
import pg from "pg";
import { type CpuTimes, cpuPerRequest } from "../cpu.ts";
import type { LoadResult } from "../load/plan.ts";
import { performLoad } from "../load/run-load.ts";
import type { BenchOptions } from "../options.ts";
import { type Figure, median } from "../report.ts";
import { type BenchSystem, startBenchSystem } from "../system.ts";
import { acceptPlan, connections } from "./accept-plan.ts";

interface Round {
  readonly perSecond: number;
  readonly answered: number;
  readonly errors: number;
  readonly stored: number;
  readonly cpu: CpuTimes | undefined;
}

/** What the goal was set for: with fewer cores two processes share what one had. */
const coresOfGoal = 4;

/**
 * P11: two gateway and two click processes against one of each, in two copies of the product that take turns. Every
 * acceptance that was answered is looked for in the database afterwards.
 */
export async function pairMeasures(options: BenchOptions): Promise<Figure[]> {
  const one = await startBenchSystem();
  try {
    const two = await startBenchSystem({ gateways: 2, clicks: 2 });
    try {
      const [ofOne, ofTwo]: [Round[], Round[]] = [[], []];
      for (let n = 0; n < options.rounds; n += 1) {
        ofOne.push(await measure(one, options, n));
        ofTwo.push(await measure(two, options, n));
      }
      return [figureOf(ofOne, ofTwo)];
    } finally {
      await two.stop();
    }
  } finally {
    await one.stop();
  }
}

async function measure(system: BenchSystem, { seconds }: BenchOptions, round: number): Promise<Round> {
  const before = await storedOf(system);
  const warm = await loadAll(system, `pairs-warm-${round}`, 2);
  const cpuBefore = system.cpu.read();
  const results = await loadAll(system, `pairs-${round}`, seconds);
  const cpu = cpuPerRequest(
    cpuBefore,
    system.cpu.read(),
    sum(results, ({ requests }) => requests),
  );
  const all = [...warm, ...results];
  const answered = sum(all, ({ statuses }) => statuses["201"] ?? 0);
  return {
    perSecond: sum(results, ({ perSecond }) => perSecond),
    answered,
    errors: sum(all, ({ requests }) => requests) - answered,
    stored: (await storedOf(system)) - before,
    cpu,
  };
}

/** The same connections, spread over the gateways as a load balancer does. */
const loadAll = ({ running, ...system }: BenchSystem, name: string, seconds: number): Promise<LoadResult[]> =>
  Promise.all(
    running.baseUrls.map((baseUrl, n) => {
      const plan = acceptPlan(system, `${name}-${n}`, { warmupSeconds: 0, seconds });
      return performLoad({
        ...plan,
        url: plan.url.replace(system.demo.baseUrl, baseUrl),
        connections: connections / running.baseUrls.length,
      });
    }),
  );

/** All acceptances of the organization, which nobody else adds to. */
async function storedOf({ superuserUrl, demo }: BenchSystem): Promise<number> {
  const client = new pg.Client({ connectionString: superuserUrl });
  await client.connect();
  try {
    const sql = "select count(*)::int as n from click.acceptance where organization_id = $1";
    return (await client.query<{ n: number }>(sql, [demo.organizationId])).rows[0]?.n ?? 0;
  } finally {
    await client.end();
  }
}

function figureOf(ofOne: readonly Round[], ofTwo: readonly Round[]): Figure {
  const [baseline, value] = [ofOne, ofTwo].map((rounds) => median(rounds.map(({ perSecond }) => perSecond)));
  const all = [...ofOne, ...ofTwo];
  const answered = sum(all, (round) => round.answered);
  const cores = availableParallelism();
  const cpuText = [ofOne, ofTwo].map((rounds) => median(rounds.map(({ cpu }) => totalOf(cpu))).toFixed(3));
  return {
    id: "P11",
    what: "accepts with two gateway and two click processes ÷ with one of each",
    mode: "distributed",
    value: value ?? 0,
    unit: "/s",
    baseline: baseline ?? 0,
    ratio: (value ?? 0) / (baseline ?? 1),
    goal: `≥ 1.7 on ${coresOfGoal} cores; no loss, no error`,
    note: [
      `${answered} answered, ${answered - sum(all, ({ stored }) => stored)} of them not stored, ${sum(all, ({ errors }) => errors)} errors`,
      `CPU ms of all parts ${cpuText[1]}, with one of each ${cpuText[0]}`,
      cores < coresOfGoal
        ? `${cores} cores: the ratio says nothing of the goal, which is for ${coresOfGoal}`
        : `${cores} cores`,
    ].join("; "),
  };
}

const totalOf = (cpu: CpuTimes | undefined): number =>
  cpu === undefined ? Number.NaN : Object.values(cpu).reduce((total, one) => total + one, 0);

const sum = <T>(values: readonly T[], of: (value: T) => number): number =>
  values.reduce((total, value) => total + of(value), 0);
