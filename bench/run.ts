// `npm run bench`: measures the goals, prints a table and writes bench/results/<date>.json.
// npm run bench -- P1 P2       only these      npm run bench -- --seconds 10    longer rounds
// npm run bench -- P10 --soak 600              ten minutes of load for the memory slope
import { parseArgs } from "node:util";
import { acceptMeasures } from "./measures/accept.ts";
import { memoryMeasures } from "./measures/memory.ts";
import { startupMeasures } from "./measures/startup.ts";
import { type Figure, printTable, writeResults } from "./report.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seconds: { type: "string", default: "6" },
    rounds: { type: "string", default: "3" },
    soak: { type: "string", default: "60" },
  },
});

export interface BenchOptions {
  /** Length of one round of load. */
  readonly seconds: number;
  /** Baseline and product take turns this many times; the medians count. */
  readonly rounds: number;
  /** Length of the load under which memory is watched. */
  readonly soakSeconds: number;
}

const options: BenchOptions = {
  seconds: Number(values.seconds),
  rounds: Number(values.rounds),
  soakSeconds: Number(values.soak),
};
const wanted = (id: string) => positionals.length === 0 || positionals.includes(id);

const figures: Figure[] = [];
if (wanted("P1") || wanted("P2")) figures.push(...(await acceptMeasures(options)));
if (wanted("P9")) figures.push(...(await startupMeasures()));
if (wanted("P10")) figures.push(...(await memoryMeasures(options)));
printTable(figures);
process.stdout.write(`written to ${writeResults(figures)}\n`);
