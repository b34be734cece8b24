import { type ChildProcess, spawnSync } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";

/** True while a process with this id exists, whoever owns it. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/**
 * A text that begins with the process id and that no other process ever has, since ids are used again, in containers
 * even at once: the id with the start of the process. Undefined when there is no such process.
 */
export function processIdentity(pid: number): string | undefined {
  if (!isAlive(pid)) return undefined;
  return `${pid} ${process.platform === "linux" ? linuxStart(pid) : psField(pid, "lstart")}\n`;
}

/** The command line of a process, with single spaces; empty when it is gone or cannot be seen. */
function commandLine(pid: number): string {
  if (process.platform !== "linux") return psField(pid, "command");
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim();
  } catch {
    return "";
  }
}

/** How a process ends that is or was our child. */
export const howItEnds = (child: ChildProcess): Promise<string> =>
  new Promise((resolve) => {
    const tell = (code: number | null, signal: string | null) =>
      resolve(`it ended with ${signal ?? `exit code ${code}`}`);
    if (child.exitCode !== null || child.signalCode !== null) tell(child.exitCode, child.signalCode);
    else {
      child.once("error", (error) => resolve(error.message));
      child.once("exit", tell);
    }
  });

/** Waits until the process is gone; false when it still exists after the time. */
export async function waitUntilGone(pid: number, timeoutMs: number): Promise<boolean> {
  const deadline = performance.now() + timeoutMs;
  while (isAlive(pid)) {
    if (performance.now() > deadline) return false;
    await delay(20);
  }
  return true;
}

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

/** Field 22 of /proc/<pid>/stat counts from boot, so the boot belongs to it. */
function linuxStart(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const afterName = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return `${afterName[19]} ${readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()}`;
  } catch {
    return "";
  }
}

function psField(pid: number, field: string): string {
  const result = spawnSync("ps", ["-o", `${field}=`, "-p", String(pid)], { encoding: "utf8" });
  return (result.stdout ?? "").trim().replaceAll(/\s+/g, " ");
}
