import { existsSync, readFileSync, rmSync } from "node:fs";
import { commandLine, isAlive, waitUntilGone } from "./processes.ts";

/**
 * Stops a server that a killed run left on its data. The caller holds the lock of the folder, so it belongs to nobody else.
 * `mark` is part of its command line; `signals` are tried in turn. Rejects when it does not stop.
 */
export async function stopLeftover(pidFile: string, mark: string, signals: readonly NodeJS.Signals[]): Promise<void> {
  const pid = existsSync(pidFile) ? Number.parseInt(readFileSync(pidFile, "utf8"), 10) : Number.NaN;
  if (!(pid > 0)) return;
  if (isAlive(pid) && commandLine(pid).includes(mark)) {
    for (const name of signals) {
      process.kill(pid, name);
      if (await waitUntilGone(pid, 15_000)) return;
    }
    throw new Error(`a server of an earlier run (process ${pid}) still uses ${mark} and does not stop`);
  }
  // The id now belongs to another process, or to none; Postgres could not tell and would refuse to start.
  rmSync(pidFile, { force: true });
}
