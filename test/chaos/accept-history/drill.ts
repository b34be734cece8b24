// `npm run drill:accept`: clients and faults against real processes, seed after seed, and what came of it.
// npm run drill:accept -- --seeds 20 --seconds 30      npm run drill:accept -- --seed 7    one seed again
// npm run drill:accept -- --seed 1 --seconds 120 --accepts 10000 --kills    of texts that change every second
// npm run drill:accept -- --single …      the same with npm start, which is killed again and again
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createLogger } from "#platform/logger.ts";
import { stopOnSignals } from "#platform/service.ts";
import { historyShape, startCluster } from "./cluster.ts";
import { killsOnly, singleFaults } from "./faults.ts";
import { changingKey, keyName, type Operation } from "./history.ts";
import { type RunResult, runAcceptHistory } from "./run.ts";
import { singleShape } from "./single.ts";

const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "20" },
    seconds: { type: "string", default: "30" },
    keys: { type: "string" },
    accepts: { type: "string" },
    seed: { type: "string" },
    /** Has nothing else go wrong than that processes die. */
    kills: { type: "boolean", default: false },
    single: { type: "boolean", default: false },
  },
});
const first = Number(values.seed ?? 1);
const seeds = values.seed === undefined ? Number(values.seeds) : 1;
const seconds = Number(values.seconds);
const keys = Number(values.keys ?? Math.ceil(500 * (seconds / 30)));
const accepts = Number(values.accepts ?? Math.ceil(25 * seconds));

const shown = 20;
const columns = [
  "seed",
  "faults",
  "keys",
  "texts",
  "accepts",
  "sessions",
  "requests",
  "ok",
  "422",
  "refused",
  "unsent",
  "unknown",
  "rows",
  "events",
  "leaves",
  "violations",
];
const line = (cells: readonly unknown[]): string =>
  `${cells.map((cell, n) => String(cell).padStart(columns[n]?.length ?? 0)).join("  ")}\n`;

let running: { stop(): Promise<void> } | undefined;
stopOnSignals(async () => running?.stop(), createLogger("drill", "silent"));

process.stdout.write(line(columns));
let failed = 0;
for (let seed = first; seed < first + seeds; seed += 1) {
  const result = await runAgainstNewCluster(seed);
  process.stdout.write(line(rowOf(seed, result)));
  if (result.violations.length === 0) continue;
  failed += 1;
  process.stdout.write(report(seed, result));
}
process.stdout.write(failed === 0 ? "no violation\n" : `${failed} of ${seeds} seeds with violations\n`);
process.exitCode = failed === 0 ? 0 : 1;

/** A cluster for each seed: what one leaves behind must not decide what another finds. */
async function runAgainstNewCluster(seed: number): Promise<RunResult> {
  const cluster = await startCluster(values.single ? singleShape : historyShape);
  running = cluster;
  try {
    return await runAcceptHistory(cluster, {
      ...{ seed, seconds, keys, accepts },
      ...(values.single ? { faults: singleFaults } : values.kills ? { faults: killsOnly } : {}),
    });
  } finally {
    await cluster.stop();
  }
}

function rowOf(seed: number, { history, observation, violations }: RunResult): unknown[] {
  const { operations, incidents, publications, sessions } = history;
  const count = (kind: string): number => operations.filter(({ outcome }) => outcome.kind === kind).length;
  const faults = incidents.filter(({ phase }) => phase === "begins").length;
  const used = new Set(operations.map(keyName)).size;
  const isOfChanging = ({ key, outcome }: Operation) => key.startsWith(changingKey) && outcome.kind === "ok";
  const outcomes = ["ok", "reused", "refused", "unsent", "unknown"].map(count);
  const { records, delivered, logs } = observation;
  const leaves = logs.reduce((sum, log) => sum + log.leaves.length, 0);
  const stored = [records.length, delivered.length, leaves];
  const ofChanging = new Set(operations.filter(isOfChanging).map(keyName));
  const changed = [publications.length, ofChanging.size, sessions.length];
  return [seed, faults, used, ...changed, operations.length, ...outcomes, ...stored, violations.length];
}

/** The first violations, where everything is written down, and how to see it again. */
function report(seed: number, { history, observation, violations }: RunResult): string {
  const file = join(mkdtempSync(join(tmpdir(), "assent-accept-history-")), `seed-${seed}.json`);
  writeFileSync(file, JSON.stringify({ seed, seconds, keys, violations, history, observation }));
  const lines = violations.slice(0, shown).map(({ rule, detail }) => `  ${rule}: ${detail}`);
  const again = `npm run drill:accept -- --seed ${seed} --seconds ${seconds} --keys ${keys} --accepts ${accepts}${values.kills ? " --kills" : ""}${values.single ? " --single" : ""}`;
  return `${lines.join("\n")}\n  history: ${file}\n  again: ${again}\n`;
}
