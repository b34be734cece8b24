import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type pg from "pg";
import { until } from "#platform/testing/until.ts";
import type { ManagedProcess } from "../../../dev/distributed.ts";
import type { Point, Series } from "./slopes.ts";

export interface Sampler {
  /** Asks every process, and the database. */
  sample(at: number): Promise<void>;
  readonly series: () => Series[];
  /** The latest an event loop was at the last sample, in milliseconds, and whose. */
  readonly lateLoop: () => string;
}

interface Probed {
  readonly heapUsed: number;
  readonly external: number;
  readonly loopP99Ms: number;
  readonly resources: number;
}

const megabyte = 1_048_576;

/** `folder` is where the probes write. */
export function createSampler(processes: readonly ManagedProcess[], inspector: pg.Pool, folder: string): Sampler {
  const found = new Map<string, { name: string; unit: string; points: Point[] }>();
  let late: { name: string; ms: number } = { name: "", ms: 0 };
  const note = (name: string, unit: string, at: number, value: number): void => {
    const key = `${name} ${unit}`;
    const series = found.get(key) ?? { name, unit, points: [] };
    series.points.push({ at, value });
    found.set(key, series);
  };
  const sampleProcess = async (process: ManagedProcess, at: number): Promise<void> => {
    const { heapUsed, external, loopP99Ms, resources } = await probe(process, folder);
    const pid = process.pid ?? 0;
    note(process.name, "heap MB", at, heapUsed / megabyte);
    note(process.name, "external MB", at, external / megabyte);
    note(process.name, "RSS MB", at, residentMegabytes(pid));
    note(process.name, "open files", at, readdirSync(`/proc/${pid}/fd`).length);
    note(process.name, "active resources", at, resources);
    if (loopP99Ms > late.ms) late = { name: process.name, ms: loopP99Ms };
  };
  return {
    sample: async (at) => {
      late = { name: "", ms: 0 };
      // One after the other: a collection holds its process, and all at once would hold every request.
      for (const process of processes) await sampleProcess(process, at);
      const { rows } = await inspector.query<{ name: string; n: number }>(
        `select application_name as name, count(*)::int as n from pg_stat_activity
         where datname = current_database() and pid <> pg_backend_pid() group by 1`,
      );
      note(
        "postgres",
        "connections",
        at,
        rows.reduce((sum, { n }) => sum + n, 0),
      );
    },
    series: () => [...found.values()],
    lateLoop: () => `${late.ms.toFixed(0)} ms ${late.name}`,
  };
}

async function probe({ pid = 0, kill }: ManagedProcess, folder: string): Promise<Probed> {
  const file = join(folder, `${pid}.jsonl`);
  const lines = (): string[] => (existsSync(file) ? readFileSync(file, "utf8").split("\n").slice(0, -1) : []);
  const before = lines().length;
  kill("SIGUSR2");
  await until(() => lines().length > before, 60_000);
  return JSON.parse(lines().at(-1) ?? "{}") as Probed;
}

function residentMegabytes(pid: number): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kilobytes) / 1_024;
}
