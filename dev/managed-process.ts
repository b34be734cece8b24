import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { howItEnds } from "./processes.ts";

export interface ProcessOptions {
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
    return spawn(process.execPath, [options.entry], {
      env: {
        ...{ PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "" },
        // Keeps sources without their types, compiled: most of a process's start is that.
        NODE_COMPILE_CACHE: compileCache,
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
