import type pg from "pg";
import { isTransient } from "#platform/db/errors.ts";
import { withOrg, withOrgSnapshot } from "#platform/db/pool.ts";
import { DomainError } from "#platform/errors.ts";
import type { OrgId } from "#platform/ids.ts";

/**
 * Runs `work` in one transaction of the organization and commits it. A database that is away or too busy gives
 * SERVICE_UNAVAILABLE: nothing was changed that the caller could not do again.
 */
export const inTransaction = <T>(
  orgId: OrgId,
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<T>,
): Promise<T> => unlessAway(() => withOrg(pool, orgId, work));

/** Likewise for work that only reads, and sees everything as it was at one time. */
export const inSnapshot = <T>(orgId: OrgId, pool: pg.Pool, work: (client: pg.PoolClient) => Promise<T>): Promise<T> =>
  unlessAway(() => withOrgSnapshot(pool, orgId, work));

async function unlessAway<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isTransient(error)) throw new DomainError("SERVICE_UNAVAILABLE", { cause: error });
    throw error;
  }
}
