import { accessSync, constants, existsSync, readdirSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { lockFolder } from "../folder-lock.ts";
import { stopLeftoverPostgres } from "../postgres.ts";

export const folderPrefix = "assent-test-postgres-";

const memory = "/dev/shm";
/** What a whole run takes there is a quarter of it. */
const enoughBytes = 4 * 2 ** 30;

/** Where the server of a run has its data: in memory where there is plenty, because each database is 1,500 files. */
export function serverHome() {
  try {
    accessSync(memory, constants.W_OK);
    const { bavail, bsize } = statfsSync(memory);
    return bavail * bsize >= enoughBytes ? memory : tmpdir();
  } catch {
    return tmpdir();
  }
}

/** Stops and removes the test servers of runs that were killed. Those of runs that are under way hold their lock. */
export async function removeLeftovers() {
  for (const home of new Set([tmpdir(), serverHome()])) await removeFrom(home);
}

async function removeFrom(home) {
  for (const name of readdirSync(home)) {
    if (!name.startsWith(folderPrefix)) continue;
    const folder = join(home, name);
    const lock = join(folder, "owner.lock");
    // A folder without a lock was made a moment ago by a run that starts at the same time.
    if (!existsSync(lock)) continue;
    try {
      lockFolder(lock);
      await stopLeftoverPostgres(folder);
      rmSync(folder, { recursive: true, force: true });
    } catch {
      // In use, or another user's.
    }
  }
}
