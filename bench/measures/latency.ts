import type { Echo } from "../baselines/start-echo.ts";
import type { LoadResult } from "../load/plan.ts";
import { runLoad } from "../load/run-load.ts";
import type { BenchOptions } from "../options.ts";
import { type Figure, median } from "../report.ts";
import type { BenchSystem } from "../system.ts";
import { acceptPlan, connections, echoPlan } from "./accept-plan.ts";

/**
 * P3: how long an accept takes at a quarter of what the system can do. Requests start at fixed times, and each counts
 * from the time when it should have started: a request that had to wait for a connection waited.
 */
export async function latencyMeasures(
  system: BenchSystem,
  echo: Echo,
  capacity: number,
  options: BenchOptions,
): Promise<Figure[]> {
  const ratePerSecond = capacity / 4;
  const accepts: LoadResult[] = [];
  const echoes: LoadResult[] = [];
  for (let round = 0; round < options.rounds; round += 1) {
    const load = { warmupSeconds: 1, seconds: options.seconds, ratePerSecond };
    echoes.push(await runLoad(echoPlan(echo, load), [201]));
    accepts.push(await runLoad(acceptPlan(system, `latency-${round}`, load), [201]));
  }
  const quantile = (results: readonly LoadResult[], name: "p50" | "p99"): number =>
    median(results.map((result) => result.latencyMs[name]));
  const figure = (name: "p50" | "p99", goal: string): Figure => ({
    id: "P3",
    what: `${name} of accept at a quarter of P1's rate`,
    mode: "distributed",
    value: quantile(accepts, name),
    unit: "ms",
    baseline: quantile(echoes, name),
    ratio: quantile(accepts, name) / quantile(echoes, name),
    goal,
    note: `${ratePerSecond.toFixed(0)}/s at fixed times over ${connections} connections; baseline: bare Express at this rate`,
  });
  return [figure("p99", "≤ 25 ms"), figure("p50", "")];
}
