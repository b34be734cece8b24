// `npm run drill:webhooks`: webhooks of processes that die, to receivers that misbehave, seed after seed, and what came of it.
// npm run drill:webhooks -- --rounds 5 --rate 80 --seeds 3      npm run drill:webhooks -- --seed 7    one seed again
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createLogger } from "#platform/logger.ts";
import { stopOnSignals } from "#platform/service.ts";
import { startCluster } from "./cluster.ts";
import { type Endpoint, isReliable, statusOf } from "./history.ts";
import { type RunResult, runWebhooks } from "./run.ts";

const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "1" },
    seed: { type: "string" },
    /** How often each fault happens. */
    rounds: { type: "string", default: "4" },
    /** Events a second. */
    rate: { type: "string", default: "60" },
  },
});
const first = Number(values.seed ?? 1);
const seeds = values.seed === undefined ? Number(values.seeds) : 1;
const patienceMs = 300_000;
const shown = 20;
const columns = [
  "seed",
  "faults",
  "events",
  "deliveries",
  "requests",
  "accepted",
  "again",
  "disabled",
  "hours",
] as const;

const line = (cells: readonly unknown[]): string =>
  `${cells.map((cell, n) => String(cell).padStart([...columns, "violations"][n]?.length ?? 0)).join("  ")}\n`;

let running: { stop(): Promise<void> } | undefined;
stopOnSignals(async () => running?.stop(), createLogger("drill", "silent"));

process.stdout.write(line([...columns, "violations"]));
let failed = 0;
for (let seed = first; seed < first + seeds; seed += 1) {
  const result = await runAgainstNewCluster(seed);
  process.stdout.write(line([seed, ...figuresOf(result), result.violations.length]));
  if (result.violations.length === 0) continue;
  failed += 1;
  process.stdout.write(report(seed, result));
}
process.stdout.write(failed === 0 ? "no violation\n" : `${failed} of ${seeds} seeds with violations\n`);
process.exitCode = failed === 0 ? 0 : 1;

/** A cluster for each seed: what one leaves behind must not decide what another finds. */
async function runAgainstNewCluster(seed: number): Promise<RunResult> {
  const cluster = await startCluster();
  running = cluster;
  try {
    return await runWebhooks(cluster, {
      ...{ seed, rounds: Number(values.rounds), perSecond: Number(values.rate), patienceMs },
      tell: (fault) => process.stderr.write(`${fault}\n`),
    });
  } finally {
    await cluster.stop();
  }
}

function figuresOf({ history, faults, seconds }: RunResult): readonly (number | string)[] {
  const { published, deliveries, requests, endpoints, disabledIn } = history;
  const reliable = new Set(endpoints.filter(isReliable).map(({ id }: Endpoint) => id));
  const accepted = requests.filter(({ action, endpointId }) => statusOf(action) === 200 && reliable.has(endpointId));
  const first = new Set(accepted.map(({ endpointId, webhookId }) => `${endpointId} ${webhookId}`)).size;
  return [
    ...[faults.length, published.length, deliveries.length, requests.length, accepted.length],
    ...[accepted.length - first, disabledIn.size, (seconds / 3_600).toFixed(1)],
  ];
}

/** The first violations, where everything is written down, and how to see it again. */
function report(seed: number, { history, violations }: RunResult): string {
  const file = join(mkdtempSync(join(tmpdir(), "assent-webhooks-")), `seed-${seed}.json`);
  const disabledIn = Object.fromEntries(history.disabledIn);
  writeFileSync(file, JSON.stringify({ seed, violations, history: { ...history, disabledIn } }));
  const lines = violations.slice(0, shown).map((text) => `  ${text}`);
  const again = `npm run drill:webhooks -- --seed ${seed} --rounds ${values.rounds} --rate ${values.rate}`;
  return `${lines.join("\n")}\n  history: ${file}\n  again: ${again}\n`;
}
