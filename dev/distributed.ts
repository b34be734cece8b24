import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync, mkdirSync, openSync } from "node:fs";
import { join } from "node:path";
import type { Environment } from "#platform/config.ts";
import type { CertificateFiles } from "../services/sign/seal/test-certificate.ts";
import type { Secrets } from "./home.ts";
import { assumedSettings, hostOf, programEnvironment, reachableHost } from "./launch-settings.ts";
import { findFreePort } from "./ports.ts";
import { howItEnds } from "./processes.ts";
import { makeSeal } from "./programs.ts";

export interface DistributedOptions {
  /** A login that may assume the roles of all services; the schema is already migrated. */
  readonly databaseUrl: string;
  readonly natsUrl: string;
  readonly secrets: Secrets;
  /** What documents are sealed with; a new test certificate when absent. */
  readonly seal?: CertificateFiles;
  readonly logFolder: string;
  /** Port of the first gateway; 0 takes a free one. */
  readonly port: number;
  readonly gateways?: number;
  readonly auths?: number;
  readonly templates?: number;
  readonly clicks?: number;
  readonly docgens?: number;
  readonly signs?: number;
  readonly webhooks?: number;
  readonly logLevel?: string;
  /** Settings of the processes, each of which gets its own; the defaults when absent. */
  readonly env?: Environment;
  /**
   * Puts something between a service, or `postgres`, and its callers: gets the port, returns the port to call instead.
   */
  readonly interpose?: (service: string, port: number) => Promise<number>;
  /** The folder whose release a process runs, asked at each start; that of this file when absent. */
  readonly folderOf?: ((process: string) => string) | undefined;
  /** Environment variables of single processes, over those that all have: gets the name of the process. */
  readonly environmentOf?: (process: string) => Readonly<Record<string, string>>;
}

export interface Distributed {
  readonly baseUrls: readonly string[];
  /** Of the first process of the auth service. */
  readonly adminUrl: string;
  /** Of the first process of the click service. */
  readonly clickAdminUrl: string;
  /** Of the first process of the sign service. */
  readonly signAdminUrl: string;
  /** Of the first process of the webhooks service. */
  readonly webhooksAdminUrl: string;
  readonly processes: readonly ManagedProcess[];
  /** The processes of one service, in the order they were started. */
  of(service: string): readonly ManagedProcess[];
  stop(): Promise<void>;
}

interface Ports {
  /** Of the process. */
  readonly name: string;
  readonly ownPort: number;
  /** Where its callers reach it. */
  readonly rpcPort: number;
  readonly adminPort: number;
}

interface Placed extends Ports {
  readonly process: ManagedProcess;
}

const root = new URL("..", import.meta.url).pathname;
const loopback = "127.0.0.1";

/** Every service and gateway as a process of its own on this machine, with gRPC between them: as on a cluster. */
export async function startDistributed(options: DistributedOptions): Promise<Distributed> {
  mkdirSync(options.logFolder, { recursive: true });
  const seal = options.seal ?? (await makeSeal());
  const targets: Record<string, string> = {};
  const database = new URL(options.databaseUrl);
  if (database.port !== "") {
    const port = await options.interpose?.("postgres", Number(database.port));
    if (port !== undefined) database.port = String(port);
  }
  /** Starts none. The targets are complete when all have their ports: services call each other both ways. */
  const reserve = async (service: string, count = 1): Promise<() => Placed[]> => {
    if (count === 0) return () => [];
    const ports = await Promise.all(times(count, (n) => reservePorts(options, service, numbered(service, n))));
    if (service !== "gateway") targets[`${service.toUpperCase()}_TARGET`] = target(ports);
    return () =>
      ports.map((one) => ({
        ...one,
        process: makeProcess({ ...options, databaseUrl: database.href, seal }, service, one, targets),
      }));
  };
  const reserved = [
    await reserve("auth", options.auths),
    await reserve("templates", options.templates),
    await reserve("docgen", options.docgens),
    await reserve("click", options.clicks),
    await reserve("sign", options.signs),
    await reserve("webhooks", options.webhooks),
    await reserve("gateway", options.gateways),
    // Without LibreOffice it would not start.
    await reserve("convert", options.env?.OFFICE_PROGRAM ? 1 : 0),
  ];
  const all = reserved.map((make) => make());
  const [auths = [], templates = [], docgens = [], clicks = [], signs = [], webhooks = [], gateways = []] = all;
  const converts = all[7] ?? [];

  const placed = all.flat();
  const processes = placed.map((p) => p.process);
  const stop = async (): Promise<void> => {
    for (const { process } of gateways) await process.stop();
    await Promise.all(processes.map((p) => p.stop()));
  };
  try {
    await Promise.all([...auths, ...templates].map((p) => p.process.start()));
    await Promise.all([...docgens, ...converts].map((p) => p.process.start()));
    await Promise.all([...clicks, ...signs, ...webhooks].map((p) => p.process.start()));
    await Promise.all(gateways.map((p) => p.process.start()));
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    baseUrls: gateways.map((p) => `http://${reachableHost(hostOf(options.env ?? {}))}:${p.rpcPort}`),
    adminUrl: `http://${loopback}:${auths[0]?.adminPort}`,
    clickAdminUrl: `http://${loopback}:${clicks[0]?.adminPort}`,
    signAdminUrl: `http://${loopback}:${signs[0]?.adminPort}`,
    webhooksAdminUrl: `http://${loopback}:${webhooks[0]?.adminPort}`,
    processes,
    of: (service) => processes.filter((p) => p.name === service || p.name.startsWith(`${service}-`)),
    stop,
  };
}

async function reservePorts(
  options: Pick<DistributedOptions, "port" | "interpose">,
  service: string,
  name: string,
): Promise<Ports> {
  const ownPort = name === "gateway" && options.port !== 0 ? options.port : await findFreePort();
  const rpcPort = service === "gateway" ? ownPort : ((await options.interpose?.(name, ownPort)) ?? ownPort);
  return { name, ownPort, rpcPort, adminPort: await findFreePort() };
}

function makeProcess(
  options: DistributedOptions & { readonly seal: CertificateFiles },
  service: string,
  { name, ownPort, adminPort }: Ports,
  targets: Readonly<Record<string, string>>,
): ManagedProcess {
  const isGateway = service === "gateway";
  const { env = {}, secrets, seal } = options;
  const decided = {
    ...targets,
    DATABASE_URL: options.databaseUrl,
    NATS_URL: options.natsUrl,
    ...{ ADMIN_HOST: loopback, ADMIN_PORT: String(adminPort) },
    ...(isGateway ? { HOST: hostOf(env), PORT: String(ownPort) } : { RPC_HOST: loopback, RPC_PORT: String(ownPort) }),
  };
  // Links in mails lead here; the gateway takes the address of each request.
  const home = options.port === 0 || isGateway ? {} : { PUBLIC_URL: `http://${loopback}:${options.port}` };
  const assumed = { ...assumedSettings(secrets, seal), LOG_LEVEL: options.logLevel ?? "info", ...home };
  const readyUrl = isGateway ? `http://${reachableHost(hostOf(env))}:${ownPort}/healthz` : undefined;
  return manageProcess({
    name,
    entry: () => entryOf(options.folderOf?.(name) ?? root, service),
    env: { ...programEnvironment(service, env, { assumed, decided }), ...options.environmentOf?.(name) },
    logFile: join(options.logFolder, `${name}.log`),
    readyUrl: readyUrl ?? `http://${loopback}:${adminPort}/readyz`,
  });
}

/** The script of a process, or its source where a release had no scripts yet. */
function entryOf(folder: string, service: string): string {
  const script = join(folder, "gen/processes", `${service}.mjs`);
  return existsSync(script)
    ? script
    : join(folder, service === "gateway" ? "gateway" : `services/${service}`, "main.ts");
}

const numbered = (name: string, n: number): string => (n === 0 ? name : `${name}-${n + 1}`);

/** A gRPC target that lists the addresses, so that the client balances over them as over a headless Service. */
const target = (placed: readonly Ports[]): string => `ipv4:${placed.map((p) => `${loopback}:${p.rpcPort}`).join(",")}`;

const times = <T>(count: number, make: (n: number) => T): T[] => Array.from({ length: count }, (_, n) => make(n));

interface ProcessOptions {
  readonly name: string;
  /** The file to run. */
  entry(): string;
  readonly env: Readonly<Record<string, string>>;
  readonly logFile: string;
  /** Answers 200 when the process can do its work. */
  readonly readyUrl: string;
}

/** One of our processes that a drill may kill, pause and start again; it keeps its ports. */
export interface ManagedProcess {
  readonly name: string;
  readonly pid: number | undefined;
  /** The settings that it is started with. */
  readonly env: Readonly<Record<string, string>>;
  /** Starts it and waits until it is ready. */
  start(): Promise<void>;
  kill(signal: NodeJS.Signals): void;
  /** Resolves with the exit code, or null when a signal ended it. */
  exited(): Promise<number | null>;
  /** Resolves with how it ended, in words. */
  ended(): Promise<string>;
  /** SIGTERM, then waits for the end. */
  stop(): Promise<number | null>;
}

/** Where nobody else writes; goes with the packages. */
const compileCache = new URL("../node_modules/.cache/compiled", import.meta.url).pathname;

/** A few seconds, and many times that where the machine has much else to do. */
const readyTimeoutMs = 90_000;

/** Starts nothing yet. */
export function manageProcess(options: ProcessOptions): ManagedProcess {
  let child: ChildProcess | undefined;
  const isRunning = () => child !== undefined && child.exitCode === null && child.signalCode === null;

  const exited = async (): Promise<number | null> => {
    if (child === undefined) return 0;
    if (isRunning()) await once(child, "exit");
    return child.exitCode;
  };

  return {
    name: options.name,
    env: options.env,
    get pid() {
      return isRunning() ? child?.pid : undefined;
    },
    start: async () => {
      if (isRunning()) throw new Error(`${options.name} is already running`);
      child = spawnLogged(options);
      await untilReady(options, isRunning);
    },
    kill: (signal) => {
      child?.kill(signal);
    },
    exited,
    ended: async () => (child === undefined ? "it was not started" : howItEnds(child)),
    stop: async () => {
      if (isRunning()) child?.kill("SIGTERM");
      return exited();
    },
  };
}

function spawnLogged(options: ProcessOptions): ChildProcess {
  const log = openSync(options.logFile, "a", 0o600);
  try {
    // A group of its own: Ctrl-C reaches the runner alone, which stops its processes in order.
    return spawn(process.execPath, [options.entry()], {
      env: {
        ...{ PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "" },
        // Keeps sources without their types, compiled: most of a process's start is that.
        NODE_COMPILE_CACHE: compileCache,
        NODE_COMPILE_CACHE_PORTABLE: "1",
        ...options.env,
      },
      stdio: ["ignore", log, log],
      detached: true,
    });
  } finally {
    closeSync(log);
  }
}

async function untilReady(options: ProcessOptions, isRunning: () => boolean): Promise<void> {
  const deadline = Date.now() + readyTimeoutMs;
  while (Date.now() < deadline) {
    if (!isRunning()) throw new Error(`${options.name} ended while starting; see ${options.logFile}`);
    const answer = await fetch(options.readyUrl, { signal: AbortSignal.timeout(1000) }).catch(() => undefined);
    await answer?.body?.cancel();
    if (answer?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`${options.name} was not ready within ${readyTimeoutMs / 1000} s; see ${options.logFile}`);
}
