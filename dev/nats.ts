import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { accessSync, closeSync, constants, openSync, readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { delimiter, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { makePrivateFolder } from "#platform/durable-file.ts";
import { lockFolder } from "./folder-lock.ts";
import { findFreePort } from "./ports.ts";
import { howItEnds, stopLeftover } from "./processes.ts";

export interface NatsOptions {
  /** Holds the streams and the server's settings; made when it does not exist. */
  readonly storeDir: string;
  /** What the server says is appended here; default `nats.log` in storeDir. */
  readonly logFile?: string;
}

export interface RunningNats {
  readonly url: string;
  readonly port: number;
  stop(): Promise<void>;
  /** Stops without a goodbye, as a crash does. For fault tests. */
  kill(): Promise<void>;
  /** Starts again on the same port after `kill`; a running server is stopped before. */
  restart(): Promise<void>;
  /** Resolves with how the server that runs now ended. */
  exited(): Promise<string>;
}

/** The nats-server of this machine: on PATH, or where Debian puts it, which is on the PATH of root only. */
export function findNatsServer(): string | undefined {
  const folders = [...(process.env.PATH ?? "").split(delimiter), "/usr/sbin", "/usr/local/sbin", "/usr/local/bin"];
  return folders.map((folder) => join(folder, "nats-server")).find(isExecutable);
}

/** Starts a nats-server with JetStream on a free port of 127.0.0.1; undefined when this machine has none. */
export async function startNats(options: NatsOptions): Promise<RunningNats | undefined> {
  const program = findNatsServer();
  if (program === undefined) return undefined;
  makePrivateFolder(options.storeDir);
  const unlock = lockFolder(join(options.storeDir, "owner.lock"));
  try {
    const configFile = join(options.storeDir, "nats.conf");
    const pidFile = join(options.storeDir, "nats.pid");
    await stopLeftover(pidFile, configFile, ["SIGTERM", "SIGKILL"]);
    const port = await findFreePort();
    writeConfig(program, configFile, { listen: `127.0.0.1:${port}`, pidFile, storeDir: options.storeDir });
    const launch = () => launchServer(program, configFile, port, options.logFile ?? join(options.storeDir, "nats.log"));
    let server = await launch();
    let launching = Promise.resolve(server);
    const stopAtExit = (): boolean => server.kill("SIGKILL");
    process.once("exit", stopAtExit);
    return {
      url: `nats://127.0.0.1:${port}`,
      port,
      stop: async () => {
        await launching.catch(() => undefined);
        await halt(server, "SIGTERM");
        process.off("exit", stopAtExit);
        unlock();
      },
      kill: () => halt(server, "SIGKILL"),
      restart: async () => {
        await halt(server, "SIGTERM");
        launching = launch();
        server = await launching;
      },
      exited: () => howItEnds(server),
    };
  } catch (error) {
    unlock();
    throw error;
  }
}

/** Flushes every message to disk before it is acknowledged, where the server can be told so (2.10 and later). */
function writeConfig(
  program: string,
  file: string,
  settings: { listen: string; pidFile: string; storeDir: string },
): void {
  const write = (sync: string): void => {
    const { listen, pidFile, storeDir } = settings;
    const quote = JSON.stringify;
    const jetstream = `jetstream {\n  store_dir: ${quote(storeDir)}\n${sync}}\n`;
    writeFileSync(file, `listen: ${quote(listen)}\npid_file: ${quote(pidFile)}\n${jetstream}`);
  };
  write("  sync_interval: always\n");
  if (spawnSync(program, ["-t", "-c", file], { stdio: "ignore" }).status !== 0) write("");
}

async function launchServer(program: string, configFile: string, port: number, logFile: string): Promise<ChildProcess> {
  const log = openSync(logFile, "a", 0o600);
  // Not in the terminal's process group: Ctrl-C must reach the services first.
  const server = spawn(program, ["-c", configFile], { stdio: ["ignore", log, log], detached: true });
  closeSync(log);
  let failure: string | undefined;
  server.once("error", (error) => (failure = error.message));
  server.once("exit", (code, killedBy) => (failure ??= `it ended with ${killedBy ?? `exit code ${code}`}`));
  server.unref();
  const deadline = performance.now() + 20_000;
  while (!(await greets(port))) {
    if (failure === undefined && performance.now() < deadline) {
      await delay(20);
      continue;
    }
    server.kill("SIGKILL");
    const tail = readFileSync(logFile, "utf8").trim().split("\n").slice(-5).join("\n");
    throw new Error(`nats-server did not start: ${failure ?? "it does not accept connections"}\n${tail}`);
  }
  return server;
}

/** True when a NATS server answers: it speaks first, with a line that begins with INFO. */
function greets(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    const finish = (answer: boolean): void => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(1_000, () => finish(false));
    socket.once("error", () => finish(false));
    socket.once("data", (data) => finish(data.toString().startsWith("INFO ")));
  });
}

async function halt(server: ChildProcess, how: NodeJS.Signals): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const gone = new Promise((resolve) => server.once("exit", resolve));
  server.kill(how);
  server.ref();
  await gone;
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
