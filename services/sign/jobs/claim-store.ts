import type pg from "pg";
import type { Tenant } from "#platform/db/pool.ts";
import { type OrgId, parseOrgId } from "#platform/ids.ts";
import type { JobKind } from "../agreement/change.ts";
import type { Job } from "./job.ts";

/** A job claimed by this process. */
export interface Claimed {
  readonly orgId: OrgId;
  readonly id: string;
  readonly kind: JobKind;
  readonly claim: string;
}

/** Measured by the database's clock, so it does not depend on the processes' clocks. */
const leaseSeconds = 60;

/**
 * Claims due jobs of a kind, across all organizations: runs as the role that can read nothing else. Jobs of a
 * dead process become available when their lease ends.
 */
export async function claimJobs(
  claimerPool: pg.Pool,
  { kind, limit, now, claim }: { kind: JobKind; limit: number; now: Date; claim: string },
): Promise<Claimed[]> {
  const { rows } = await claimerPool.query<{ organization_id: string; id: string }>(claimSql, [
    kind,
    limit,
    now,
    claim,
  ]);
  return rows.flatMap(({ organization_id, id }) => {
    const orgId = parseOrgId(organization_id);
    return orgId === undefined ? [] : [{ orgId, id, kind, claim }];
  });
}

// Chosen before the update, once: a subselect of it may run again for each row and claim jobs that nobody then runs.
const claimSql = {
  name: "sign-claim-jobs",
  text: `with next as materialized (
      select organization_id, id from sign.job
      where failed_at is null and run_at <= $3 and kind = $1 and (claimed_until is null or claimed_until < now())
      order by run_at, created_at limit $2 for update skip locked
    )
    update sign.job j
    set claim = $4, claimed_until = now() + interval '${leaseSeconds} seconds', attempts = j.attempts + 1
    from next where j.organization_id = next.organization_id and j.id = next.id
    returning j.organization_id, j.id`,
};

/** The given kinds that have a due, unclaimed job. Cheap, however many jobs are scheduled for later. */
export async function findDueKinds(claimerPool: pg.Pool, kinds: readonly JobKind[], now: Date): Promise<JobKind[]> {
  if (kinds.length === 0) return [];
  const { rows } = await claimerPool.query<{ kind: JobKind }>(dueSql, [kinds, now]);
  return rows.map(({ kind }) => kind);
}

const dueSql = {
  name: "sign-due-kinds",
  text: `select k.kind from unnest($1::text[]) as k(kind)
    where exists (select from sign.job j where j.kind = k.kind and j.failed_at is null and j.run_at <= $2
      and (j.claimed_until is null or j.claimed_until < now()))`,
};

/** Since when the oldest completing agreement has been waiting for its seal. */
export async function findOldestCompletion(claimerPool: pg.Pool): Promise<Date | undefined> {
  const { rows } = await claimerPool.query<{ oldest: Date | null }>(
    "select min(created_at) as oldest from sign.job where kind = 'completion'",
  );
  return rows[0]?.oldest ?? undefined;
}

/** Extends the leases; claims that were lost stay lost. */
export async function renewClaims(claimerPool: pg.Pool, claims: readonly string[]): Promise<void> {
  await claimerPool.query(
    `update sign.job set claimed_until = now() + interval '${leaseSeconds} seconds' where claim = any($1::uuid[])`,
    [claims],
  );
}

/** The claimed job; undefined when the claim was lost or the job was removed. */
export async function readClaimed({ orgId, client }: Tenant, { id, claim }: Claimed): Promise<Job | undefined> {
  const { rows } = await client.query<Omit<Job, "orgId">>(readSql, [orgId, id, claim]);
  return rows[0] === undefined ? undefined : { orgId, ...rows[0] };
}

const readSql = {
  name: "sign-read-job",
  text: `select id, kind, key, agreement_id as "agreementId", payload, request_id as "requestId", traceparent,
      created_at as "createdAt", attempts
    from sign.job where organization_id = $1 and id = $2 and claim = $3`,
};

/** Removes a finished job; false when the claim was lost. */
export async function removeJob({ orgId, client }: Tenant, { id, claim }: Claimed): Promise<boolean> {
  const { rowCount } = await client.query(
    "delete from sign.job where organization_id = $1 and id = $2 and claim = $3",
    [orgId, id, claim],
  );
  return rowCount === 1;
}

/** Releases the job until its next time, with a reason if it failed. Does nothing when the claim was lost. */
export async function putOff(
  { orgId, client }: Tenant,
  { id, claim }: Claimed,
  runAt: Date,
  error?: string,
): Promise<void> {
  // A job that did not fail starts counting attempts anew.
  await client.query(
    `update sign.job set claim = null, claimed_until = null, run_at = $4, last_error = $5,
      attempts = case when $5::text is null then 0 else attempts end
      where organization_id = $1 and id = $2 and claim = $3`,
    [orgId, id, claim, runAt, error ?? null],
  );
}

/** Gives the job up: it stays in the table but is not claimed again. */
export async function giveUp(
  { orgId, client }: Tenant,
  { id, claim }: Claimed,
  now: Date,
  error: string,
): Promise<void> {
  await client.query(
    `update sign.job set claim = null, claimed_until = null, failed_at = $4, last_error = $5
      where organization_id = $1 and id = $2 and claim = $3`,
    [orgId, id, claim, now, error],
  );
}
