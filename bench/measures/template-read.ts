import type { Echo } from "../baselines/start-echo.ts";
import { type CpuTimes, cpuMilliseconds, cpuPerRequest, cpuText } from "../cpu.ts";
import type { LoadPlan } from "../load/plan.ts";
import { runLoad } from "../load/run-load.ts";
import type { BenchOptions } from "../options.ts";
import { type Figure, median } from "../report.ts";
import type { BenchSystem } from "../system.ts";
import { connections } from "./accept-plan.ts";

/** P5: what the gateway itself spends on a read that a service answers, against what bare Express spends on a GET. */
export async function templateReadMeasures(system: BenchSystem, echo: Echo, options: BenchOptions): Promise<Figure[]> {
  const { cpu } = system;
  const read = await templateReadPlan(system);
  const bare: LoadPlan = { ...read, url: echo.url };
  const readEcho = () => ({ express: cpuMilliseconds(echo.pid) });
  const reads: CpuTimes[] = [];
  const echoes: CpuTimes[] = [];
  for (let round = 0; round < options.rounds; round += 1) {
    echoes.push(...(await measureCpu(bare, options.seconds, readEcho)));
    reads.push(...(await measureCpu(read, options.seconds, cpu.read)));
  }
  const of = (times: readonly CpuTimes[], name: string): number => median(times.map((one) => one[name] ?? Number.NaN));
  const base = { id: "P5", what: "gateway CPU of GET template ÷ bare Express GET", mode: "distributed", unit: "ms" };
  const goal = "≤ 4";
  const [last] = reads.slice(-1);
  if (last === undefined) return [{ ...base, value: undefined, goal, note: "the machine does not tell CPU times" }];
  const value = of(reads, "gateway");
  const baseline = of(echoes, "express");
  return [{ ...base, value, baseline, ratio: value / baseline, goal, note: `CPU ms: ${cpuText(last)}` }];
}

/** Without a length. */
export const templateReadPlan = async (system: Pick<BenchSystem, "demo" | "accessToken">): Promise<LoadPlan> => ({
  url: `${system.demo.baseUrl}/v1/click/templates/${await findTemplate(system)}`,
  method: "GET",
  headers: { Authorization: `Bearer ${system.accessToken}` },
  connections,
  warmupSeconds: 0,
  seconds: 0,
});

/** CPU per request, after a second of warming up; nothing where the machine does not tell. */
async function measureCpu(plan: LoadPlan, seconds: number, read: () => CpuTimes | undefined): Promise<CpuTimes[]> {
  await runLoad({ ...plan, seconds: 1 }, [200]);
  const before = read();
  const { requests } = await runLoad({ ...plan, seconds }, [200]);
  const used = cpuPerRequest(before, read(), requests);
  return used === undefined ? [] : [used];
}

/** The template of the demo, which an acceptance names. */
export async function findTemplate({ demo, accessToken }: Pick<BenchSystem, "demo" | "accessToken">): Promise<string> {
  const response = await fetch(`${demo.baseUrl}/v1/click/accept`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${accessToken}`,
      "content-type": "application/json",
      "x-idempotency-key": "which-template",
    },
    body: JSON.stringify({ templateSlug: "terms-of-service", userRef: "bench" }),
  });
  const { templateId } = (await response.json()) as { templateId: string };
  return templateId;
}
