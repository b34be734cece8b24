import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { processIdentity } from "./processes.ts";

/**
 * Takes the exclusive use of a folder for this process by a file in it; returns the function that gives it back.
 * The lock of a process that is gone is taken over. Throws when its owner is alive.
 */
export function lockFolder(lockFile: string): () => void {
  const mine = processIdentity(process.pid);
  if (mine === undefined) throw new Error("this process cannot be told from others");
  for (;;) {
    if (createLock(lockFile, mine)) return once(() => rmSync(lockFile, { force: true }));
    const owner = readOrNothing(lockFile);
    const pid = Number.parseInt(owner, 10);
    if (pid > 0 && processIdentity(pid) === owner) {
      throw new Error(`${dirname(lockFile)} is in use by another running instance (process ${pid})`);
    }
    removeStale(lockFile, owner);
  }
}

/** A second call must not remove the lock of whoever took it after the first. */
function once(work: () => void): () => void {
  let done = false;
  return () => {
    if (done) return;
    done = true;
    work();
  };
}

/** The lock appears with its content in one step, so that nobody reads half of it. False when there is one already. */
function createLock(lockFile: string, content: string): boolean {
  const draft = `${lockFile}.${process.pid}`;
  writeFileSync(draft, content, { mode: 0o600 });
  try {
    linkSync(draft, lockFile);
    return true;
  } catch (error) {
    if (hasCode(error, "EEXIST")) return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Removes the lock if it still is the stale one that was read: another process may have replaced it meanwhile. */
function removeStale(lockFile: string, stale: string): void {
  const aside = `${lockFile}.${process.pid}`;
  try {
    renameSync(lockFile, aside);
    if (readOrNothing(aside) !== stale) linkSync(aside, lockFile);
  } catch (error) {
    if (!hasCode(error, "ENOENT") && !hasCode(error, "EEXIST")) throw error;
  } finally {
    rmSync(aside, { force: true });
  }
}

function readOrNothing(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if (hasCode(error, "ENOENT")) return "";
    throw error;
  }
}

const hasCode = (error: unknown, code: string): boolean => (error as NodeJS.ErrnoException).code === code;
