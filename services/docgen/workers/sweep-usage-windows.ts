import type pg from "pg";
import { isTransient } from "#platform/db/errors.ts";
import type { Logger } from "#platform/logger.ts";
import { deleteOldWindows } from "../store/window-sweep-store.ts";

/** Removes the windows of the plans that are long over. */
export async function sweepUsageWindows(deps: {
  /** Connects as the role that sees the windows of all organizations. */
  readonly claimerPool: pg.Pool;
  readonly logger: Logger;
}): Promise<void> {
  try {
    await deleteOldWindows(deps.claimerPool);
  } catch (error) {
    if (!isTransient(error)) throw error;
    deps.logger.debug({ err: error }, "no windows are swept while the database is away");
  }
}
