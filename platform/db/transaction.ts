import type pg from "pg";
import { DomainError } from "../errors.ts";
import type { OrgId } from "../ids.ts";
import { isTransient } from "./errors.ts";
import { withOrg, withOrgSnapshot } from "./pool.ts";

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
