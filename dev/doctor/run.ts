import { join } from "node:path";
import { parseArgs } from "node:util";
import { createClient } from "@connectrpc/connect";
import { AdminService } from "#gen/assent/auth/v1/auth_pb.ts";
import { EvidenceAdminService } from "#gen/assent/click/v1/click_pb.ts";
import type { Environment } from "#platform/config.ts";
import { createAdminTransport } from "../admin-transport.ts";
import { folderOf, type RuntimeFile, readJson } from "../home.ts";
import { checkSeal, checkWire } from "./certificates.ts";
import { checkDatabase } from "./database.ts";
import { temporaryFolder } from "./disk.ts";
import { erasuresOfRunning } from "./erasures.ts";
import { createInstallation, type Finding, notice, ok, programNames, reasonOf, skipped, wrong } from "./finding.ts";
import { epochsOfRunning } from "./keys.ts";
import { checkNats } from "./nats.ts";
import { checkSettings } from "./settings.ts";
import { checkAddresses, checkIdentityProvider, checkMail, checkTimestamps } from "./surroundings.ts";
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
