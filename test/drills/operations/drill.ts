// `npm run drill:operations`: what operators do in the years of an installation, one after the other and under load: a release
// is installed without containers, secrets are changed, faults are injected and their alerts looked for, the database dies and
// is restored, releases are upgraded and put back. The table stands in docs/reliability.md.
// npm run drill:operations -- --only restore,upgrade
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { until } from "#platform/testing/until.ts";
import { createRandom } from "../../chaos/accept-history/random.ts";
import { problemsOf } from "../../chaos/lifecycle/check.ts";
import { type Load, type LoadReport, noReport, startLoad } from "../../chaos/lifecycle/load.ts";
import { calm, together } from "../../chaos/lifecycle/steps.ts";
import { runRestore } from "../../chaos/restore/drill.ts";
import { bodyOf } from "../../support/journeys.ts";
import { runUpgrade } from "../../upgrade/drill.ts";
import { inject, injectedFaults } from "./faults.ts";
import { askDoctor, firstOrganization, type Installation, installRelease, startInstallation } from "./installation.ts";
import { rotations } from "./rotations.ts";
import { type Row, TooLateError, tableOf, violationsOf, within } from "./table.ts";

const { values } = parseArgs({ options: { only: { type: "string", default: "rotations,faults,restore,upgrade" } } });
const wants = (part: string): boolean => values.only.split(",").includes(part);
const perSecond = 20;
/** Requests that are answered after each step before the next one. */
const between = 60;

interface Done {
  readonly what: string;
  readonly load?: LoadReport;
  readonly violations?: readonly string[];
}

const rows: Row[] = [];
const folder = mkdtempSync(join(tmpdir(), "assent-operations-"));
/** Of what runs now. */
let stopRunning = async (): Promise<void> => undefined;
const started = (stop: () => Promise<void>): void => {
  stopRunning = stop;
};
const stopAll = async (): Promise<void> => {
  await stopRunning();
  rmSync(folder, { recursive: true, force: true });
};
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => void stopAll().finally(() => process.exit(1)));
}

/** Whatever fails is a violation of its step; what does not end in its time is the end of the drill. */
async function step(name: string, seconds: number, work: () => Promise<Done>): Promise<boolean> {
  process.stderr.write(`${name} …\n`);
  const began = performance.now();
  const took = (): number => (performance.now() - began) / 1_000;
  try {
    const { violations = [], ...done } = await within(seconds, work());
    const failures = done.load?.failures.slice(0, 10) ?? [];
    rows.push({ step: name, ...done, seconds: took(), violations: [...violations, ...failures] });
  } catch (error) {
    const cause = error instanceof Error && error.cause !== undefined ? ` (${String(error.cause)})` : "";
    rows.push({ step: name, what: "it was not done", seconds: took(), violations: [`${String(error)}${cause}`] });
    if (error instanceof TooLateError) throw error;
  }
  const row = rows.at(-1);
  process.stderr.write(`${tableOf(rows.slice(-1)).split("\n")[2]}\n`);
  for (const text of row?.violations ?? []) process.stderr.write(`  ${text}\n`);
  return row?.what !== "it was not done";
}

try {
  await walk();
} catch (error) {
  process.stderr.write(`${String(error)}\n`);
} finally {
  await stopAll();
}
const violations = violationsOf(rows);
process.stdout.write(`${tableOf(rows)}\n`);
process.stdout.write(violations.map((text) => `  ${text}\n`).join(""));
process.stdout.write(violations.length === 0 ? "no violation\n" : `${violations.length} violations\n`);
process.exit(violations.length === 0 ? 0 : 1);

async function walk(): Promise<void> {
  let app = "";
  const isInstalled = await step("a release is installed", 600, async () => {
    const { app: unpacked, packages } = await installRelease(folder);
    app = unpacked;
    return { what: `packed, its checksums compared, ${packages} packages installed, secrets made` };
  });
  if (!isInstalled) return;
  await serve(app);
  if (wants("restore")) await restoreIt(app);
  if (wants("upgrade")) await upgradeIt(app);
}

async function restoreIt(app: string): Promise<void> {
  await step("backup, restore beside NATS that survives", 600, async () => {
    const report = await runRestore({ seconds: 5, rate: 40, folderOf: () => app, started });
    const figures = report.rows.map(
      ([goal, , lost, rpo, , rto]) => `${goal}: ${lost} lost (RPO ${rpo} s), RTO ${rto} s`,
    );
    return { what: `${report.answered} acceptances; ${figures.join("; ")}`, violations: report.problems };
  });
}

async function upgradeIt(app: string): Promise<void> {
  await step("upgrade from the last release, and back", 900, async () => {
    const { load, migrations, acceptances, violations } = await runUpgrade({
      ...{ seed: 1, rate: perSecond, requests: between, atOnce: 7, to: app, started },
    });
    const what = `${migrations} migrations under load, both copies replaced one after the other, one put back and forth`;
    return { what: `${what}; ${acceptances} acceptances, each once`, load, violations };
  });
}

/** Everything that happens to one installation while it is used. */
async function serve(app: string): Promise<void> {
  let opened: Installation | undefined;
  await step("servers, roles, migration, two of every process", 600, async () => {
    const home = join(folder, "kept");
    mkdirSync(home);
    opened = await startInstallation(app, home);
    started(opened.stop);
    return { what: `${opened.cluster.running.processes.length} processes from the archive are ready` };
  });
  if (opened === undefined) return;
  const installation = opened;
  await step("the first organization", 60, async () => ({ what: await firstOrganization(installation) }));
  const { cluster } = installation;
  const doctor = async () => ({ what: "asked about every process", violations: await askDoctor(installation) });
  await step("the doctor", 600, doctor);
  const load = counting(startLoad(cluster.visitor, { random: createRandom(1), perSecond }));
  const served = (name: string, seconds: number, work: () => Promise<Omit<Done, "load">>) =>
    step(name, seconds, () => underLoad(load, work));
  await served("load", 120, async () => {
    await calm(load, 200);
    return { what: `${perSecond} requests a second of every service, 40 % of them acceptances` };
  });
  for (const { step: name, seconds, rotate } of wants("rotations") ? rotations : []) {
    await served(name, seconds, async () => ({ what: await rotate(installation) }));
  }
  if (wants("rotations")) await served("the doctor after all of them", 600, doctor);
  for (const fault of wants("faults") ? injectedFaults : []) {
    await served(fault.step, 300, async () => {
      const problems = await inject(installation, fault, () => calm(load, between));
      const alerts = fault.alerts.length === 0 ? "" : `; told by ${fault.alerts.join(", ")}`;
      return { what: `${fault.lasts > 0 ? `for ${fault.lasts} s` : "once"}${alerts}`, violations: problems };
    });
  }
  await step("every acceptance", 240, () => account(installation, load));
  await within(60, installation.stop());
}

interface CountingLoad extends Load {
  /** What was reported since it was asked last, whoever has looked. */
  sum(): LoadReport;
}

function counting(load: Load): CountingLoad {
  let all = noReport;
  const look = (): LoadReport => {
    const seen = load.look();
    all = together(all, seen);
    return seen;
  };
  const sum = (): LoadReport => {
    look();
    const seen = all;
    all = noReport;
    return seen;
  };
  return { ...load, look, sum };
}

async function underLoad(load: CountingLoad, work: () => Promise<Omit<Done, "load">>): Promise<Done> {
  load.sum();
  const done = await work();
  await calm(load, between);
  return { ...done, load: load.sum() };
}

/** Stored once, with the receipt that was answered, announced once on the bus and to the customer's webhook. */
async function account({ cluster, receiver }: Installation, load: Load): Promise<Done> {
  const last = await load.stop();
  const problems = await problemsOf(cluster, load);
  const receipts = [...load.receipts.values()];
  const untold = (): string[] => {
    const told = receiver
      .at("hooks")
      .map(({ text }) => text)
      .join("\n");
    return receipts.filter((id) => !told.includes(id));
  };
  await until(() => untold().length === 0, 60_000).catch(() => undefined);
  // Of which click could not be asked twice comes after five minutes only.
  const waiting = bodyOf(200, await cluster.visitor.api.get("/v1/webhooks/deliveries?status=PENDING"));
  const due = new Set(waiting.map(({ eventId }: { eventId: string }) => eventId));
  const eventOf = new Map(
    Array.from(cluster.events.events, ([id, { acceptanceRecorded }]) => [acceptanceRecorded?.receiptId ?? "", id]),
  );
  const late = untold();
  const lost = late.filter((receipt) => !due.has(eventOf.get(receipt)));
  if (lost.length > 0) problems.push(`${lost.length} acceptances were told to no webhook`);
  const later = late.length > lost.length ? `, of which ${late.length - lost.length} wait for their third attempt` : "";
  const what = `${receipts.length} are stored once, announced once and told to the webhook${later}`;
  return { what, load: last, violations: problems };
}
