import { existsSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { lockFolder } from "../folder-lock.ts";
import { stopLeftoverPostgres } from "../postgres.ts";

export const folderPrefix = "assent-test-postgres-";

/** Stops and removes the test servers of runs that were killed. Those of runs that are under way hold their lock. */
export async function removeLeftovers() {
  for (const name of readdirSync(tmpdir())) {
    if (!name.startsWith(folderPrefix)) continue;
    const folder = join(tmpdir(), name);
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
