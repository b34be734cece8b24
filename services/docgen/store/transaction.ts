import type pg from "pg";
import { isTransient } from "#platform/db/errors.ts";
import { withOrg } from "#platform/db/pool.ts";
import { DomainError } from "#platform/errors.ts";
import type { OrgId } from "#platform/ids.ts";

/**
 * Runs `work` in one transaction of the organization and commits it. A database that is away or too busy gives
 * SERVICE_UNAVAILABLE: nothing was changed that the caller could not do again.
 */
export async function inTransaction<T>(
  orgId: OrgId,
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<T>,
): Promise<T> {
  try {
    return await withOrg(pool, orgId, work);
  } catch (error) {
    if (isTransient(error)) throw new DomainError("SERVICE_UNAVAILABLE", { cause: error });
    throw error;
  }
}
