import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** A relay, a consumer or a service as a process. */
export interface MortalProcess {
  readonly name: string;
  /** Starts it and waits until it works. */
  start(): Promise<void>;
  /** Tells it to die at its weakest moment; resolves when it has. */
  dieInTheMiddle(): Promise<void>;
  /** Wherever it is. */
  kill(): Promise<void>;
}

export interface MortalOptions {
  readonly name: string;
  readonly entry: URL;
  readonly env: Readonly<Record<string, string>>;
  readonly logFile: string;
}

const patienceMs = 30_000;
/** To take the types out of what it loads is most of a start. */
const compileCache = fileURLToPath(new URL("../../../node_modules/.cache/compiled", import.meta.url));

export function createMortalProcess({ name, entry, env, logFile }: MortalOptions): MortalProcess {
  let child: ChildProcess | undefined;
  const gone = (): Promise<void> => {
    const dying = child;
    if (dying === undefined || dying.exitCode !== null || dying.signalCode !== null) return Promise.resolve();
    return within(name, new Promise((resolve) => dying.once("exit", () => resolve())));
  };
  return {
    name,
    start: async () => {
      const log = openSync(logFile, "a", 0o600);
      const started = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", fileURLToPath(entry)], {
        env: { PATH: process.env.PATH ?? "", NODE_COMPILE_CACHE: compileCache, ...env },
        stdio: ["ignore", log, log, "ipc"],
        detached: true,
      });
      closeSync(log);
      child = started;
      const working = new Promise<void>((resolve, reject) => {
        started.once("message", () => resolve());
        started.once("exit", () => reject(new Error(`${name} ended while starting; see ${logFile}`)));
      });
      await within(name, working);
    },
    dieInTheMiddle: async () => {
      child?.send("die");
      await gone();
      if (child?.signalCode !== "SIGKILL") throw new Error(`${name} ended by itself; see ${logFile}`);
    },
    kill: async () => {
      child?.kill("SIGKILL");
      await gone();
    },
  };
}

async function within(name: string, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`${name} did not do as it was told`)), patienceMs);
  });
  try {
    await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
