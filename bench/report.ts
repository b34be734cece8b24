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
  const head = ["id", "what", "mode", "measured", "baseline", "ratio", "goal", "note"];
  const widths = head.map((title, i) => Math.max(title.length, ...rows.map((row) => (row[i] ?? "").length)));
  const line = (cells: readonly string[]) => `| ${cells.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join(" | ")} |`;
  process.stdout.write(`\n${line(head)}\n${line(widths.map((width) => "-".repeat(width)))}\n`);
  for (const row of rows) process.stdout.write(`${line(row)}\n`);
  process.stdout.write(
    `\ncommit ${commit()}, ${availableParallelism()} cores, ${cpus()[0]?.model ?? "unknown"}, Node ${process.version}\n`,
  );
}

/** Writes the figures with what is needed to read them later; returns the file's path. */
export function writeResults(figures: readonly Figure[]): string {
  const folder = join(import.meta.dirname, "results");
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${fileTime()}.json`);
  const context = {
    at: new Date().toISOString(),
    commit: commit(),
    cores: availableParallelism(),
    node: process.version,
  };
  writeFileSync(file, `${JSON.stringify({ ...context, figures }, null, 2)}\n`);
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
