import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import type { Demo } from "../../dev/demo.ts";
import { childrenOf } from "../cpu.ts";
import { runLoad } from "../load/run-load.ts";
import type { BenchOptions } from "../options.ts";
import type { Figure } from "../report.ts";
import { singleProcessCopy } from "../single-process.ts";

/** V8 gives pages back some seconds after they are free. */
const settleMs = 15_000;
const samples = 20;

/** P10: memory of the single process and its children when idle (Postgres not counted), and its slope under load. */
export async function memoryMeasures(options: BenchOptions): Promise<Figure[]> {
  const copy = singleProcessCopy();
  try {
    const { process: child, demo } = await copy.start();
    const pid = child.pid ?? 0;
    await delay(settleMs);
    const idle = megabytesWithChildren(pid);
    // Heap and code caches fill in the first seconds of load; the slope counts after that.
    await load(demo, 10, "warm");
    const points: Array<[seconds: number, megabytes: number]> = [];
    for (let n = 0; n < samples; n++) {
      await load(demo, options.soakSeconds / samples, `soak-${n}`);
      points.push([(n + 1) * (options.soakSeconds / samples), megabytesWithChildren(pid)]);
    }
    const base = { mode: "single process" };
    return [
      { ...base, id: "P10", what: "memory when idle, children included", value: idle, unit: "MB", goal: "≤ 250 MB" },
      {
        ...{ ...base, id: "P10", what: "memory after load, children included" },
        ...{ value: points.at(-1)?.[1], unit: "MB", goal: "≤ 300 MB" },
      },
      {
        ...base,
        id: "P10",
        what: `memory slope over ${options.soakSeconds} s of load`,
        value: slope(points) * 60,
        unit: "MB/min",
        goal: "0",
        note: `${points[0]?.[1].toFixed(0)} MB at first, ${points.at(-1)?.[1].toFixed(0)} MB at last`,
      },
    ];
  } finally {
    await copy.stop();
    copy.remove();
  }
}

// Half of the budget of an organization (6,000 a minute), so that every request is processed.
const ratePerSecond = 50;

async function load(demo: Demo, seconds: number, prefix: string): Promise<void> {
  const plan = {
    url: `${demo.baseUrl}/v1/click/accept`,
    method: "POST" as const,
    headers: { Authorization: `Bearer ${demo.apiKey}` },
    body: JSON.stringify({ templateSlug: "terms-of-service", userRef: "user-{n}" }),
    keyPrefix: prefix,
    connections: 8,
    warmupSeconds: 0,
    seconds,
    ratePerSecond,
  };
  await runLoad(plan, [201]);
}

/** Physical memory of a process. */
export function residentMegabytes(pid: number): number {
  const match = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"));
  return Number(match?.[1] ?? Number.NaN) / 1024;
}

/** Of a process and those that it has started, apart from Postgres. */
function megabytesWithChildren(pid: number): number {
  const children = childrenOf(pid).filter((child) => !readFileSync(`/proc/${child}/comm`, "utf8").includes("postgres"));
  return [pid, ...children].reduce((sum, one) => sum + residentMegabytes(one), 0);
}

/** Least-squares slope. */
function slope(points: ReadonlyArray<readonly [number, number]>): number {
  const meanX = points.reduce((sum, [x]) => sum + x, 0) / points.length;
  const meanY = points.reduce((sum, [, y]) => sum + y, 0) / points.length;
  const covariance = points.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0);
  const variance = points.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0);
  return covariance / variance;
}
