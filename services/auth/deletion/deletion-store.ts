import type { Pool } from "pg";
import type { Tenant } from "#platform/db/pool.ts";
import type { OrgId } from "#platform/ids.ts";
import { noteChange } from "../store/change-store.ts";

export type DeletionStatus = "scheduled" | "held" | "running" | "completed" | "withdrawn";

/** What there was when nobody could add anything any more. */
export interface Found {
  /** Rows, by service and table. */
  readonly records: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** The newest checkpoints: signed notes; null where there is none. */
  readonly log: { readonly checkpoint: string | null; readonly anchor: string | null };
}

export interface StoredDeletion {
  readonly id: string;
  readonly status: DeletionStatus;
  readonly requestedBy: string;
  readonly requestedAt: Date;
  readonly effectiveAt: Date;
  readonly closedAt: Date | null;
  readonly completedAt: Date | null;
  /** While it runs: what comes next. */
  readonly step: number;
  readonly found: Found | null;
  readonly certificate: string | null;
}

const columns = `id, status, requested_by as "requestedBy", requested_at as "requestedAt", effective_at as "effectiveAt",
  closed_at as "closedAt", completed_at as "completedAt", step, found, certificate`;

/** The newest, locked until the transaction ends. */
export async function lockNewest({ orgId, client }: Tenant): Promise<StoredDeletion | undefined> {
  const sql = `select ${columns} from auth.organization_deletion where organization_id = $1
    order by id desc limit 1 for update`;
  return (await client.query<StoredDeletion>(sql, [orgId])).rows[0];
}

export async function insertDeletion(
  { orgId, client }: Tenant,
  made: Pick<StoredDeletion, "id" | "requestedBy" | "requestedAt" | "effectiveAt">,
): Promise<StoredDeletion | undefined> {
  const sql = `insert into auth.organization_deletion
      (organization_id, id, status, requested_by, requested_at, effective_at, run_at)
    values ($1, $2, 'scheduled', $3, $4, $5, $5) returning ${columns}`;
  const values = [orgId, made.id, made.requestedBy, made.requestedAt, made.effectiveAt];
  return (await client.query<StoredDeletion>(sql, values)).rows[0];
}

/** What changes of one that is locked. */
export type DeletionChange = Partial<
  Pick<StoredDeletion, "status" | "closedAt" | "completedAt" | "step" | "found" | "certificate">
> & {
  readonly runAt?: Date | null;
  readonly claimedUntil?: Date | null;
  readonly claim?: null;
  readonly attempts?: number;
};

export async function updateDeletion({ orgId, client }: Tenant, id: string, change: DeletionChange): Promise<void> {
  const entries = Object.entries(change);
  const sets = entries.map(
    ([name], index) => `${name.replaceAll(/[A-Z]/g, (c) => `_${c.toLowerCase()}`)} = $${index + 3}`,
  );
  const sql = `update auth.organization_deletion set ${sets.join(", ")} where organization_id = $1 and id = $2`;
  await client.query(sql, [orgId, id, ...entries.map(([, value]) => value)]);
}

/** A deletion that is ours until the lease is over, or until another process takes it after that. */
export interface ClaimedDeletion {
  readonly orgId: OrgId;
  readonly id: string;
  readonly claim: string;
  readonly attempts: number;
}

/** Takes one that is due, of any organization. */
export async function claimDeletion(
  janitor: Pool,
  { claim, now, until }: { readonly claim: string; readonly now: Date; readonly until: Date },
): Promise<ClaimedDeletion | undefined> {
  // Materialized: a plan that reads it once for each row would claim several, which nobody would work at.
  const sql = `with due as materialized (
      select organization_id, id from auth.organization_deletion
      where run_at <= $2 and (claimed_until is null or claimed_until <= $2)
      order by run_at limit 1 for no key update skip locked
    )
    update auth.organization_deletion d set claim = $1, claimed_until = $3, attempts = d.attempts + 1 from due
    where d.organization_id = due.organization_id and d.id = due.id
    returning d.organization_id as "orgId", d.id, d.claim, d.attempts`;
  return (await janitor.query<ClaimedDeletion>(sql, [claim, now, until])).rows[0];
}

/** Undefined when it belongs to somebody else by now, was withdrawn or has ended; locked otherwise. */
export async function lockClaimed(
  { orgId, client }: Tenant,
  { id, claim }: ClaimedDeletion,
): Promise<StoredDeletion | undefined> {
  const sql = `select ${columns} from auth.organization_deletion
    where organization_id = $1 and id = $2 and claim = $3 and run_at is not null for update`;
  return (await client.query<StoredDeletion>(sql, [orgId, id, claim])).rows[0];
}

/** Opens the organization again, or closes it: then nobody is given a credential for it. */
export async function closeOrganization({ orgId, client }: Tenant, closedAt: Date | null): Promise<void> {
  await client.query("update auth.organization set closed_at = $2 where organization_id = $1", [orgId, closedAt]);
}

/** From the commit on no credential works, and within a second none that a gateway remembers. */
export async function endCredentials(tenant: Tenant, now: Date): Promise<void> {
  const { orgId, client } = tenant;
  const ended = async (sql: string, values: unknown[] = [orgId, now]): Promise<string[]> =>
    (await client.query<{ id: string }>(sql, values)).rows.map(({ id }) => id);
  const ofOrg = "where organization_id = $1";
  for (const table of ["user_session", "user_link", "login_challenge", "mail_job"]) {
    await client.query(`delete from auth.${table} ${ofOrg}`, [orgId]);
  }
  const keys = await ended(
    `update auth.api_key set revoked_at = $2 ${ofOrg} and revoked_at is null returning key_id as id`,
  );
  const clients = await ended(
    `update auth.oauth_client set revoked_at = $2 ${ofOrg} and revoked_at is null returning client_id as id`,
  );
  const users = await ended(`update auth.user_account set status = 'disabled' ${ofOrg} returning user_id as id`, [
    orgId,
  ]);
  for (const id of keys) await noteChange(client, "key_revoked", id, now);
  for (const id of clients) await noteChange(client, "client_revoked", id, now);
  for (const id of users) await noteChange(client, "user_changed", id, now);
}

/** Of what belongs to nobody, the feed of what gateways must forget and their reports: what names the organization. */
export async function forgetNames({ orgId, client }: Tenant): Promise<void> {
  await client.query("delete from auth.change where subject = $1", [orgId]);
  await client.query("delete from auth.gateway_report where strpos(load::text, $1) > 0", [orgId]);
}
