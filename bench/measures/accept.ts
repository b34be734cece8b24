import type { Echo } from "../baselines/start-echo.ts";
import { type CpuTimes, cpuPerRequest, cpuText } from "../cpu.ts";
import type { LoadResult } from "../load/plan.ts";
import { runLoad } from "../load/run-load.ts";
import type { BenchOptions } from "../options.ts";
import { type Figure, median } from "../report.ts";
import type { BenchSystem } from "../system.ts";
import { acceptPlan, connections, echoPlan } from "./accept-plan.ts";
import { pgbenchTwoInserts } from "./pgbench.ts";

export interface AcceptMeasures {
  readonly figures: readonly Figure[];
  /** Accepts a second, the median of the rounds. */
  readonly rate: number;
}

interface Round {
  readonly accept: LoadResult;
  /** Undefined where the machine does not tell. */
  readonly cpu: CpuTimes | undefined;
  readonly echoRate: number;
  /** Undefined without pgbench. */
  readonly pgbenchRate: number | undefined;
}

/** P1 and P2: durable, authenticated, limited accepts a second against bare Express and against pgbench. */
export async function acceptMeasures(system: BenchSystem, echo: Echo, options: BenchOptions): Promise<AcceptMeasures> {
  const rounds: Round[] = [];
  for (let n = 0; n < options.rounds; n += 1) {
    const load = { warmupSeconds: 2, seconds: options.seconds };
    const echoRate = (await runLoad(echoPlan(echo, load), [201])).perSecond;
    const measured = await measureAccept(system, options, n);
    rounds.push({ ...measured, echoRate, pgbenchRate: await pgbenchTwoInserts(system.databaseUrl, options.seconds) });
  }
  const rate = median(rounds.map(({ accept }) => accept.perSecond));
  return { rate, figures: figuresOf(rounds, rate) };
}

/** The warm-up is a load of its own, so that what it costs is not counted. */
async function measureAccept(
  system: BenchSystem,
  options: BenchOptions,
  round: number,
): Promise<Pick<Round, "accept" | "cpu">> {
  await runLoad(acceptPlan(system, `warm-${round}`, { warmupSeconds: 0, seconds: 2 }), [201]);
  const before = system.cpu.read();
  const accept = await runLoad(
    acceptPlan(system, `round-${round}`, { warmupSeconds: 0, seconds: options.seconds }),
    [201],
  );
  const cpu = cpuPerRequest(before, system.cpu.read(), accept.requests);
  return { accept, cpu: cpu && { ...cpu, load: accept.cpuMs / accept.requests } };
}

function figuresOf(rounds: readonly Round[], rate: number): Figure[] {
  const echoRate = median(rounds.map((round) => round.echoRate));
  const pgbenchRates = rounds.flatMap(({ pgbenchRate }) => pgbenchRate ?? []);
  const pgbenchRate = pgbenchRates.length > 0 ? median(pgbenchRates) : undefined;
  const p99 = median(rounds.map(({ accept }) => accept.latencyMs.p99));
  const cpu = medianCpu(rounds.flatMap((round) => (round.cpu === undefined ? [] : [round.cpu])));
  const base = { mode: "distributed", value: rate, unit: "/s" };
  return [
    {
      ...base,
      id: "P1",
      what: "accepts ÷ bare Express JSON echo",
      baseline: echoRate,
      ratio: rate / echoRate,
      goal: "≥ 0.35",
      note: `p99 ${p99.toFixed(1)} ms at ${connections} connections${cpu === undefined ? "" : `; CPU ms: ${cpuText(cpu)}`}`,
      ...(cpu === undefined ? {} : { cpuMs: cpu }),
    },
    {
      ...base,
      id: "P2",
      what: "accepts ÷ pgbench with two inserts",
      goal: "≥ 0.5",
      ...(pgbenchRate === undefined
        ? { note: "pgbench not found" }
        : { baseline: pgbenchRate, ratio: rate / pgbenchRate }),
    },
  ];
}

function medianCpu(times: readonly CpuTimes[]): CpuTimes | undefined {
  const [first] = times;
  if (first === undefined) return undefined;
  return Object.fromEntries(Object.keys(first).map((name) => [name, median(times.map((one) => one[name] ?? 0))]));
}
