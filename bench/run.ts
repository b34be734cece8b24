// `npm run bench`: measures the goals, prints a table and writes bench/results/<date>.json.
// npm run bench -- --only p1,p2                  only these     npm run bench -- --seconds 10    longer rounds
// npm run bench -- --only p4 --rows 5000000      the large database of P4 with so many acceptances
// npm run bench -- --only p10 --soak 600         ten minutes of load for the memory slope
// npm run bench -- --compare v0.1.0 --only p1,p16   this tree and another commit in turns, for at most --minutes 20
// npm run bench -- --only p1 --profile           with CPU profiles of gateway, click, sign and webhooks in bench/profiles
import { join } from "node:path";
import { startEcho } from "./baselines/start-echo.ts";
import { compare } from "./compare/compare.ts";
import { acceptMeasures } from "./measures/accept.ts";
import { agreementMemory } from "./measures/agreement-memory.ts";
import { agreementMeasures } from "./measures/agreements.ts";
import { byteMeasures } from "./measures/bytes.ts";
import { completionMeasures } from "./measures/completion.ts";
import { conversionMeasures } from "./measures/conversions.ts";
import { dashboardMeasures } from "./measures/dashboard.ts";
import { deliveryMeasures } from "./measures/deliveries.ts";
import { fairnessMeasures } from "./measures/fairness.ts";
import { generationMeasures } from "./measures/generation.ts";
import { growthMeasures } from "./measures/growth.ts";
import { idleMeasures } from "./measures/idle.ts";
import { latencyMeasures } from "./measures/latency.ts";
import { memoryMeasures } from "./measures/memory.ts";
import { pairMeasures } from "./measures/pairs.ts";
import { sealingMeasures } from "./measures/sealing.ts";
import { startupMeasures } from "./measures/startup.ts";
import { templateReadMeasures } from "./measures/template-read.ts";
import { type BenchOptions, readOptions } from "./options.ts";
import { type Figure, fileTime, printComparison, printTable, writeResults } from "./report.ts";
import { type BenchSystem, startBenchSystem } from "./system.ts";

const options = readOptions(process.argv.slice(2));
if (options.compare !== undefined) {
  const compared = await compare(options.compare, options);
  printComparison(compared, options.compare);
  process.stdout.write(`written to ${writeResults({ other: options.compare, compared })}\n`);
  process.exit(0);
}
const figures: Figure[] = [];
if (options.wants("P1", "P2", "P3", "P5")) figures.push(...(await requestMeasures(options)));
if (options.wants("P4")) figures.push(...(await growthMeasures(options)));
if (options.wants("P6", "P12")) figures.push(...(await signingMeasures(options)));
if (options.wants("P7")) figures.push(...(await sealingMeasures(options)));
if (options.wants("P8")) figures.push(...(await generationMeasures(options)));
if (options.wants("P9")) figures.push(...(await startupMeasures()));
if (options.wants("P10")) figures.push(...(await memoryMeasures(options)));
if (options.wants("P11")) figures.push(...(await pairMeasures(options)));
if (options.wants("P13")) figures.push(...(await withSystem(options, (system) => deliveryMeasures(system, options))));
if (options.wants("P14")) figures.push(...(await dashboardMeasures(options)));
if (options.wants("P15")) figures.push(...(await withSystem(options, (system) => fairnessMeasures(system, options))));
if (options.wants("P16")) figures.push(...(await idleMeasures(options)));
if (options.wants("P17")) figures.push(...(await withSystem(options, byteMeasures)));
if (options.wants("P18")) figures.push(...(await conversionMeasures(options)));
printTable(figures);
process.stdout.write(`written to ${writeResults({ figures })}\n`);

/** What one distributed copy and bare Express are compared by. P3 depends on the rate that P1 finds. */
function requestMeasures(options: BenchOptions): Promise<Figure[]> {
  return withSystem(options, async (system) => {
    const echo = await startEcho();
    try {
      const found: Figure[] = [];
      if (options.wants("P1", "P2", "P3")) {
        const accept = await acceptMeasures(system, echo, options);
        found.push(...accept.figures);
        if (options.wants("P3")) found.push(...(await latencyMeasures(system, echo, accept.rate, options)));
      }
      if (options.wants("P5")) found.push(...(await templateReadMeasures(system, echo, options)));
      return found;
    } finally {
      echo.stop();
    }
  });
}

/** What agreements are measured by: a distributed copy, and for memory the single process. */
async function signingMeasures(options: BenchOptions): Promise<Figure[]> {
  const figures = await withSystem(options, (system) => agreementMeasures(system, options));
  if (!options.wants("P12")) return figures;
  const completions = await withSystem(options, (system) => completionMeasures(system, options));
  return [...figures, ...completions, ...(await agreementMemory(options))];
}

/** Figures from a distributed copy of their own, with CPU profiles when they are wanted. */
async function withSystem(
  options: BenchOptions,
  measure: (system: BenchSystem) => Promise<Figure[]>,
): Promise<Figure[]> {
  const profileFolder = options.profile ? join(import.meta.dirname, "profiles", fileTime()) : undefined;
  const system = await startBenchSystem({ profileFolder });
  try {
    const found = await measure(system);
    return profileFolder === undefined
      ? found
      : found.map((figure) => ({ ...figure, mode: `${figure.mode}, profiled` }));
  } finally {
    await system.stop();
    if (profileFolder !== undefined) process.stdout.write(`profiles: ${profileFolder}\n`);
  }
}
