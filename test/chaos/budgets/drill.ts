// `npm run drill:limits`: clients, budgets and faults against four real gateways, seed after seed, and what came of it.
// npm run drill:limits -- --windows 5 --seeds 3      npm run drill:limits -- --seed 7    one seed again
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createLogger } from "#platform/logger.ts";
import { stopOnSignals } from "#platform/service.ts";
import { startBudgetCluster } from "./cluster.ts";
import { type Figures, figuresOf } from "./figures.ts";
import { drillTolerances } from "./history.ts";
import { type RunOptions, type RunResult, runBudgets } from "./run.ts";

const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "1" },
    windows: { type: "string", default: "4" },
    seed: { type: "string" },
  },
});
const first = Number(values.seed ?? 1);
const seeds = values.seed === undefined ? Number(values.seeds) : 1;
const windows = Number(values.windows);

/** Half a window and a whole one are undisturbed. */
const optionsOf = (seed: number): RunOptions => ({
  seed,
  firstWindowSeconds: 30,
  calmSeconds: 88,
  seconds: windows * 60,
  tolerances: drillTolerances,
});

const shown = 20;
const columns: readonly (keyof Figures)[] = [
  "requests",
  "granted",
  "refused",
  "alone",
  "strangers",
  "unavailable",
  "lost",
  "buckets",
  "windows",
  "budgets",
  "usedUp",
  "faults",
  "changeMs",
];
const line = (cells: readonly unknown[]): string =>
  `${cells.map((cell, n) => String(cell).padStart((["seed", ...columns, "violations"][n] ?? "").length)).join("  ")}\n`;

let running: { stop(): Promise<void> } | undefined;
stopOnSignals(async () => running?.stop(), createLogger("drill", "silent"));

process.stdout.write(line(["seed", ...columns, "violations"]));
let failed = 0;
for (let seed = first; seed < first + seeds; seed += 1) {
  const result = await runAgainstNewCluster(seed);
  const figures = figuresOf(result.history);
  process.stdout.write(line([seed, ...columns.map((column) => figures[column]), result.violations.length]));
  if (result.violations.length === 0) continue;
  failed += 1;
  process.stdout.write(report(seed, result));
}
process.stdout.write(failed === 0 ? "no violation\n" : `${failed} of ${seeds} seeds with violations\n`);
process.exitCode = failed === 0 ? 0 : 1;

/** A cluster for each seed: what one leaves behind must not decide what another finds. */
async function runAgainstNewCluster(seed: number): Promise<RunResult> {
  const cluster = await startBudgetCluster();
  running = cluster;
  try {
    return await runBudgets(cluster, optionsOf(seed));
  } finally {
    await cluster.stop();
  }
}

/** The first violations, where everything is written down, and how to see it again. */
function report(seed: number, { history, observation, violations }: RunResult): string {
  const file = join(mkdtempSync(join(tmpdir(), "assent-budgets-")), `seed-${seed}.json`);
  writeFileSync(file, JSON.stringify({ seed, windows, violations, history, observation }));
  const lines = violations.slice(0, shown).map(({ rule, detail }) => `  ${rule}: ${detail}`);
  return `${lines.join("\n")}\n  history: ${file}\n  again: npm run drill:limits -- --seed ${seed} --windows ${windows}\n`;
}
