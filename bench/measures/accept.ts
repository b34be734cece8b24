import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { LoadPlan, LoadResult } from "../load/plan.ts";
import { runLoad } from "../load/run-load.ts";
import { type Figure, median } from "../report.ts";
import type { BenchOptions } from "../run.ts";
import { type BenchSystem, cpuMilliseconds, startBenchSystem } from "../system.ts";
import { pgbenchTwoInserts } from "./pgbench.ts";

const connections = 64;

/** P1 and P2: durable, authenticated, limited accepts a second against bare Express and against pgbench. */
export async function acceptMeasures(options: BenchOptions): Promise<Figure[]> {
  const system = await startBenchSystem();
  const echo = await startEcho();
  try {
    const echoRates: number[] = [];
    const accepts: LoadResult[] = [];
    const pgbenchRates: number[] = [];
    let cpu: CpuPerRequest | undefined;
    for (let round = 0; round < options.rounds; round++) {
      echoRates.push((await runLoad(echoPlan(echo.url, options), [201])).perSecond);
      const measured = await measureAccept(system, options, round);
      accepts.push(measured.result);
      cpu = measured.cpu ?? cpu;
      const rate = await pgbenchTwoInserts(system.databaseUrl, options.seconds);
      if (rate !== undefined) pgbenchRates.push(rate);
    }
    return figures(echoRates, accepts, pgbenchRates, cpu);
  } finally {
    echo.process.kill("SIGTERM");
    await system.stop();
  }
}

interface CpuPerRequest {
  readonly gateway: number;
  readonly click: number;
}

function figures(
  echoRates: readonly number[],
  accepts: readonly LoadResult[],
  pgbenchRates: readonly number[],
  cpu: CpuPerRequest | undefined,
): Figure[] {
  const rate = median(accepts.map((a) => a.perSecond));
  const echoRate = median(echoRates);
  const pgbenchRate = pgbenchRates.length > 0 ? median(pgbenchRates) : undefined;
  const p99 = median(accepts.map((a) => a.latencyMs.p99));
  const base = { mode: "distributed", value: rate, unit: "/s" };
  const p2: Figure = {
    ...base,
    id: "P2",
    what: "accepts ÷ pgbench with two inserts",
    goal: "≥ 0.5",
    ...(pgbenchRate === undefined
      ? { note: "pgbench not found" }
      : { baseline: pgbenchRate, ratio: rate / pgbenchRate }),
  };
  const note = cpu === undefined ? "" : `, CPU ms: gateway ${cpu.gateway.toFixed(3)}, click ${cpu.click.toFixed(3)}`;
  return [
    {
      ...base,
      id: "P1",
      what: "accepts ÷ bare Express JSON echo",
      baseline: echoRate,
      ratio: rate / echoRate,
      goal: "≥ 0.35",
      note: `p99 ${p99.toFixed(1)} ms at ${connections} connections${note}`,
    },
    p2,
  ];
}

async function measureAccept(system: BenchSystem, options: BenchOptions, round: number) {
  const plan: LoadPlan = {
    url: `${system.demo.baseUrl}/v1/click/accept`,
    method: "POST",
    headers: { Authorization: `Bearer ${system.accessToken}` },
    body: acceptBody,
    keyPrefix: `bench-${process.pid}-${round}`,
    connections,
    warmupSeconds: 2,
    seconds: options.seconds,
  };
  const pidsOf = (service: string) => system.running.of(service).map((p) => p.pid);
  const before = { gateway: cpuMilliseconds(pidsOf("gateway")), click: cpuMilliseconds(pidsOf("click")) };
  const result = await runLoad(plan, [201]);
  const after = { gateway: cpuMilliseconds(pidsOf("gateway")), click: cpuMilliseconds(pidsOf("click")) };
  // The warm-up is in the CPU time too; its share of the requests is estimated by its share of the time.
  const requests = result.requests * ((plan.warmupSeconds + plan.seconds) / plan.seconds);
  const per = (from: number | undefined, to: number | undefined) =>
    ((to ?? Number.NaN) - (from ?? Number.NaN)) / requests;
  const cpu = { gateway: per(before.gateway, after.gateway), click: per(before.click, after.click) };
  return { result, cpu: Number.isNaN(cpu.gateway) ? undefined : cpu };
}

/** What a backend typically sends: who accepted what, how it was shown, and from where. */
const acceptBody = JSON.stringify({
  templateSlug: "terms-of-service",
  userRef: "user-{n}",
  locale: "en",
  action: "CHECKBOX_AND_BUTTON",
  presentation: {
    surface: "WEB",
    wrapType: "CLICKWRAP",
    buttonText: "I agree",
    scrolledToEnd: true,
    displayedMs: 5210,
  },
  context: {
    ip: "203.0.113.7",
    userAgent: "Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0",
    pageUrl: "https://shop.example/checkout",
  },
  metadata: { order: "order-{n}" },
});

const echoPlan = (url: string, options: BenchOptions): LoadPlan => ({
  url,
  method: "POST",
  headers: { Authorization: "Bearer none" },
  body: acceptBody,
  keyPrefix: "echo",
  connections,
  warmupSeconds: 2,
  seconds: options.seconds,
});

async function startEcho(): Promise<{ url: string; process: ChildProcess }> {
  const entry = join(import.meta.dirname, "../baselines/express-echo.ts");
  const child = spawn(process.execPath, [entry], { stdio: ["ignore", "pipe", "inherit"] });
  const [port] = (await once(child.stdout, "data")) as [Buffer];
  return { url: `http://127.0.0.1:${port.toString().trim()}/echo`, process: child };
}
