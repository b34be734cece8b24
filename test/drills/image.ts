// `npm run drill:image`: what deploy/Dockerfile puts into the image, from the archive of the release, in a folder of its own
// with production dependencies only: every process is started there by the command and with the settings of its manifest,
// and one acceptance is made. With another Node: npm run drill:image -- --node 22.18.0
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { until } from "#platform/testing/until.ts";
import { openHome } from "../../dev/home.ts";
import { startNats } from "../../dev/nats.ts";
import { besideImage } from "../../dev/pack.ts";
import { findFreePort } from "../../dev/ports.ts";
import { startPostgres } from "../../dev/postgres.ts";
import { makeSeal } from "../../dev/programs.ts";
import { type Deployed, readDeployed } from "./deployed.ts";
import { createOwner, programPath, runIn } from "./image-steps.ts";

const { values } = parseArgs({
  options: { keep: { type: "boolean", default: false }, node: { type: "string", default: process.versions.node } },
});
const root = join(import.meta.dirname, "../..");
const folder = mkdtempSync(join(tmpdir(), "assent-image-"));
const app = join(folder, "app");
const running: Running[] = [];
const stops: Array<() => Promise<unknown>> = [];
const began = performance.now();
const told = (text: string): void => {
  process.stderr.write(`${((performance.now() - began) / 1_000).toFixed(1).padStart(6)} s  ${text}\n`);
};

try {
  if (values.node === process.versions.node) await drill();
  else process.exitCode = withNode(values.node);
} finally {
  for (const stop of stops.reverse()) await stop();
  if (!values.keep) rmSync(folder, { recursive: true, force: true });
}

async function drill(): Promise<void> {
  const files = unpackRelease();
  told(`${files} files and folders unpacked; Node ${process.versions.node}`);
  const install = spawnSync("npm", ["ci", "--omit=dev", "--ignore-scripts", "--no-audit", "--no-fund"], {
    ...{ cwd: app, stdio: ["ignore", 2, 2] },
    env: { ...process.env, NODE_ENV: "production" },
  });
  if (install.status !== 0) throw new Error("npm ci failed");
  told("production dependencies installed");

  const deployed = readDeployed(join(root, "deploy/k8s/base"));
  const { settingOf, databaseUrls } = await surroundings();
  const migrated = runIn(app, deployed.migrate.command, {
    ...named(deployed.migrate, settingOf),
    ...{ DATABASE_URL: databaseUrls.owner, SERVICE_LOGIN: databaseUrls.login },
  });
  if (migrated.status !== 0) throw new Error(`the migration failed: ${migrated.stderr}`);
  told("migrated, with a login of the services that owns nothing");

  const ports = await startAll(deployed.processes, settingOf);
  told(`${deployed.processes.length} processes are ready`);
  const receipt = await acceptOnce(ports, settingOf("ADMIN_TOKEN") ?? "");
  told(`one acceptance recorded: ${receipt}`);
  for (const process of deployed.processes) requireHealthy(process, named(process, settingOf));
  told("the doctor finds nothing wrong with any of them");
  const endings = await stopAll();
  told("all processes have ended");
  report(files, deployed.processes.length, endings);
}

/** All of this by another Node, which npm has as a package. */
function withNode(version: string): number {
  const { status } = run("npm", ["install", "--prefix", folder, "--no-audit", "--no-fund", `node@${version}`]);
  const node = join(folder, "node_modules/node/bin/node");
  const PATH = `${dirname(node)}${delimiter}${process.env.PATH}`;
  if (status !== 0) throw new Error(`there is no node@${version}`);
  return spawnSync(node, [import.meta.filename], { stdio: "inherit", env: { ...process.env, PATH } }).status ?? 1;
}

/** The archive as `npm run pack` makes it, without what the image does not have; how many files that is. */
function unpackRelease(): number {
  run(process.execPath, [join(root, "dev/bootstrap.mjs"), "dev/pack.ts", folder]);
  const archive = readdirSync(folder).find((name) => name.endsWith(".tgz")) ?? "";
  if (run("tar", ["-xzf", archive], folder).status !== 0) throw new Error("the release could not be packed");
  renameSync(join(folder, archive.replace(/\.tgz$/, "")), app);
  for (const path of besideImage) if (path !== "package-lock.json") rmSync(join(app, path), { recursive: true });
  return readdirSync(app, { recursive: true }).length;
}

/** Standard output is for what this program finds. */
function run(program: string, args: readonly string[], cwd = root): { readonly status: number | null } {
  return spawnSync(program, args, { cwd, stdio: ["ignore", 2, 2] });
}

interface Surroundings {
  readonly databaseUrls: { readonly owner: string; readonly login: string };
  /** What a setting of the manifests is here. */
  settingOf(name: string): string | undefined;
}

async function surroundings(): Promise<Surroundings> {
  const home = openHome({ ASSENT_HOME: join(folder, "home") });
  const postgres = await startPostgres({ dataDir: home.postgresFolder, durable: true });
  stops.push(postgres.stop);
  const nats = await startNats({ storeDir: join(folder, "nats") });
  if (nats === undefined) throw new Error("nats-server is missing");
  stops.push(nats.stop);
  const { owner, login, loginUrl } = await createOwner(postgres.url);
  const { key, certificates } = await makeSeal();
  const { authMasterKey, clickMasterKey, signMasterKey, webhooksMasterKey, ...others } = home.secrets;
  const { adminToken, internalTokenKeys } = others;
  const settings = new Map(
    Object.entries({
      ...{ DATABASE_URL: loginUrl, NATS_URL: nats.url, ADMIN_TOKEN: adminToken, NODE_ENV: "production" },
      ...{ AUTH_MASTER_KEY: authMasterKey, CLICK_MASTER_KEY: clickMasterKey },
      ...{ SIGN_MASTER_KEY: signMasterKey, WEBHOOKS_MASTER_KEY: webhooksMasterKey },
      ...{ SEAL_KEY: key, SEAL_CERTIFICATES: certificates, LOG_LEVEL: "info", GRPC_PORT: "0" },
      ...{ INTERNAL_TOKEN_KEYS: internalTokenKeys, ADMIN_HOST: "127.0.0.1" },
      ...{ EVIDENCE_ISSUER: "https://agreements.example.com", PUBLIC_URL: "https://agreements.example.com" },
    }),
  );
  for (const service of ["auth", "templates", "click", "docgen", "sign", "webhooks"]) {
    settings.set(`${service.toUpperCase()}_TARGET`, `127.0.0.1:${await findFreePort()}`);
  }
  return { databaseUrls: { owner, login }, settingOf: (name) => settings.get(name) };
}

/** The settings that the manifest names, with the values of this machine. */
function named({ name, settings }: Deployed, settingOf: Surroundings["settingOf"]): Record<string, string> {
  const env: Record<string, string> = {};
  for (const { setting, isOptional } of settings) {
    const value = settingOf(setting);
    if (value !== undefined) env[setting] = value;
    else if (!isOptional && setting !== "SERVICE_LOGIN")
      throw new Error(`${name} has ${setting}, which this drill does not know`);
  }
  return env;
}

interface Running {
  readonly name: string;
  hasEnded(): boolean;
  end(): Promise<{ readonly name: string; readonly code: number | null; readonly ms: number }>;
}

async function startAll(
  processes: readonly Deployed[],
  settingOf: Surroundings["settingOf"],
): Promise<Map<string, number>> {
  const ports = new Map<string, number>();
  for (const deployed of processes) {
    const admin = await findFreePort();
    const rpc = new URL(`tcp://${settingOf(`${deployed.name.toUpperCase()}_TARGET`) ?? "127.0.0.1:1"}`).port;
    const port = await findFreePort();
    ports.set(deployed.name, deployed.name === "gateway" ? port : admin);
    // On a cluster each has an address of its own and the ports that are the default.
    const own = {
      ...{ ADMIN_PORT: String(admin), RPC_PORT: rpc, PORT: String(port) },
      ...(deployed.name === "gateway" ? { GRPC_PORT: String(await findFreePort()) } : {}),
    };
    start(deployed, { ...named(deployed, settingOf), ...own });
    ports.set(`${deployed.name} admin`, admin);
  }
  for (const { name } of running) {
    const url = `http://127.0.0.1:${ports.get(`${name} admin`)}/readyz`;
    await until(async () => running.some(({ hasEnded }) => hasEnded()) || (await fetch(url)).ok, 180_000);
  }
  if (running.some(({ hasEnded }) => hasEnded())) throw new Error("not every process could be started");
  return ports;
}

function start({ name, command }: Deployed, settings: Record<string, string>): void {
  const [program = "", ...args] = command;
  const log: string[] = [];
  const child = spawn(program, args, {
    cwd: app,
    env: { PATH: programPath, ...settings },
    stdio: ["ignore", "pipe", "pipe"],
  });
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => log.push(chunk.toString()));
  const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
  let isStopping = false;
  void ended.then((code) => {
    if (!isStopping) process.stderr.write(`${name} ended with ${code}:\n${log.join("").slice(-2_000)}\n`);
  });
  const end = async () => {
    isStopping = true;
    const told = performance.now();
    child.kill("SIGTERM");
    return { name, code: await ended, ms: Math.round(performance.now() - told) };
  };
  running.push({ name, end, hasEnded: () => child.exitCode !== null });
  stops.push(end);
}

/** With the commands for operators that the image has, and then as a customer. */
async function acceptOnce(ports: ReadonlyMap<string, number>, adminToken: string): Promise<string> {
  const env = { ASSENT_ADMIN_URL: `http://127.0.0.1:${ports.get("auth")}`, ASSENT_ADMIN_TOKEN: adminToken };
  const admin = (...args: string[]) => {
    const { status, stdout, stderr } = runIn(app, ["node", "dev/admin.ts", ...args, "--json"], env);
    if (status !== 0) throw new Error(`admin ${args.join(" ")}: ${stderr}`);
    return JSON.parse(stdout);
  };
  const { organizationId } = admin("organizations", "create", "--name", "Drill", "--plan", "gen_pro");
  const { apiKey } = admin("keys", "create", "--organization", organizationId, "--name", "drill");
  const call = async (at: string, body: object, headers: Record<string, string> = {}) => {
    const response = await fetch(`http://127.0.0.1:${ports.get("gateway")}${at}`, {
      method: "POST",
      headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${at} answered ${response.status}: ${await response.text()}`);
    return response.json() as Promise<{ id: string; slug: string; receiptId: string }>;
  };
  const { id, slug } = await call("/v1/click/templates", { name: "Terms", type: "STATIC" });
  const versions = `/v1/click/templates/${id}/versions`;
  const version = await call(versions, { locale: "en", title: "Terms", content: "<p>Be kind.</p>" });
  await call(`${versions}/${version.id}/publish`, {});
  const accepted = { templateSlug: slug, userRef: "ada" };
  return (await call("/v1/click/accept", accepted, { "x-idempotency-key": "drill" })).receiptId;
}

/** As operators ask it on a cluster: within the process's own container. */
function requireHealthy({ name }: Deployed, settings: Record<string, string>): void {
  const doctor = ["node", "--disable-warning=ExperimentalWarning", "dev/doctor.ts", name];
  const { status, stdout, stderr } = runIn(app, doctor, settings);
  if (status !== 0) throw new Error(`the doctor of ${name}: ${stdout}${stderr}`);
}

async function stopAll(): Promise<Awaited<ReturnType<Running["end"]>>[]> {
  return Promise.all(running.map(({ end }) => end()));
}

function report(files: number, processes: number, endings: Awaited<ReturnType<Running["end"]>>[]): void {
  const size = spawnSync("du", ["-sm", join(app, "node_modules")], { encoding: "utf8" }).stdout.split("\t")[0];
  const failed = endings.filter(({ code }) => code !== 0).map(({ name, code }) => `${name} ended with ${code}`);
  const table = [
    ["files", files],
    ["packages MB", size],
    ["processes", processes],
    ["slowest stop ms", Math.max(...endings.map(({ ms }) => ms))],
    ["violations", failed.length],
  ];
  process.stdout.write(`${table.map(([name]) => name).join("  ")}\n`);
  process.stdout.write(`${table.map(([name, value]) => String(value).padStart(String(name).length)).join("  ")}\n`);
  process.stdout.write(failed.map((text) => `  ${text}\n`).join(""));
  process.exitCode = failed.length === 0 ? 0 : 1;
}
