// `npm run drill:lifecycle`: two of every process under load, while processes are replaced and killed, NATS is away and the
// database crashes, and what customers saw of it.
// npm run drill:lifecycle -- --seed 7 --rate 50 --outage 60
import { parseArgs } from "node:util";
import { createLogger } from "#platform/logger.ts";
import { stopOnSignals } from "#platform/service.ts";
import { createRandom } from "../accept-history/random.ts";
import { problemsOf } from "./check.ts";
import { type LifecycleCluster, startLifecycleCluster } from "./cluster.ts";
import { type Load, type LoadReport, startLoad } from "./load.ts";
import {
  calm,
  crashPostgres,
  type Ending,
  endAll,
  killOneOfEach,
  natsAway,
  rollingRestart,
  together,
} from "./steps.ts";

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    /** Requests a second. */
    rate: { type: "string", default: "50" },
    /** Seconds without NATS. */
    outage: { type: "string", default: "60" },
    /** How many services are replaced at a time; a cluster replaces all of them at once. */
    "at-once": { type: "string", default: "1" },
  },
});
const hardStopMs = 25_000;
const drainedWithinSeconds = 60;
const resumedWithinMs = 30_000;
const columns = ["step", "requests", "503", "refused", "broken", "failed", "longest ms", "what came of it"];
const widths = [28, 8, 5, 7, 6, 6, 10, 0];
const line = (cells: readonly unknown[]): string =>
  `${cells.map((cell, n) => (n === 0 ? String(cell).padEnd(widths[n] ?? 0) : String(cell).padStart(widths[n] ?? 0))).join("  ")}\n`;
const violations: string[] = [];

const cluster = await startLifecycleCluster();
stopOnSignals(cluster.stop, createLogger("drill", "silent"));
try {
  await drill(cluster);
} finally {
  await cluster.stop();
}

async function drill(cluster: LifecycleCluster): Promise<void> {
  const load = startLoad(cluster.visitor, {
    random: createRandom(Number(values.seed)),
    perSecond: Number(values.rate),
  });
  process.stdout.write(line(columns));
  await calm(load, 50);
  const told = (step: string, outcome: string, report: LoadReport): void => {
    process.stdout.write(
      line([
        ...[step, report.requests, report.unavailable, report.refused, report.broken, report.failures.length],
        ...[report.longestMs, outcome],
      ]),
    );
    violations.push(...report.failures.slice(0, 10).map((failure) => `${step}: ${failure}`));
  };
  const sinceThen = async (): Promise<LoadReport> => together(load.look(), await calm(load, 50));

  const endings = await rollingRestart(cluster, Number(values["at-once"]));
  told("every process replaced", endingsText(endings), await sinceThen());
  await killOneOfEach(cluster, 1, 2_000);
  told("one of each killed", "7 processes", await sinceThen());
  await withoutNats(cluster, load, told);
  await crashPostgres(cluster, 2_000);
  const crash = await sinceThen();
  told("Postgres crashed", "back after 2 s", crash);
  if (crash.longestMs > resumedWithinMs) violations.push(`a request waited ${crash.longestMs} ms for the database`);

  // Whoever gets no answer asks again until the processes are back.
  const last = await endAll(cluster);
  await Promise.all(cluster.running.processes.map((process) => process.start()));
  told("all ended at once", endingsText(last), await load.stop());
  violations.push(...(await problemsOf(cluster, load)));
  finish(load);
}

async function withoutNats(
  cluster: LifecycleCluster,
  load: Load,
  told: (step: string, outcome: string, report: LoadReport) => void,
): Promise<void> {
  const { waiting, drainedSeconds } = await natsAway(cluster, load, Number(values.outage) * 1_000);
  told(
    `NATS away for ${values.outage} s`,
    `${waiting} events waited, drained in ${drainedSeconds.toFixed(1)} s`,
    load.look(),
  );
  if (drainedSeconds > drainedWithinSeconds) violations.push(`events took ${drainedSeconds.toFixed(1)} s`);
}

function endingsText(endings: readonly Ending[]): string {
  for (const { process, code, ms } of endings) {
    if (code !== 0 || ms > hardStopMs) violations.push(`${process} ended with ${code} after ${ms} ms`);
  }
  return `${endings.length} ended with 0, the slowest in ${Math.max(...endings.map(({ ms }) => ms))} ms`;
}

function finish(load: Load): void {
  process.stdout.write(violations.map((text) => `  ${text}\n`).join(""));
  process.stdout.write(
    violations.length === 0 ? `${load.receipts.size} acceptances, no violation\n` : `${violations.length} violations\n`,
  );
  process.exitCode = violations.length === 0 ? 0 : 1;
}
