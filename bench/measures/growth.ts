import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { fillAcceptances } from "../fill/fill-acceptances.ts";
import { type KnownUsers, recordKnownUsers } from "../fill/known-users.ts";
import type { LoadPlan } from "../load/plan.ts";
import { runLoad } from "../load/run-load.ts";
import type { BenchOptions } from "../options.ts";
import { type Figure, median } from "../report.ts";
import { type BenchSystem, startBenchSystem } from "../system.ts";
import { acceptPlan } from "./accept-plan.ts";

const smallRows = 10_000;
const knownUsers = 1_000;
const readers = 8;

interface Filled {
  readonly system: BenchSystem;
  readonly rows: number;
  readonly known: KnownUsers;
  /** Of filling, and of building the tree over it. */
  readonly seconds: { readonly fill: number; readonly tree: number };
}

/** P4: what the same work costs in a large database and in a small one, which take turns. */
export async function growthMeasures(options: BenchOptions): Promise<Figure[]> {
  const filled: Filled[] = [];
  try {
    for (const rows of [smallRows, options.rows]) filled.push(await startFilled(rows));
    const [small, large] = filled as [Filled, Filled];
    const figures: Figure[] = [];
    for (const [what, planOf] of Object.entries(works)) {
      const rates = await takeTurns([small, large], options, planOf);
      figures.push(figureOf(what, rates, large));
    }
    return figures;
  } finally {
    for (const { system } of filled) await system.stop();
  }
}

type PlanOf = (filled: Filled, seconds: number, round: number) => LoadPlan;

/** Reads come first: accepts make the small database grow. */
const works: Readonly<Record<string, PlanOf>> = {
  "consent read": ({ system, known }, seconds) => readPlan(system, known.consentPaths, seconds),
  "evidence bundle": ({ system, known }, seconds) => readPlan(system, known.evidencePaths, seconds),
  "inclusion proof": ({ system, rows }, seconds) => readPlan(system, proofPaths(rows), seconds),
  accept: ({ system, rows }, seconds, round) =>
    acceptPlan(system, `growth-${rows}-${round}`, { warmupSeconds: 1, seconds }),
};

const readPlan = ({ demo, accessToken }: BenchSystem, paths: readonly string[], seconds: number): LoadPlan => ({
  url: demo.baseUrl,
  paths,
  method: "GET",
  headers: { Authorization: `Bearer ${accessToken}` },
  connections: readers,
  warmupSeconds: 1,
  seconds,
});

/** Leaves all over the log, in an order that jumps. */
const proofPaths = (rows: number): string[] =>
  Array.from({ length: 5_000 }, (_, n) => `/v1/click/log/proofs/inclusion?index=${(n * 7_919_993) % rows}`);

/** Answers a second in each database, the median of the rounds. */
async function takeTurns(databases: readonly Filled[], options: BenchOptions, planOf: PlanOf): Promise<number[]> {
  const rates: number[][] = databases.map(() => []);
  for (let round = 0; round < options.rounds; round += 1) {
    for (const [n, filled] of databases.entries()) {
      const plan = planOf(filled, options.seconds, round);
      rates[n]?.push((await runLoad(plan, [plan.method === "POST" ? 201 : 200])).perSecond);
    }
  }
  return rates.map(median);
}

function figureOf(what: string, rates: readonly number[], { rows, seconds }: Filled): Figure {
  const [small = Number.NaN, large = Number.NaN] = rates;
  return {
    id: "P4",
    what: `cost of ${what} with ${rows} acceptances ÷ with ${smallRows}`,
    mode: "distributed",
    value: large,
    unit: "/s",
    baseline: small,
    ratio: small / large,
    goal: "≤ 1.25",
    note: `filled in ${seconds.fill.toFixed(0)} s, tree built in another ${seconds.tree.toFixed(0)} s`,
  };
}

async function startFilled(rows: number): Promise<Filled> {
  const system = await startBenchSystem();
  try {
    const known = await recordKnownUsers(system, knownUsers);
    const { superuserUrl, demo } = system;
    // Statistics follow the events; the copied user must be counted.
    await untilTrue(superuserUrl, "select count(*) > 0 from click.stat_user");
    const began = performance.now();
    await fillAcceptances({ superuserUrl, organizationId: demo.organizationId, ...known, rows });
    const filled = performance.now();
    await untilTrue(
      superuserUrl,
      "select bool_and(t.size = h.size) from click.log_head h left join click.log_tree t using (organization_id)",
    );
    const seconds = { fill: (filled - began) / 1_000, tree: (performance.now() - filled) / 1_000 };
    return { system, rows, known, seconds };
  } catch (error) {
    await system.stop();
    throw error;
  }
}

const patienceMs = 30 * 60_000;

async function untilTrue(url: string, sql: string): Promise<void> {
  const deadline = performance.now() + patienceMs;
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const isTrue = async (): Promise<boolean> =>
      Object.values((await client.query<Record<string, boolean>>(sql)).rows[0] ?? {})[0] === true;
    while (!(await isTrue())) {
      if (performance.now() > deadline) throw new Error(`never became true: ${sql}`);
      await delay(200);
    }
  } finally {
    await client.end();
  }
}
