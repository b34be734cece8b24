// `npm run bench`: measures the goals, prints a table and writes bench/results/<date>.json.
// npm run bench -- --only p1,p2                  only these     npm run bench -- --seconds 10    longer rounds
// npm run bench -- --only p4 --rows 5000000      the large database of P4 with so many acceptances
// npm run bench -- --only p10 --soak 600         ten minutes of load for the memory slope
// npm run bench -- --only p1 --profile           with CPU profiles of gateway and click in bench/profiles
import { join } from "node:path";
import { startEcho } from "./baselines/start-echo.ts";
import { acceptMeasures } from "./measures/accept.ts";
import { generationMeasures } from "./measures/generation.ts";
import { growthMeasures } from "./measures/growth.ts";
import { latencyMeasures } from "./measures/latency.ts";
import { memoryMeasures } from "./measures/memory.ts";
import { startupMeasures } from "./measures/startup.ts";
import { templateReadMeasures } from "./measures/template-read.ts";
import { type BenchOptions, readOptions } from "./options.ts";
import { type Figure, fileTime, printTable, writeResults } from "./report.ts";
import { startBenchSystem } from "./system.ts";

const options = readOptions(process.argv.slice(2));
const figures: Figure[] = [];
if (options.wants("P1", "P2", "P3", "P5")) figures.push(...(await requestMeasures(options)));
if (options.wants("P4")) figures.push(...(await growthMeasures(options)));
if (options.wants("P8")) figures.push(...(await generationMeasures(options)));
if (options.wants("P9")) figures.push(...(await startupMeasures()));
if (options.wants("P10")) figures.push(...(await memoryMeasures(options)));
printTable(figures);
process.stdout.write(`written to ${writeResults(figures)}\n`);

/** What one distributed copy and bare Express are compared by. P3 depends on the rate that P1 finds. */
async function requestMeasures(options: BenchOptions): Promise<Figure[]> {
  const profileFolder = options.profile ? join(import.meta.dirname, "profiles", fileTime()) : undefined;
  const system = await startBenchSystem({ profileFolder });
  const echo = await startEcho();
  try {
    const found: Figure[] = [];
    if (options.wants("P1", "P2", "P3")) {
      const accept = await acceptMeasures(system, echo, options);
      found.push(...accept.figures);
      if (options.wants("P3")) found.push(...(await latencyMeasures(system, echo, accept.rate, options)));
    }
    if (options.wants("P5")) found.push(...(await templateReadMeasures(system, echo, options)));
    return profileFolder === undefined
      ? found
      : found.map((figure) => ({ ...figure, mode: `${figure.mode}, profiled` }));
  } finally {
    echo.stop();
    await system.stop();
    if (profileFolder !== undefined) process.stdout.write(`profiles: ${profileFolder}\n`);
  }
}
