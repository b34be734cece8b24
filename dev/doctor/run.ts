import { join } from "node:path";
import { parseArgs } from "node:util";
import { createClient } from "@connectrpc/connect";
import { AdminService } from "#gen/assent/auth/v1/auth_pb.ts";
import { EvidenceAdminService } from "#gen/assent/click/v1/click_pb.ts";
import type { Environment } from "#platform/config.ts";
import { inspectNats, type NatsReport, parseNatsUrl } from "#platform/events/nats-stream.ts";
import { createAdminTransport } from "../admin-transport.ts";
import { folderOf, type RuntimeFile, readJson } from "../home.ts";
import { checkSeal, checkWire } from "./certificates.ts";
import { checkDatabase } from "./database.ts";
import { erasuresOfRunning } from "./erasures.ts";
import {
  createInstallation,
  type Finding,
  type Installation,
  notice,
  ok,
  programNames,
  reasonOf,
  skipped,
  wrong,
} from "./finding.ts";
import { epochsOfRunning } from "./keys.ts";
import { checkSettings } from "./settings.ts";
import {
  checkAddresses,
  checkIdentityProvider,
  checkMail,
  checkTimestamps,
  isLoopback,
  temporaryFolder,
} from "./surroundings.ts";
import { checkTargets } from "./targets.ts";

export interface DoctorStreams {
  readonly env: Environment;
  out(text: string): void;
  err(text: string): void;
}

const usage = `usage: npm run doctor -- [process …] [--json]

Checks the settings in the environment and everything they point to, and says what is missing or wrong and what to do.
Without names, it checks all processes: ${programNames.join(", ")};
if no DATABASE_URL is set and npm start runs an instance in this folder, it checks that instance.
It changes nothing. The exit code is 1 if something is wrong, and 2 if it was called incorrectly.
`;

/** The whole program; returns its exit code. */
export async function runDoctor(args: readonly string[], { env, out, err }: DoctorStreams): Promise<number> {
  const chosen = readArguments(args);
  if (typeof chosen === "string") {
    err(`${chosen}\n\n${usage}`);
    return 2;
  }
  if (chosen.help) {
    out(usage);
    return 0;
  }
  const ofCopy = chosen.programs.length === 0 ? await checkCopy(env, folderOf(env)) : undefined;
  const findings =
    ofCopy === undefined
      ? await examine(chosen.programs.length === 0 ? programNames : chosen.programs, env)
      : [...checkRuntime(), ...ofCopy];
  out(chosen.json ? `${JSON.stringify({ healthy: !hasWrong(findings), findings }, null, 2)}\n` : textOf(findings));
  return hasWrong(findings) ? 1 : 0;
}

/** All findings about these processes, in the order in which one would put them right. */
export async function examine(
  programs: readonly string[],
  env: Environment,
  now: Date = new Date(),
): Promise<Finding[]> {
  const installation = createInstallation(programs, env);
  const checks: readonly (() => Finding[] | Promise<Finding[]>)[] = [
    () => checkRuntime(),
    () => checkSettings(installation),
    () => checkDatabase(installation),
    () => checkNats(installation),
    () => checkSeal(installation, now),
    () => checkWire(installation, now),
    () => checkAddresses(installation),
    () => checkTimestamps(installation),
    () => checkMail(installation),
    () => checkIdentityProvider(installation),
    () => checkTargets(installation),
  ];
  return (await Promise.all(checks.map(settled))).flat();
}

/** A defect of one check must not hide what the others have found. */
async function settled(check: () => Finding[] | Promise<Finding[]>): Promise<Finding[]> {
  try {
    return await check();
  } catch (error) {
    return [wrong("doctor", `a check failed unexpectedly: ${reasonOf(error)}`, "Report this.")];
  }
}

interface Chosen {
  /** None means all. */
  readonly programs: readonly string[];
  readonly json: boolean;
  readonly help: boolean;
}

function readArguments(args: readonly string[]): Chosen | string {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { json: { type: "boolean" }, help: { type: "boolean", short: "h" } },
    });
    const unknown = positionals.filter((name) => !programNames.includes(name));
    if (unknown.length > 0) return `there is no process ${unknown.join(", ")}`;
    return { programs: positionals, json: values.json === true, help: values.help === true };
  } catch (error) {
    return reasonOf(error);
  }
}

const hasWrong = (findings: readonly Finding[]): boolean => findings.some(({ verdict }) => verdict === "wrong");

function textOf(findings: readonly Finding[]): string {
  const width = Math.max(...findings.map(({ check }) => check.length));
  const indent = " ".repeat(9 + width + 2);
  const lines = findings.map(({ verdict, check, says, todo }) => {
    const mark = (verdict === "wrong" ? "WRONG" : verdict).padEnd(9);
    return `${mark}${check.padEnd(width + 2)}${says}\n${todo === undefined ? "" : `${indent}→ ${todo}\n`}`;
  });
  const count = (verdict: Finding["verdict"]): number =>
    findings.filter((finding) => finding.verdict === verdict).length;
  const summary = `Result: ${count("wrong")} wrong, ${count("notice")} to know, ${count("skipped")} skipped, ${count("ok")} OK\n`;
  return `${lines.join("")}\n${summary}`;
}

/** The Node that runs this, which is the one that runs the processes, and where temporary files go. */
const checkRuntime = (version: string = process.versions.node, folder?: string): Finding[] => [
  nodeFinding(version),
  temporaryFolder(folder),
];

function nodeFinding(version: string): Finding {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (major < 22 || (major === 22 && minor < 18)) {
    return wrong("node", `Node ${version} cannot run TypeScript directly`, "Install Node 24, or use npm run doctor.");
  }
  if (major !== 24) {
    return notice("node", `Node ${version}; everything is tested with Node 24`, "Use Node 24, as the image does.");
  }
  return ok("node", `Node ${version}`);
}

const patienceMs = 5_000;

/**
 * The copy that `npm start` runs in the data folder. Undefined where there is none, and where a database is set: then
 * the settings of the environment are meant.
 */
async function checkCopy(env: Environment, folder: string): Promise<Finding[] | undefined> {
  if (env.DATABASE_URL || env.DATABASE_URL_FILE) return undefined;
  const runtime = readJson<RuntimeFile>(join(folder, "runtime.json"));
  if (runtime?.baseUrl === undefined) return undefined;
  return [
    await ready(runtime.baseUrl, join(folder, "logs")),
    ...(await afterRestore(runtime)),
    skipped("settings", "the instance chose them itself; to check the settings of this environment, name processes"),
  ];
}

async function ready(baseUrl: string, logs: string): Promise<Finding> {
  try {
    const answer = await fetch(`${baseUrl}/readyz`, { signal: AbortSignal.timeout(patienceMs) });
    if (answer.ok) return ok("copy", `the one at ${baseUrl} is ready`);
    const { message = `it answers ${answer.status}` } = (await answer.json()) as { message?: string };
    return wrong("copy", `the one at ${baseUrl} is not ready. ${message}`, `See what it printed, and ${logs}.`);
  } catch (error) {
    const says = `the one at ${baseUrl} does not answer: ${reasonOf(error)}`;
    return wrong("copy", says, "Start it again with npm start.");
  }
}

/** What a database of before lacks: the copy knows it, and whoever restores it must act. */
async function afterRestore({ adminUrl, clickAdminUrl = adminUrl, adminToken }: RuntimeFile): Promise<Finding[]> {
  const auth = createClient(AdminService, createAdminTransport(adminUrl, adminToken));
  const click = createClient(EvidenceAdminService, createAdminTransport(clickAdminUrl, adminToken));
  const options = { timeoutMs: patienceMs };
  const unknown = (check: string) => (error: unknown) => [
    skipped(check, `the instance does not say: ${reasonOf(error)}`),
  ];
  const found = await Promise.all([
    click.listLogEpochs({}, options).then(epochsOfRunning, unknown("log witness")),
    auth.applyErasureList({ dryRun: true }, options).then(erasuresOfRunning, unknown("erasures")),
  ]);
  return found.flat();
}

const days = 24 * 3_600_000;
const keptDays = 7;

/** NATS and its stream. Processes start and answer without it, but nothing that follows events happens. */
async function checkNats(installation: Installation): Promise<Finding[]> {
  const url = installation.text("NATS_URL");
  if (url === undefined) return [];
  try {
    const report = await inspectNats(url);
    return [serverFinding(report), ...encryptionFindings(url), ...streamFindings(report), ...roomFindings(report)];
  } catch (error) {
    return [
      wrong(
        "nats",
        `no server of NATS_URL answers with JetStream: ${reasonOf(error)}`,
        "Check the addresses and the login, and that the servers run with JetStream. Until then events wait in the database.",
      ),
    ];
  }
}

function serverFinding({ version, isCluster }: NatsReport): Finding {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (major < 2 || (major === 2 && minor < 9)) {
    return wrong("nats", `NATS ${version} is too old`, "Use 2.10 or newer, which can flush before it acknowledges.");
  }
  if (major === 2 && minor < 10) {
    return notice("nats", `NATS ${version} cannot flush before it acknowledges`, "Use 2.10 or newer.");
  }
  if (isCluster) return ok("nats", `NATS ${version}, a cluster with JetStream`);
  return notice(
    "nats",
    `NATS ${version}, a single server`,
    "Run three servers if events must not wait for one of them.",
  );
}

/** Events name people; the password of NATS goes the same way. */
function encryptionFindings(url: string): Finding[] {
  const { servers, tls } = parseNatsUrl(url);
  const remote = servers.filter((server) => !isLoopback(server.replace(/:\d+$/, "")));
  if (tls !== undefined || remote.length === 0) return [];
  const says = `what is sent to ${remote.join(", ")} is not encrypted`;
  return [
    notice("nats", says, "Give the servers a certificate, and use the scheme tls in NATS_URL (docs/hardening.md)."),
  ];
}

function streamFindings({ stream, isCluster }: NatsReport): Finding[] {
  if (stream === undefined) return [ok("stream", "the first process will create EVENTS")];
  const findings: Finding[] = [];
  if (!stream.subjects.includes("assent.>")) {
    findings.push(wrong("stream", "EVENTS does not take assent.>", "Give the stream the subjects assent.>."));
  }
  if (!stream.onDisk) {
    findings.push(wrong("stream", "EVENTS is kept in memory", "Recreate it with file storage; the outbox refills it."));
  }
  if (isCluster && stream.replicas < 3) {
    findings.push(
      notice("stream", `EVENTS has ${stream.replicas} copy`, "nats stream edit EVENTS --replicas 3, on three servers."),
    );
  }
  if (stream.keptMs > 0 && stream.keptMs < keptDays * days) {
    findings.push(
      notice("stream", `EVENTS forgets after ${Math.floor(stream.keptMs / days)} days`, `Keep ${keptDays} days.`),
    );
  }
  return findings.length > 0 ? findings : [ok("stream", `EVENTS is on disk in ${stream.replicas} copies`)];
}

function roomFindings({ storedBytes, mostBytes }: NatsReport): Finding[] {
  if (mostBytes <= 0 || storedBytes < mostBytes * 0.8) return [];
  const share = Math.round((100 * storedBytes) / mostBytes);
  const say = share < 95 ? notice : wrong;
  return [say("stream", `JetStream's storage is ${share} % full`, "Raise max_file_store, and the volumes.")];
}
