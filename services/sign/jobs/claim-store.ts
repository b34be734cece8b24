import type pg from "pg";
import type { Tenant } from "#platform/db/pool.ts";
import { type OrgId, parseOrgId } from "#platform/ids.ts";
import type { JobKind } from "../agreement/change.ts";
import type { Job } from "./job.ts";

/** A job that this process holds. */
export interface Claimed {
  readonly orgId: OrgId;
  readonly id: string;
  readonly kind: JobKind;
  readonly claim: string;
}

/** Measured by the clock of the database, so that it holds whatever the clocks of the processes say. */
const leaseSeconds = 60;

/**
 * Takes jobs of a kind that are due and held by nobody, of all organizations: runs as the role that sees nothing else.
 * Those whose holder has died are due again when their lease has run out.
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

const claimSql = {
  name: "sign-claim-jobs",
  text: `update sign.job set claim = $4, claimed_until = now() + interval '${leaseSeconds} seconds', attempts = attempts + 1
    where (organization_id, id) in (
      select organization_id, id from sign.job
      where failed_at is null and run_at <= $3 and kind = $1 and (claimed_until is null or claimed_until < now())
      order by run_at, created_at limit $2 for update skip locked
    ) returning organization_id, id`,
};

/** The kinds of these that have a job which is due and held by nobody. Reads little, however much waits for its time. */
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

/** Since when the agreement waits that has been waiting for its seal the longest. */
export async function findOldestCompletion(claimerPool: pg.Pool): Promise<Date | undefined> {
  const { rows } = await claimerPool.query<{ oldest: Date | null }>(
    "select min(created_at) as oldest from sign.job where kind = 'completion'",
  );
  return rows[0]?.oldest ?? undefined;
}

/** Holds the jobs for longer; those that were lost stay lost. */
export async function renewClaims(claimerPool: pg.Pool, claims: readonly string[]): Promise<void> {
  await claimerPool.query(
    `update sign.job set claimed_until = now() + interval '${leaseSeconds} seconds' where claim = any($1::uuid[])`,
    [claims],
  );
}

/** What there is to do; undefined when the hold was lost or somebody has removed the job. */
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

/** Removes a job that is done; false when the hold was lost. */
export async function removeJob({ orgId, client }: Tenant, { id, claim }: Claimed): Promise<boolean> {
  const { rowCount } = await client.query(
    "delete from sign.job where organization_id = $1 and id = $2 and claim = $3",
    [orgId, id, claim],
  );
  return rowCount === 1;
}

/** Lets the job go until it is due again; with a reason when it has failed. Does nothing when the hold was lost. */
export async function putOff(
  { orgId, client }: Tenant,
  { id, claim }: Claimed,
  runAt: Date,
  error?: string,
): Promise<void> {
  // What has not failed begins to count anew.
  await client.query(
    `update sign.job set claim = null, claimed_until = null, run_at = $4, last_error = $5,
      attempts = case when $5::text is null then 0 else attempts end
      where organization_id = $1 and id = $2 and claim = $3`,
    [orgId, id, claim, runAt, error ?? null],
  );
}

/** Gives the job up: it stays, and nobody takes it any more. */
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
