import type { Pool } from "pg";
import type { Tenant } from "#platform/db/pool.ts";
import type { OrgId } from "#platform/ids.ts";
import type { LinkPurpose, MailKind } from "../domain/mail.ts";

export interface NewLink {
  readonly tokenHash: Buffer;
  readonly userId: string;
  readonly purpose: LinkPurpose;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

export async function insertLink({ orgId, client }: Tenant, link: NewLink): Promise<void> {
  const sql = `insert into auth.user_link (organization_id, token_hash, user_id, purpose, created_at, expires_at)
    values ($1, $2, $3, $4, $5, $6)`;
  const { tokenHash, userId, purpose, createdAt, expiresAt } = link;
  await client.query(sql, [orgId, tokenHash, userId, purpose, createdAt, expiresAt]);
}

/** Uses a link up. False when somebody else has, or when it has expired. */
export async function consumeLink(
  { orgId, client }: Tenant,
  link: { readonly tokenHash: Buffer; readonly purpose: LinkPurpose; readonly now: Date },
): Promise<boolean> {
  const sql = `delete from auth.user_link
    where organization_id = $1 and token_hash = $2 and purpose = $3 and expires_at > $4`;
  return (await client.query(sql, [orgId, link.tokenHash, link.purpose, link.now])).rowCount === 1;
}

export async function deleteLinksOf({ orgId, client }: Tenant, userId: string): Promise<void> {
  await client.query("delete from auth.user_link where organization_id = $1 and user_id = $2", [orgId, userId]);
}

export async function countLinks(
  { orgId, client }: Tenant,
  userId: string,
  { purpose, now }: { readonly purpose: LinkPurpose; readonly now: Date },
): Promise<number> {
  const sql = `select count(*)::integer as n from auth.user_link
    where organization_id = $1 and user_id = $2 and purpose = $3 and expires_at > $4`;
  return (await client.query<{ n: number }>(sql, [orgId, userId, purpose, now])).rows[0]?.n ?? 0;
}

/** What a mail tells of, beside the person and the organization. */
export type MailDetails = Readonly<Record<string, string>>;

export interface NewMailJob {
  readonly id: string;
  readonly userId: string;
  readonly kind: MailKind;
  /** Encrypted; null for a mail without a link. */
  readonly sealedToken: Buffer | null;
  /** None when absent. */
  readonly details?: MailDetails;
  readonly createdAt: Date;
}

export async function insertMailJob({ orgId, client }: Tenant, job: NewMailJob): Promise<void> {
  const { id, userId, kind, sealedToken, details = {}, createdAt } = job;
  const sql = `insert into auth.mail_job (organization_id, job_id, user_id, kind, sealed_token, details, created_at, run_at)
    values ($1, $2, $3, $4, $5, $6, $7, $7)`;
  await client.query(sql, [orgId, id, userId, kind, sealedToken, details, createdAt]);
}

/** A job that is ours until the lease is over, or until another process takes it after that. */
export interface ClaimedMail {
  readonly orgId: OrgId;
  readonly id: string;
  readonly claim: string;
  /** With this one. */
  readonly attempts: number;
}

const claimSql = `
  with due as materialized (
    select organization_id, job_id from auth.mail_job
    where run_at <= $2 and (claimed_until is null or claimed_until <= $2)
    order by run_at limit $4
    for no key update skip locked
  )
  update auth.mail_job job set claim = $1, claimed_until = $3, attempts = job.attempts + 1 from due
  where job.organization_id = due.organization_id and job.job_id = due.job_id
  returning job.organization_id as "orgId", job.job_id as id, job.claim, job.attempts`;

/** Takes what is due, of any organization. The janitor sees neither whom nor what it is about. */
export async function claimMails(
  janitor: Pool,
  {
    claim,
    now,
    until,
    limit,
  }: { readonly claim: string; readonly now: Date; readonly until: Date; readonly limit: number },
): Promise<ClaimedMail[]> {
  return (await janitor.query<ClaimedMail>(claimSql, [claim, now, until, limit])).rows;
}

export interface MailJob {
  readonly userId: string;
  readonly kind: MailKind;
  readonly sealedToken: Buffer | null;
  readonly details: MailDetails;
  readonly createdAt: Date;
}

/** Undefined when it belongs to somebody else by now. */
export async function readMailJob({ orgId, client }: Tenant, job: ClaimedMail): Promise<MailJob | undefined> {
  const sql = `select user_id as "userId", kind, sealed_token as "sealedToken", details, created_at as "createdAt"
    from auth.mail_job where organization_id = $1 and job_id = $2 and claim = $3`;
  return (await client.query<MailJob>(sql, [orgId, job.id, job.claim])).rows[0];
}

/** False when it belongs to somebody else by now. */
export async function removeMailJob({ orgId, client }: Tenant, job: ClaimedMail): Promise<boolean> {
  const sql = "delete from auth.mail_job where organization_id = $1 and job_id = $2 and claim = $3";
  return (await client.query(sql, [orgId, job.id, job.claim])).rowCount === 1;
}

export async function putOffMailJob({ orgId, client }: Tenant, job: ClaimedMail, runAt: Date): Promise<void> {
  const sql = `update auth.mail_job set run_at = $4, claim = null, claimed_until = null
    where organization_id = $1 and job_id = $2 and claim = $3`;
  await client.query(sql, [orgId, job.id, job.claim, runAt]);
}

/** Mails whose links are void are not sent. */
export async function deleteMailJobsOf({ orgId, client }: Tenant, userId: string): Promise<void> {
  await client.query("delete from auth.mail_job where organization_id = $1 and user_id = $2", [orgId, userId]);
}
