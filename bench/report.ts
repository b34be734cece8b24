import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { availableParallelism, cpus } from "node:os";
import { join } from "node:path";

/** One line of the table: a goal, what was measured for it, and its baseline from the same run. */
export interface Figure {
  readonly id: string;
  readonly what: string;
  /** single process or distributed */
  readonly mode: string;
  readonly value: number | undefined;
  readonly unit: string;
  readonly baseline?: number;
  readonly ratio?: number;
  readonly goal: string;
  readonly note?: string;
  /** CPU milliseconds per request by process. */
  readonly cpuMs?: Readonly<Record<string, number>>;
}

/** A figure of this tree and of another commit, measured in pairs. */
export interface Comparison {
  readonly id: string;
  readonly what: string;
  /** Medians. */
  readonly here: number;
  readonly there: number;
  /** Here ÷ there, pair by pair, in ascending order. */
  readonly ratios: readonly number[];
}

/** What pairs of turns say of each of their figures. */
export function comparisonOf(
  id: string,
  pairs: readonly (readonly [here: Readonly<Record<string, number>>, there: Readonly<Record<string, number>>])[],
): Comparison[] {
  return Object.keys(pairs[0]?.[0] ?? {}).map((what) => {
    const [here, there] = [0, 1].map((n) => pairs.map((pair) => pair[n]?.[what] ?? Number.NaN)) as [number[], number[]];
    const ratios = here.map((value, n) => value / (there[n] ?? Number.NaN)).sort((a, b) => a - b);
    return { id, what, here: median(here), there: median(there), ratios };
  });
}

/** Equal copies agree so often in 3 of 100 cases. */
const enoughPairs = 6;

export function printComparison(comparisons: readonly Comparison[], other: string): void {
  const rows = comparisons.map(({ id, what, here, there, ratios }) => {
    const [lowest = Number.NaN, highest = Number.NaN] = [ratios[0], ratios.at(-1)];
    const agreed = highest < 1 ? "always less" : lowest > 1 ? "always more" : "no difference shown";
    const finding = ratios.length < enoughPairs ? "too few pairs" : agreed;
    const spread = `${lowest.toFixed(2)} to ${highest.toFixed(2)}`;
    return [id, what, round(here), round(there), median(ratios).toFixed(3), spread, String(ratios.length), finding];
  });
  printRows(["id", "what", "here", other, "ratio", "lowest to highest", "pairs", "finding"], rows);
}

export function printTable(figures: readonly Figure[]): void {
  const rows = figures.map((f) => [
    f.id,
    f.what,
    f.mode,
    f.value === undefined ? "not measured" : `${round(f.value)} ${f.unit}`,
    f.baseline === undefined ? "" : `${round(f.baseline)} ${f.unit}`,
    f.ratio === undefined ? "" : f.ratio.toFixed(2),
    f.goal,
    f.note ?? "",
  ]);
  printRows(["id", "what", "mode", "measured", "baseline", "ratio", "goal", "note"], rows);
}

function printRows(head: readonly string[], rows: readonly (readonly string[])[]): void {
  const widths = head.map((title, i) => Math.max(title.length, ...rows.map((row) => (row[i] ?? "").length)));
  const line = (cells: readonly string[]) => `| ${cells.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join(" | ")} |`;
  process.stdout.write(`\n${line(head)}\n${line(widths.map((width) => "-".repeat(width)))}\n`);
  for (const row of rows) process.stdout.write(`${line(row)}\n`);
  process.stdout.write(
    `\ncommit ${commit()}, ${availableParallelism()} cores, ${cpus()[0]?.model ?? "unknown"}, Node ${process.version}\n`,
  );
}

/** Writes what was measured with what is needed to read it later; returns the file's path. */
export function writeResults(
  measured:
    | { readonly figures: readonly Figure[] }
    | { readonly other: string; readonly compared: readonly Comparison[] },
): string {
  const folder = join(import.meta.dirname, "results");
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${fileTime()}.json`);
  const context = {
    at: new Date().toISOString(),
    commit: commit(),
    cores: availableParallelism(),
    node: process.version,
  };
  writeFileSync(file, `${JSON.stringify({ ...context, ...measured }, null, 2)}\n`);
  return file;
}

/** Now, as a part of a file name. */
export const fileTime = (): string => new Date().toISOString().replaceAll(":", "-").slice(0, 19);

export const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

const round = (value: number): string => (Math.abs(value) >= 100 ? value.toFixed(0) : value.toPrecision(3));

function commit(): string {
  try {
    return execFileSync("git", ["rev-parse", "--short", "HEAD"], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    }).trim();
  } catch {
    return "unknown";
  }
}
