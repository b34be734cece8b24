import type pg from "pg";
import type { OrgId } from "../ids.ts";
import { withOrg, withOrgSnapshot } from "./pool.ts";

/** Runs `work` in one transaction of the organization and commits it. */
export const inTransaction = <T>(
  orgId: OrgId,
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<T>,
): Promise<T> => withOrg(pool, orgId, work);

/** Likewise for work that only reads, and sees everything as it was at one time. */
export const inSnapshot = <T>(orgId: OrgId, pool: pg.Pool, work: (client: pg.PoolClient) => Promise<T>): Promise<T> =>
  withOrgSnapshot(pool, orgId, work);
