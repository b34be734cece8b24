import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import pg from "pg";
import { type CpuTimes, cpuPerRequest, cpuText } from "../cpu.ts";
import type { LoadPlan, LoadResult } from "../load/plan.ts";
import { runLoad } from "../load/run-load.ts";
import type { BenchOptions } from "../options.ts";
import { type Figure, median } from "../report.ts";
import type { BenchSystem } from "../system.ts";
import { agreementConnections, compatiblePlan, nativePlan } from "./agreement-plan.ts";

interface Measured {
  readonly load: LoadResult;
  readonly cpu: CpuTimes | undefined;
}

/** P6: agreements created and sent a second, through both interfaces, against storing the same files. P12: and read. */
export async function agreementMeasures(system: BenchSystem, options: BenchOptions): Promise<Figure[]> {
  const plans = { native: await nativePlan(system.demo), compatible: await compatiblePlan(system.demo) };
  const measure = createMeasure(system);
  const [native, compatible]: [Measured[], Measured[]] = [[], []];
  const stored: number[] = [];
  for (const plan of Object.values(plans)) await measure({ ...plan, seconds: 2 }, 201);
  for (let round = 0; round < options.rounds; round += 1) {
    stored.push(await storeFiles(options.seconds, system.superuserUrl));
    native.push(await measure({ ...plans.native, seconds: options.seconds }, 201));
    compatible.push(await measure({ ...plans.compatible, seconds: options.seconds }, 201));
  }
  const figures = [
    createFigure("agreements created and sent ÷ files stored", native, median(stored)),
    createFigure("the same through the compatible interface", compatible, median(stored)),
  ];
  return options.wants("P12") ? [...figures, ...(await readMeasures(system, native, measure, options))] : figures;
}

type Measure = (plan: LoadPlan, status: number) => Promise<Measured>;

/** Every request has a number of its own, and so a PDF of its own. */
function createMeasure({ cpu }: BenchSystem): Measure {
  let firstNumber = 0;
  return async (plan, status) => {
    const before = cpu.read();
    const load = await runLoad({ ...plan, firstNumber }, [status]);
    firstNumber += load.requests;
    const used = cpuPerRequest(before, cpu.read(), load.requests);
    return { load, cpu: used && { ...used, load: load.cpuMs / load.requests } };
  };
}

function createFigure(what: string, rounds: readonly Measured[], baseline: number): Figure {
  const value = rateOf(rounds);
  const base = { id: "P6", what, mode: "distributed", value, unit: "/s", goal: "≥ 0.25" };
  return { ...base, baseline, ratio: value / baseline, ...costOf(rounds) };
}

const rateOf = (rounds: readonly Measured[]): number => median(rounds.map(({ load }) => load.perSecond));

function costOf(rounds: readonly Measured[]): Pick<Figure, "note" | "cpuMs"> {
  const cpuMs = rounds.at(-1)?.cpu;
  const p99 = median(rounds.map(({ load }) => load.latencyMs.p99));
  const note = `p99 ${p99.toFixed(1)} ms at ${agreementConnections} connections`;
  return cpuMs === undefined ? { note } : { note: `${note}; CPU ms: ${cpuText(cpuMs)}`, cpuMs };
}

/** Reads go to so many agreements in turn that hardly any two at once are of the same one. */
const readAgreements = 2_000;

async function readMeasures(
  system: BenchSystem,
  created: readonly Measured[],
  measure: Measure,
  options: BenchOptions,
): Promise<Figure[]> {
  const { baseUrl, apiKey } = system.demo;
  const plan: LoadPlan = {
    url: baseUrl,
    paths: (await idsOf(system.superuserUrl)).map((id) => `/v1/sign/agreements/${id}`),
    method: "GET",
    headers: { Authorization: `Bearer ${apiKey}` },
    connections: agreementConnections,
    warmupSeconds: 0,
    seconds: options.seconds,
  };
  await measure({ ...plan, seconds: 2 }, 200);
  const reads: Measured[] = [];
  for (let round = 0; round < options.rounds; round += 1) reads.push(await measure(plan, 200));
  const base = { id: "P12", mode: "distributed", unit: "/s" };
  return [
    { ...base, what: "agreements created and sent", value: rateOf(created), goal: "≥ 100" },
    { ...base, what: "agreements read", value: rateOf(reads), goal: "≥ 1,000", ...costOf(reads) },
  ];
}

async function idsOf(superuserUrl: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: superuserUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ id: string }>("select id from sign.agreement order by id limit $1", [
      readAgreements,
    ]);
    return rows.map(({ id }) => id);
  } finally {
    await client.end();
  }
}

const run = promisify(execFile);

async function storeFiles(seconds: number, superuserUrl: string): Promise<number> {
  const entry = join(import.meta.dirname, "../baselines/store-files.ts");
  const args = [entry, String(seconds), String(agreementConnections), superuserUrl];
  const { stdout } = await run(process.execPath, args);
  return Number(stdout);
}
