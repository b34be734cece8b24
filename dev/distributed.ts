import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdirSync, openSync } from "node:fs";
import { join } from "node:path";
import type { Environment } from "#platform/config.ts";
import type { CertificateFiles } from "../services/sign/seal/test-certificate.ts";
import type { Secrets } from "./home.ts";
import { assumedSettings, hostOf, programEnvironment, reachableHost } from "./launch-settings.ts";
import { findFreePort } from "./ports.ts";
import { howItEnds } from "./processes.ts";
import { makeSeal, settingsOfPrograms } from "./programs.ts";

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
  /** Puts something between a service and its callers: gets the service's port, returns the port to call instead. */
  readonly interpose?: (service: string, port: number) => Promise<number>;
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

interface Placed {
  readonly process: ManagedProcess;
  /** Where its callers reach it. */
  readonly rpcPort: number;
  readonly adminPort: number;
}

const root = new URL("..", import.meta.url).pathname;
const loopback = "127.0.0.1";

/** Every service and gateway as a process of its own on this machine, with gRPC between them: as on a cluster. */
export async function startDistributed(options: DistributedOptions): Promise<Distributed> {
  mkdirSync(options.logFolder, { recursive: true });
  const seal = options.seal ?? (await makeSeal());
  const targets: Record<string, string> = {};
  /** Starts none: those that come later are told where these are. */
  const place = async (service: string, count = 1): Promise<readonly Placed[]> => {
    const known = { ...targets };
    const placed = await Promise.all(
      times(count, (n) => placeProcess({ ...options, seal }, service, numbered(service, n), known)),
    );
    targets[`${service.toUpperCase()}_TARGET`] = target(placed);
    return placed;
  };
  const auths = await place("auth", options.auths);
  const templates = await place("templates", options.templates);
  const docgens = await place("docgen", options.docgens);
  const clicks = await place("click", options.clicks);
  const signs = await place("sign", options.signs);
  const webhooks = await place("webhooks", options.webhooks);
  const gateways = await place("gateway", options.gateways);

  const placed = [...auths, ...templates, ...docgens, ...clicks, ...signs, ...webhooks, ...gateways];
  const processes = placed.map((p) => p.process);
  const stop = async (): Promise<void> => {
    for (const { process } of gateways) await process.stop();
    await Promise.all(processes.map((p) => p.stop()));
  };
  try {
    await Promise.all([...auths, ...templates].map((p) => p.process.start()));
    await Promise.all(docgens.map((p) => p.process.start()));
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

async function placeProcess(
  options: DistributedOptions & { readonly seal: CertificateFiles },
  service: string,
  name: string,
  targets: Readonly<Record<string, string>>,
): Promise<Placed> {
  const isGateway = service === "gateway";
  const ownPort = name === "gateway" && options.port !== 0 ? options.port : await findFreePort();
  const rpcPort = isGateway ? ownPort : ((await options.interpose?.(name, ownPort)) ?? ownPort);
  const adminPort = await findFreePort();
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
  const process = manageProcess({
    name,
    entry: join(root, settingsOfPrograms.find(({ title }) => title === service)?.entry ?? ""),
    env: { ...programEnvironment(service, env, { assumed, decided }), ...options.environmentOf?.(name) },
    logFile: join(options.logFolder, `${name}.log`),
    readyUrl: readyUrl ?? `http://${loopback}:${adminPort}/readyz`,
  });
  return { process, rpcPort, adminPort };
}

const numbered = (name: string, n: number): string => (n === 0 ? name : `${name}-${n + 1}`);

/** A gRPC target that lists the addresses, so that the client balances over them as over a headless Service. */
const target = (placed: readonly Placed[]): string => `ipv4:${placed.map((p) => `${loopback}:${p.rpcPort}`).join(",")}`;

const times = <T>(count: number, make: (n: number) => T): T[] => Array.from({ length: count }, (_, n) => make(n));

interface ProcessOptions {
  readonly name: string;
  /** The TypeScript file to run. */
  readonly entry: string;
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

function manageProcess(options: ProcessOptions): ManagedProcess {
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
    return spawn(process.execPath, [options.entry], {
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
