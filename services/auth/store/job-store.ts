import type { Pool } from "pg";
import type { Tenant } from "#platform/db/pool.ts";
import type { OrgId } from "#platform/ids.ts";

/** Tables whose rows are jobs: any process takes one that is due, under a lease. */
type JobTable = "export" | "organization_deletion";

/** A job that is ours until the lease is over, or until another process takes it after that. */
export interface ClaimedJob {
  readonly orgId: OrgId;
  readonly id: string;
  readonly claim: string;
  /** With this one; since it got any further. */
  readonly attempts: number;
}

/** Takes one that is due, of any organization. */
export async function claimJob(
  janitor: Pool,
  table: JobTable,
  { claim, now, until }: { readonly claim: string; readonly now: Date; readonly until: Date },
): Promise<ClaimedJob | undefined> {
  // Materialized: a plan that reads it once for each row would claim several, which nobody would work at.
  const sql = `with due as materialized (
      select organization_id, id from auth.${table}
      where run_at <= $2 and (claimed_until is null or claimed_until <= $2)
      order by run_at limit 1 for no key update skip locked
    )
    update auth.${table} job set claim = $1, claimed_until = $3, attempts = job.attempts + 1 from due
    where job.organization_id = due.organization_id and job.id = due.id
    returning job.organization_id as "orgId", job.id, job.claim, job.attempts`;
  return (await janitor.query<ClaimedJob>(sql, [claim, now, until])).rows[0];
}

/** What changes of every kind of job. */
export interface JobChange {
  readonly runAt?: Date | null;
  readonly claimedUntil?: Date | null;
  readonly claim?: null;
  readonly attempts?: number;
}

/** Changes a job that is locked; members are named like columns, in camel case. */
export async function changeJob(
  { orgId, client }: Tenant,
  table: JobTable,
  id: string,
  change: JobChange,
): Promise<void> {
  const entries = Object.entries(change);
  const sets = entries.map(
    ([name], index) => `${name.replaceAll(/[A-Z]/g, (c) => `_${c.toLowerCase()}`)} = $${index + 3}`,
  );
  const sql = `update auth.${table} set ${sets.join(", ")} where organization_id = $1 and id = $2`;
  await client.query(sql, [orgId, id, ...entries.map(([, value]) => value)]);
}
