import type pg from "pg";
import type { BlobStore } from "#platform/blobs/blob-store.ts";
import type { Clock } from "#platform/clock.ts";
import { isTransient } from "#platform/db/errors.ts";
import { withOrg } from "#platform/db/pool.ts";
import type { OrgId } from "#platform/ids.ts";
import type { Logger } from "#platform/logger.ts";
import { findExpiring } from "../store/claim-store.ts";
import { expireDocuments as expire } from "../store/document-store.ts";
import { deleteOldWindows } from "../store/usage-store.ts";

export interface ExpireDeps {
  readonly pool: pg.Pool;
  /** Connects as the role that sees the times of all organizations. */
  readonly claimerPool: pg.Pool;
  readonly blobs: BlobStore;
  readonly clock: Clock;
  readonly logger: Logger;
}

const batchSize = 100;

/**
 * Removes the bytes of the documents whose time is over. Any number of processes may do it at the same time. That a
 * document has expired is told by its time, not by this.
 */
export async function expireDocuments(deps: ExpireDeps): Promise<void> {
  try {
    let more = true;
    while (more) more = await expireSome(deps);
  } catch (error) {
    if (!isTransient(error)) throw error;
    deps.logger.debug({ err: error }, "nothing expires while the database is away");
  }
}

/** True when there may be more. */
async function expireSome(deps: ExpireDeps): Promise<boolean> {
  const now = deps.clock.now();
  const due = await findExpiring(deps.claimerPool, now, batchSize);
  const byOrganization = Map.groupBy(due, ({ orgId }) => orgId);
  let expired = 0;
  for (const [orgId, documents] of byOrganization) {
    const ids = documents.map(({ id }) => id);
    expired += await expireOf(deps, orgId, ids, now);
  }
  // Where nothing went, somebody else is at it.
  return due.length === batchSize && expired > 0;
}

const expireOf = ({ pool, blobs }: ExpireDeps, orgId: OrgId, ids: readonly string[], now: Date): Promise<number> =>
  withOrg(pool, orgId, async (tenant) => {
    const expired = await expire(tenant, ids, now);
    for (const id of expired.sort()) await blobs.release(tenant, id);
    return expired.length;
  });

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
