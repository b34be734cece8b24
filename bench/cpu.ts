import { readdirSync, readFileSync } from "node:fs";
import type { Distributed } from "../dev/distributed.ts";

/** CPU milliseconds by what used them. */
export type CpuTimes = Readonly<Record<string, number>>;

export interface CpuMeter {
  /** What each part has used so far, user and system together; undefined where /proc is missing. */
  read(): CpuTimes | undefined;
}

export interface CpuParts {
  readonly running: Distributed;
  readonly postgresPidFile: string;
  readonly natsPidFile: string;
}

const services = ["gateway", "click", "templates", "docgen", "sign", "webhooks", "auth"] as const;

export function createCpuMeter({ running, postgresPidFile, natsPidFile }: CpuParts): CpuMeter {
  const sum = (pids: readonly number[]): number => pids.reduce((total, pid) => total + cpuMilliseconds(pid), 0);
  return {
    read: () => {
      try {
        const ofServices = services.map((name): [string, number] => [name, sum(pidsOf(running, name))]);
        const postmaster = firstNumber(postgresPidFile);
        return {
          ...Object.fromEntries(ofServices),
          renderers: sum(pidsOf(running, "docgen").flatMap(childrenOf)),
          intake: sum(pidsOf(running, "sign").flatMap(childrenOf)),
          // A backend that ends leaves what it used to its parent.
          postgres: sum(childrenOf(postmaster)) + cpuMilliseconds(postmaster, { withEndedChildren: true }),
          nats: cpuMilliseconds(firstNumber(natsPidFile)),
        };
      } catch {
        return undefined;
      }
    },
  };
}

/** What was used for each of so many requests between two readings. */
export const cpuPerRequest = (
  before: CpuTimes | undefined,
  after: CpuTimes | undefined,
  requests: number,
): CpuTimes | undefined =>
  before &&
  after &&
  Object.fromEntries(Object.entries(after).map(([name, used]) => [name, (used - (before[name] ?? 0)) / requests]));

export const cpuText = (times: CpuTimes): string =>
  Object.entries(times)
    .map(([name, milliseconds]) => `${name} ${milliseconds.toFixed(3)}`)
    .join(", ");

const pidsOf = (running: Distributed, service: string): number[] =>
  running.of(service).flatMap((process) => process.pid ?? []);

const firstNumber = (file: string): number => Number.parseInt(readFileSync(file, "utf8"), 10);

/** Fields of /proc/<pid>/stat after the name of the program, which may have spaces in it. */
function statFields(pid: number): string[] {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}

/** User and system time, and when asked that of the children that ended. */
export function cpuMilliseconds(pid: number, options: { withEndedChildren?: boolean } = {}): number {
  const ticks = statFields(pid)
    .slice(11, options.withEndedChildren ? 15 : 13)
    .reduce((sum, field) => sum + Number(field), 0);
  return ticks * 10; // 100 clock ticks a second on every Linux that Node runs on
}

/** The processes that have this one as their parent. */
export const childrenOf = (pid: number): number[] =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((candidate) => parentOf(candidate) === pid);

/** Undefined when it ended a moment ago. */
function parentOf(pid: number): number | undefined {
  try {
    return Number(statFields(pid)[1]);
  } catch {
    return undefined;
  }
}
