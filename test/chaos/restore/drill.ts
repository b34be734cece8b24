// `npm run drill:restore`: the product under load, a base backup, more load, an erasure, and the database dies. It is
// restored from the backup and the log three times, beside the NATS that survives: with the log of the dead server's disk,
// from the archive alone, and to a point in time. Each time it is looked at what clients lost and how long it took.
// npm run drill:restore -- --seconds 30 --rate 50
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs, promisify } from "node:util";
import { createLogger } from "#platform/logger.ts";
import { stopOnSignals } from "#platform/service.ts";
import { until } from "#platform/testing/until.ts";
import type { ManagedProcess } from "../../../dev/distributed.ts";
import { migrateAll } from "../../../dev/migrations.ts";
import type { Api } from "../../support/api.ts";
import { bodyOf } from "../../support/journeys.ts";
import { type Receiver, startReceiver } from "../../support/receiver.ts";
import { type Cluster, startCluster } from "../accept-history/cluster.ts";
import { createTenants } from "../accept-history/tenants.ts";
import { someAtATime } from "../lifecycle/steps.ts";
import { type Answered, type Goal, judge, judgeLeaves, judgeRepeated } from "./judge.ts";
import { archiveLog, archiveNow, type BackedUp, baseBackup, query, restore, saveLog } from "./servers.ts";

export interface RestoreOptions {
  /** Of each of the parts between backup, point in time, erasure and end. */
  readonly seconds: number;
  /** Acceptances a second. */
  readonly rate: number;
  /** The folder whose release the processes run; this one when absent. */
  readonly folderOf?: () => string;
  /** Gets what ends it before its time. */
  started?(stop: () => Promise<void>): void;
}

export interface RestoreReport {
  /** In the order of the columns below. */
  readonly rows: readonly string[][];
  readonly answered: number;
  readonly sizeMb: number;
  readonly problems: readonly string[];
}

const restoreColumns = [
  ...["restored", "answered", "lost", "RPO s", "database s", "RTO s", "erased again", "untold"],
] as const;
const archiveTimeoutSeconds = 10;
const root = join(import.meta.dirname, "../../..");

export async function runRestore(options: RestoreOptions): Promise<RestoreReport> {
  const folder = mkdtempSync(join(tmpdir(), "assent-restore-"));
  const receiver = await startReceiver();
  const cluster = await startCluster({
    ...{ gateways: 1, clicks: 1, folderOf: options.folderOf },
    environments: async () =>
      new Map([
        ["auth", { ERASURE_LIST: join(folder, "erasures") }],
        ["click", { LOG_WITNESS: join(folder, "log-witness") }],
        ["webhooks", { WEBHOOKS_ALLOW_PRIVATE: "true" }],
      ]),
  });
  const stop = async (): Promise<void> => {
    await cluster.stop();
    await receiver.close();
    rmSync(folder, { recursive: true, force: true });
  };
  options.started?.(stop);
  try {
    return await drill({ ...{ cluster, receiver, folder }, problems: [], ever: [], began: performance.now() }, options);
  } finally {
    await stop();
  }
}

interface Drill {
  readonly cluster: Cluster;
  readonly receiver: Receiver;
  readonly folder: string;
  readonly problems: string[];
  /** Whatever became of it. */
  readonly ever: Answered[];
  readonly began: number;
}

const told = ({ began }: Drill, text: string): void =>
  void process.stderr.write(`${((performance.now() - began) / 1_000).toFixed(1).padStart(6)} s  ${text}\n`);

async function drill(now: Drill, { seconds, rate }: RestoreOptions): Promise<RestoreReport> {
  const { cluster, receiver, folder } = now;
  const [{ setting: data } = { setting: "" }] = await query(
    cluster.postgres.url,
    "select setting from pg_settings where name = 'data_directory'",
  );
  const server: BackedUp = { postgres: cluster.postgres, cluster: data, folder: join(folder, "server") };
  await archiveLog(server, archiveTimeoutSeconds);
  // The server was started again for its archive.
  const [tenant] = await until(() =>
    createTenants(cluster.admin, cluster.running.baseUrls[0] ?? "", { tenants: 1, sessions: 0 }),
  );
  if (tenant === undefined) throw new Error("there is no tenant");
  const { api } = tenant;
  const visitor = { api, templateSlug: tenant.texts[0] ?? "" };
  const wish = { url: receiver.urlOf("hooks"), eventTypes: ["click.acceptance.recorded"] };
  bodyOf(201, await api.post("/v1/webhooks/endpoints", wish));
  bodyOf(201, await api.accept("erased", { templateSlug: visitor.templateSlug, userRef: "erased-person" }));

  const load = startLoad(now, visitor, rate);
  await delay(seconds * 1_000);
  const sizeMb = await baseBackup(server);
  told(now, `a base backup of ${sizeMb} MB under load`);
  await delay(seconds * 1_000);
  const point = Date.now();
  await delay(seconds * 1_000);
  await erase(api);
  // However slow this machine is, only what comes after it may be lost with the disk.
  await archiveNow(server);
  told(now, "a person was erased");
  await delay(seconds * 1_000);
  await cluster.postgres.kill("immediate");
  const killedAt = Date.now();
  const answered = await load.stop();
  told(now, `the database died; ${answered.length} acceptances had been answered`);
  saveLog(server);

  const goals: readonly Goal[] = [
    { kind: "the whole log" },
    { kind: "the archive", promisedMs: (archiveTimeoutSeconds + 5) * 1_000 },
    { kind: "a point in time", at: point },
  ];
  const rows: string[][] = [];
  for (const goal of goals) rows.push(await oneRestore(now, server, { goal, killedAt, answered, visitor }));
  return { rows, sizeMb, answered: answered.length, problems: [...now.problems, ...judgeLeaves(now.ever)] };
}

interface Visitor {
  readonly api: Api;
  readonly templateSlug: string;
}

/** Clients that accept under a new key each time, and write down what they were answered. */
function startLoad(now: Drill, visitor: Visitor, perSecond: number): { stop(): Promise<Answered[]> } {
  const answered: Answered[] = [];
  let isStopped = false;
  const clients = Array.from({ length: 8 }, async (_, client) => {
    for (let n = 0; !isStopped; n += 1) {
      const one = await acceptOnce(now, visitor, `client-${client}-request-${n}`).catch(() => undefined);
      if (one !== undefined) answered.push(one);
      await delay((8 * 1_000) / perSecond);
    }
  });
  return {
    stop: async () => {
      isStopped = true;
      await Promise.all(clients);
      return answered;
    },
  };
}

async function acceptOnce({ ever }: Drill, { api, templateSlug }: Visitor, key: string): Promise<Answered | undefined> {
  const sentAt = Date.now();
  const { status, body } = await api.accept(key, { templateSlug, userRef: key });
  if (status !== 201 && status !== 200) return undefined;
  const one = {
    key,
    receiptId: body.receiptId,
    leaf: `${body.log?.origin} ${body.log?.leafIndex}`,
    sentAt,
    answeredAt: Date.now(),
  };
  ever.push(one);
  return one;
}

async function erase(api: Api): Promise<void> {
  const { id } = (await api.post("/v1/privacy/erasures", { userRef: "erased-person" })).body;
  await until(async () => (await api.get(`/v1/privacy/erasures/${id}`)).body.status === "completed");
}

interface Listed {
  readonly setbacks?: readonly { readonly service: string; readonly confirmedAt: string | null }[];
}

interface Situation {
  readonly goal: Goal;
  readonly killedAt: number;
  readonly answered: readonly Answered[];
  readonly visitor: Visitor;
}

/** The steps of docs/operations.md. */
async function oneRestore(now: Drill, server: BackedUp, situation: Situation): Promise<string[]> {
  const { cluster, receiver, problems } = now;
  const { goal, killedAt, answered, visitor } = situation;
  const { processes } = cluster.running;
  await Promise.all(processes.map((process) => process.stop()));
  const start = performance.now();
  const since = (): string => ((performance.now() - start) / 1_000).toFixed(1);
  await restore(server, goal.kind === "the whole log" ? "saved" : "archive", "at" in goal ? goal.at : undefined);
  const back = since();
  await migrateAll(processes[0]?.env.DATABASE_URL ?? "", createLogger("drill", "silent"));
  const stored = await storedReceipts(cluster);
  const verdict = judge(answered, { goal, killedAt, stored });
  await Promise.all(processes.map((process) => process.start()));
  await until(async () => (await acceptOnce(now, visitor, `after ${goal.kind}`)) !== undefined, 120_000);
  const serves = since();
  const erased = await applyErasures(cluster);
  const epochs = { ...process.env, ASSENT_CLICK_ADMIN_URL: cluster.running.clickAdminUrl, ...adminEnv(cluster) };
  const listed = await run(["dev/admin.ts", "evidence-logs", "list", "--json"], epochs);
  const { setbacks = [] } = listed.ok ? (JSON.parse(listed.stdout) as Listed) : {};
  const isNoticed = setbacks.some(({ service, confirmedAt }) => service === "click" && confirmedAt === null);
  // What was answered last may not have reached NATS before the end.
  if (isNoticed ? verdict.lost.length === 0 : verdict.lostMs > 3_000)
    problems.push(`${goal.kind}: noticed ${isNoticed} by the events`);
  await run(["dev/admin.ts", "evidence-logs", "confirm", "--all"], epochs);
  // More of them at once would wait for each other.
  await someAtATime(2, processes, async (process) => {
    problems.push(...(await doctorOf(process)).map((text) => `${goal.kind}: ${text}`));
  });
  if (erased !== (goal.kind === "a point in time" ? 1 : 0)) problems.push(`${goal.kind}: ${erased} erased again`);
  const repeated = new Map<string, string>();
  await someAtATime(8, answered, async ({ key }) => {
    repeated.set(key, (await until(() => acceptOnce(now, visitor, key), 60_000)).receiptId);
  });
  const untold = await untoldReceipts(cluster, receiver);
  if (untold > 0) problems.push(`${goal.kind}: ${untold} acceptances were told to nobody`);
  const found = [...verdict.problems, ...judgeRepeated(answered, repeated, stored)];
  problems.push(...found.map((text) => `${goal.kind}: ${text}`));
  told(now, `restored: ${goal.kind}; served after ${serves} s; ${problems.length} problems so far`);
  for (const text of problems) told(now, text);
  const cells = [goal.kind, answered.length, verdict.lost.length, (verdict.lostMs / 1_000).toFixed(1), back, serves];
  return [...cells, erased, untold].map(String);
}

/** Beside this program, through which click is reached. */
async function run(args: readonly string[], env: NodeJS.ProcessEnv): Promise<{ ok: boolean; stdout: string }> {
  const program = ["--disable-warning=ExperimentalWarning", ...args];
  return promisify(execFile)(process.execPath, program, { cwd: root, env }).then(
    ({ stdout }) => ({ ok: true, stdout }),
    (error: { stdout: string; stderr: string }) => ({ ok: false, stdout: error.stdout + error.stderr }),
  );
}

/** What it finds wrong with a process, also when it is asked again; that webhooks reach this machine is for the drill. */
async function doctorOf({ name, env }: ManagedProcess): Promise<string[]> {
  const own = { PATH: process.env.PATH, ...env, WEBHOOKS_ALLOW_PRIVATE: "false" };
  let wrong = "";
  for (let time = 0; time < 3; time += 1) {
    const { ok, stdout } = await run(["dev/doctor.ts", name], own);
    if (ok) return [];
    wrong = stdout.match(/^WRONG.*$/gm)?.join("; ") ?? stdout.slice(-500);
  }
  return [`the doctor of ${name}: ${wrong}`];
}

function adminEnv({ running }: Cluster): NodeJS.ProcessEnv {
  return {
    ASSENT_ADMIN_URL: running.adminUrl,
    ASSENT_ADMIN_TOKEN: running.of("auth")[0]?.env.ADMIN_TOKEN ?? "",
  };
}

async function storedReceipts({ inspectUrl }: Cluster): Promise<Set<string>> {
  const rows = await query(inspectUrl, "select receipt_id as id from click.acceptance");
  return new Set(rows.map(({ id }) => id));
}

/** With the operator's command, until nothing of the list is left; how many were begun again. */
async function applyErasures(cluster: Cluster): Promise<number> {
  const apply = async (...more: string[]): Promise<{ missing: number; running: number }> => {
    const env = { ...process.env, ...adminEnv(cluster) };
    const { ok, stdout } = await run(["dev/admin.ts", "erasures", "apply", ...more, "--json"], env);
    if (!ok) throw new Error(`erasures apply: ${stdout}`);
    return JSON.parse(stdout);
  };
  const { missing } = await apply();
  await until(async () => {
    const left = await apply("--dry-run");
    if (left.missing + left.running === 0) return true;
    await delay(1_000);
    return false;
  }, 120_000);
  return missing;
}

/** Acceptances that are there and of which no webhook came; after a while, for what is under way. */
async function untoldReceipts(cluster: Cluster, receiver: Receiver): Promise<number> {
  const stored = await storedReceipts(cluster);
  const untold = (): number => {
    const told = receiver
      .at("hooks")
      .map(({ text }) => text)
      .join("\n");
    return [...stored].filter((id) => !told.includes(id)).length;
  };
  await until(async () => {
    if (untold() === 0) return true;
    await delay(1_000);
    return false;
    // A slow machine catches up with thousands of them, one after the other.
  }, 600_000).catch(() => undefined);
  return untold();
}

function finish({ rows, sizeMb, problems }: RestoreReport): void {
  const widths = restoreColumns.map((name, n) => Math.max(name.length, ...rows.map((row) => row[n]?.length ?? 0)));
  for (const row of [restoreColumns, ...rows]) {
    process.stdout.write(
      `${row.map((cell, n) => (n === 0 ? cell.padEnd(widths[n] ?? 0) : cell.padStart(widths[n] ?? 0))).join("  ")}\n`,
    );
  }
  process.stdout.write(`a base backup of ${sizeMb} MB, archive_timeout ${archiveTimeoutSeconds} s\n`);
  process.stdout.write(problems.map((text) => `  ${text}\n`).join(""));
  process.stdout.write(problems.length === 0 ? "no violation\n" : `${problems.length} violations\n`);
  process.exitCode = problems.length === 0 ? 0 : 1;
}

// The bootstrap imports it, so that it is not the main module.
if (process.argv[1] === import.meta.filename) {
  const { values } = parseArgs({
    options: { seconds: { type: "string", default: "20" }, rate: { type: "string", default: "40" } },
  });
  const started = (stop: () => Promise<void>) => stopOnSignals(stop, createLogger("drill", "silent"));
  finish(await runRestore({ seconds: Number(values.seconds), rate: Number(values.rate), started }));
}
