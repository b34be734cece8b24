// What a load takes, computed from measured costs. Writes the tables of docs/scaling.md; a test compares the two.
//   node --disable-warning=ExperimentalWarning bench/scaling.ts
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** The parts that work: processes, their children, and the servers. */
const parts = ["gateway", "click", "templates", "sign", "docgen", "webhooks", "postgres", "nats"] as const;
export type Part = (typeof parts)[number];

interface Work {
  readonly name: string;
  /** At the peak of the load that is called 1×. */
  readonly perSecond: number;
  /** CPU in milliseconds; children count with their service. */
  readonly cpuMs: Readonly<Partial<Record<Part, number>>>;
  /** What stays in the database, in bytes. */
  readonly bytes: number;
  readonly source: string;
}

/** Measured in one run on two cores (bench/results/2026-11-24T12-47-48.json): ratios of parts, no promises of speed. */
export const works: readonly Work[] = [
  {
    name: "acceptance",
    perSecond: 10,
    cpuMs: { gateway: 0.105, click: 0.228, templates: 0.019, webhooks: 0.029, postgres: 0.115, nats: 0.034 },
    bytes: 5_900,
    source: "P1; bytes: P17, tables, indexes and log of 10,000 without a session",
  },
  {
    name: "template read",
    perSecond: 20,
    cpuMs: { gateway: 0.054, templates: 0.016, postgres: 0.01 },
    bytes: 0,
    source: "P5",
  },
  {
    name: "event to a receiver",
    perSecond: 10,
    cpuMs: { webhooks: 0.59, postgres: 0.35 },
    bytes: 0,
    source: "P13, with receivers less without; rows go after 30 days",
  },
  {
    name: "agreement created and sent",
    perSecond: 0.1,
    cpuMs: { gateway: 2.27, sign: 8.2, webhooks: 0.28, postgres: 1.88, nats: 0.24 },
    bytes: 100_000,
    source: "P12; bytes: a PDF of 100 KB",
  },
  {
    name: "agreement completed",
    perSecond: 0.1,
    cpuMs: { gateway: 0.3, click: 2.6, sign: 70.8, docgen: 18.8, webhooks: 1.5, postgres: 13.6, nats: 1.1 },
    bytes: 250_000,
    source: "P12; bytes: the sealed file and the certificate, estimated",
  },
  {
    name: "agreement read",
    perSecond: 1,
    cpuMs: { gateway: 0.291, sign: 0.259, postgres: 0.273 },
    bytes: 0,
    source: "P12",
  },
  {
    name: "document",
    perSecond: 0.5,
    cpuMs: { gateway: 0.81, docgen: 8.63, webhooks: 0.21, postgres: 3.24, nats: 0.21 },
    bytes: 114_000,
    source: "P8; bytes: the sample invoice",
  },
];

export const loads = [1, 10, 100, 1_000] as const;

/** Of a day's mean, at the peak. */
const peakOverMean = 4;
const secondsPerDay = 86_400;
/** A server of the database that many can rent, with half of it left for vacuum, backups and bad days. */
const databaseCores = 32 * 0.5;
const databaseBytes = 16e12;
const keptDays = 365;
/** Of one log, measured on two cores by one organization (P1); its indexes are given under one row lock. */
const acceptsOfOneLog = 2_748;
const largestShare = 0.2;
/** What the autoscalers of the overlay production allow, at 80 % of a core each. */
const mostPods: Readonly<Partial<Record<Part, number>>> = { gateway: 12, click: 12, sign: 8, docgen: 10, webhooks: 12 };
const coresOfPod = 0.8;

export const coresOf = (part: Part, load: number): number =>
  works.reduce((sum, { perSecond, cpuMs }) => sum + (perSecond * load * (cpuMs[part] ?? 0)) / 1_000, 0);

const bytesPerDay = (load: number): number =>
  works.reduce((sum, { perSecond, bytes }) => sum + ((perSecond * load) / peakOverMean) * secondsPerDay * bytes, 0);

export interface Limit {
  readonly name: string;
  /** 1 is reached. */
  readonly used: number;
}

/** What may run out, the fullest first. */
export function limitsAt(load: number): Limit[] {
  const accepts = (works.find(({ name }) => name === "acceptance")?.perSecond ?? 0) * load;
  const pods = Object.entries(mostPods).map(([part, most]) => ({
    name: `pods of ${part} (${most})`,
    used: coresOf(part as Part, load) / (most * coresOfPod),
  }));
  return [
    ...pods,
    { name: `cores of the database (${databaseCores} of 32)`, used: coresOf("postgres", load) / databaseCores },
    {
      name: `disk of the database (${databaseBytes / 1e12} TB, a year)`,
      used: (bytesPerDay(load) * keptDays) / databaseBytes,
    },
    {
      name: `the log of one organization (${acceptsOfOneLog}/s)`,
      used: (accepts * largestShare) / acceptsOfOneLog,
    },
  ].sort((one, other) => other.used - one.used);
}

const cell = (value: number): string => (value >= 10 ? value.toFixed(0) : value.toFixed(value >= 1 ? 1 : 3));
const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n");

/** All tables of the page. */
const scalingTables = (): string =>
  [
    table(
      ["CPU ms each", ...parts, "bytes kept", "measured"],
      works.map(({ name, cpuMs, bytes, source }) => [
        name,
        ...parts.map((part) => (cpuMs[part] === undefined ? "" : String(cpuMs[part]))),
        bytes.toLocaleString("en"),
        source,
      ]),
    ),
    table(
      ["at the peak, a second", ...loads.map((load) => `${load.toLocaleString("en")}×`)],
      works.map(({ name, perSecond }) => [name, ...loads.map((load) => (perSecond * load).toLocaleString("en"))]),
    ),
    table(
      ["cores busy at the peak", ...loads.map((load) => `${load.toLocaleString("en")}×`)],
      [
        ...parts.map((part) => [part, ...loads.map((load) => cell(coresOf(part, load)))]),
        ["**kept a day, GB**", ...loads.map((load) => cell(bytesPerDay(load) / 1e9))],
      ],
    ),
    table(
      ["load", "first limit", "used", "then", "used"],
      loads.map((load) => {
        const [first, second] = limitsAt(load);
        const share = (limit: Limit | undefined): string => `${((limit?.used ?? 0) * 100).toFixed(1)} %`;
        return [`${load.toLocaleString("en")}×`, first?.name ?? "", share(first), second?.name ?? "", share(second)];
      }),
    ),
  ].join("\n\n");

export const scalingFile = join(import.meta.dirname, "../docs/scaling.md");
const [begin, end] = ["<!-- computed by bench/scaling.ts -->\n", "\n<!-- end -->"];

/** The page with the tables of now. */
export function scalingPage(page: string): string {
  const [before = "", rest = ""] = page.split(begin);
  const [, after = ""] = rest.split(end);
  return `${before}${begin}${scalingTables()}${end}${after}`;
}

if (process.argv[1] === import.meta.filename) {
  writeFileSync(scalingFile, scalingPage(readFileSync(scalingFile, "utf8")));
  process.stdout.write(`${scalingTables()}\n`);
}
