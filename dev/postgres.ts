import { randomBytes } from "node:crypto";
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { makePrivateFolder } from "#platform/durable-file.ts";
import { lockFolder } from "./folder-lock.ts";
import { findFreePort } from "./ports.ts";
import { findPostgres, type PostgresPrograms } from "./postgres-binaries.ts";
import { howItEnds, stopLeftover, waitUntilGone } from "./processes.ts";

export interface PostgresOptions {
  /** Holds the database, its password and its lock; made when it does not exist. */
  readonly dataDir: string;
  /** False: nothing is flushed to disk. For tests: a crash of the machine destroys the database. */
  readonly durable: boolean;
  /** What the server says is appended here; default `postgres.log` in dataDir. */
  readonly logFile?: string;
}

export interface RunningPostgres {
  /** Connects to the database `postgres` as superuser. */
  readonly url: string;
  /** The same through a socket file, with which each question takes less work. Only of a server for tests, else as `url`. */
  readonly localUrl: string;
  readonly port: number;
  /** Ends sessions, writes everything to disk, gives up the folder. */
  stop(): Promise<void>;
  /** Stops as a crash does: sessions break off, the next start recovers. For fault tests. */
  kill(how: "immediate"): Promise<void>;
  /** Starts again on the same port after `kill`; a running server is stopped before. */
  restart(): Promise<void>;
  /** Resolves with how the server that runs now ended. */
  exited(): Promise<string>;
}

/**
 * Starts a Postgres of its own for development and tests, on a free port of 127.0.0.1 with a random password. Data is
 * kept between starts. Rejects when another live copy uses the folder; a server that a killed copy left there is stopped.
 * Works as an ordinary user and as root. The server is not in the terminal's process group: Ctrl-C reaches us first.
 */
export async function startPostgres(options: PostgresOptions): Promise<RunningPostgres> {
  const dataDir = resolve(options.dataDir);
  const cluster = join(dataDir, "cluster");
  makePrivateFolder(dataDir);
  const unlock = lockFolder(join(dataDir, "owner.lock"));
  try {
    const programs = await findPostgres(dataDir, cluster);
    await stopLeftoverPostgres(dataDir);
    const password = await ensureCluster(programs, dataDir, options.durable);
    const logFile = options.logFile ?? join(dataDir, "postgres.log");
    const server = { programs, cluster, password, logFile, durable: options.durable };
    let { port, running } = await launchOnFreePort(server);

    // Covers process.exit on a path that forgot to stop; a killed process leaves the server to the next start.
    const stopAtExit = (): void => signal(running, "SIGINT");
    process.once("exit", stopAtExit);
    const halt = async (how: NodeJS.Signals): Promise<void> => {
      signal(running, how);
      if (running.hasEnded()) return;
      if (!(await waitUntilGone(running.pid, 30_000))) throw new Error(`Postgres (${running.pid}) does not stop`);
    };
    let launching = Promise.resolve(running);
    return {
      url: superuserUrl(loopback, port, password),
      localUrl: superuserUrl(encodeURIComponent(socketFolderOf(server) || loopback), port, password),
      port,
      stop: async () => {
        await launching.catch(() => undefined);
        await halt("SIGINT");
        process.off("exit", stopAtExit);
        unlock();
      },
      kill: () => halt("SIGQUIT"),
      restart: async () => {
        await halt("SIGINT");
        launching = launch(server, port);
        running = await launching;
      },
      exited: () => running.exited,
    };
  } catch (error) {
    unlock();
    throw error;
  }
}

/** Stops the server that a killed run left in this folder, whose lock the caller holds. */
export async function stopLeftoverPostgres(dataDir: string): Promise<void> {
  const cluster = join(dataDir, "cluster");
  // Fast shutdown, then immediate: a server whose clients hang does not finish the first.
  await stopLeftover(join(cluster, "postmaster.pid"), cluster, ["SIGINT", "SIGQUIT"]);
}

interface Server {
  readonly programs: PostgresPrograms;
  readonly cluster: string;
  readonly password: string;
  readonly logFile: string;
  readonly durable: boolean;
}

const superuser = "postgres";

const loopback = "127.0.0.1";

const superuserUrl = (host: string, port: number, password: string): string =>
  `postgresql://${superuser}:${password}@${host}:${port}/postgres`;

/** What the system allows for the path of a socket file is about a hundred bytes. */
const longestSocketFolder = 80;

/** Where the server has its socket file; empty without one. */
const socketFolderOf = ({ cluster, durable }: Server): string =>
  durable || process.platform === "win32" || Buffer.byteLength(cluster) > longestSocketFolder ? "" : cluster;

/** Nothing of the environment but what the programs need: PG* variables and locales must not leak in. */
const environment = { PATH: process.env.PATH ?? "", LC_ALL: "C", TZ: "UTC" };

/** Makes the cluster on the first start, in a folder beside it, so that an interrupted start leaves no half of one. */
async function ensureCluster(programs: PostgresPrograms, dataDir: string, durable: boolean): Promise<string> {
  const passwordFile = join(dataDir, "password");
  const cluster = join(dataDir, "cluster");
  if (existsSync(cluster)) return readFileSync(passwordFile, "utf8").trim();
  const password = randomBytes(24).toString("base64url");
  writeFileSync(passwordFile, `${password}\n`, { mode: 0o600 });
  const draft = `${cluster}.new`;
  const draftPassword = `${passwordFile}.new`;
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft, { mode: 0o700 });
  programs.own(draft);
  writeFileSync(draftPassword, `${password}\n`, { mode: 0o600 });
  programs.own(draftPassword);
  try {
    await runInitdb(programs, draft, draftPassword, durable);
    renameSync(draft, cluster);
  } finally {
    rmSync(draftPassword, { force: true });
  }
  return password;
}

async function runInitdb(
  programs: PostgresPrograms,
  cluster: string,
  passwordFile: string,
  durable: boolean,
): Promise<void> {
  const args = [
    `--pgdata=${cluster}`,
    `--username=${superuser}`,
    `--pwfile=${passwordFile}`,
    "--auth=scram-sha-256",
    // The built-in provider sorts the same on every platform; the system's locales differ or are missing.
    "--encoding=UTF8",
    "--locale=C",
    "--locale-provider=builtin",
    "--builtin-locale=C.UTF-8",
    "--no-instructions",
    // To connect is cheap where tests do it thousands of times with passwords that nobody could guess.
    ...(durable ? [] : ["--no-sync", "--set=scram_iterations=1"]),
  ];
  const child = programs.spawn(programs.initdb, args, {
    cwd: "/",
    env: environment,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  child.stdout?.on("data", (chunk: Buffer) => (output += chunk.toString()));
  child.stderr?.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const code = await new Promise<number | null>((done, failed) => child.once("error", failed).once("close", done));
  if (code !== 0) throw new Error(`the database could not be made in ${cluster}:\n${output.trim()}`);
}

/** The port is free when it is chosen but may be taken before Postgres has it. */
async function launchOnFreePort(server: Server): Promise<{ port: number; running: Launched }> {
  for (let attempt = 1; ; attempt += 1) {
    const port = await findFreePort();
    try {
      return { port, running: await launch(server, port) };
    } catch (error) {
      if (attempt === 5 || !String(error).includes("could not bind")) throw error;
    }
  }
}

interface Launched {
  readonly pid: number;
  readonly exited: Promise<string>;
  hasEnded(): boolean;
}

async function launch(server: Server, port: number): Promise<Launched> {
  const logStart = existsSync(server.logFile) ? statSync(server.logFile).size : 0;
  const log = openSync(server.logFile, "a", 0o600);
  const child = server.programs.spawn(server.programs.postgres, serverArguments(server, port), {
    cwd: "/",
    env: environment,
    detached: true,
    stdio: ["ignore", log, log],
  });
  closeSync(log);
  let ended: string | undefined;
  const exited = howItEnds(child);
  void exited.then((how) => (ended = how));
  child.unref();
  const deadline = performance.now() + 60_000;
  while (!(await accepts(superuserUrl(loopback, port, server.password)))) {
    const late = performance.now() > deadline;
    if (ended === undefined && !late) {
      await delay(20);
      continue;
    }
    if (late) child.kill("SIGQUIT");
    const tail = readFileSync(server.logFile, "utf8").slice(logStart).trim().split("\n").slice(-10).join("\n");
    throw new Error(`Postgres did not start: ${ended ?? "it does not accept connections"}\n${tail}`);
  }
  return { pid: child.pid as number, exited, hasEnded: () => ended !== undefined };
}

const serverArguments = (server: Server, port: number): string[] => [
  ...["-D", server.cluster, "-p", String(port)],
  ...Object.entries({
    listen_addresses: loopback,
    unix_socket_directories: socketFolderOf(server),
    shared_buffers: "128MB",
    // Several copies of the product run at a time on the server of the tests.
    max_connections: server.durable ? "200" : "500",
    synchronous_commit: "on",
    timezone: "UTC",
    log_timezone: "UTC",
    ...(server.durable ? {} : { fsync: "off", full_page_writes: "off", autovacuum_naptime: "10s" }),
  }).flatMap(([name, value]) => ["-c", `${name}=${value}`]),
];

async function accepts(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  client.on("error", () => {});
  try {
    await client.connect();
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => {});
  }
}

function signal({ pid, hasEnded }: Launched, name: NodeJS.Signals): void {
  // Its id may be another process's by now.
  if (hasEnded()) return;
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
