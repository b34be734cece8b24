import type { Tenant } from "#platform/db/pool.ts";
import { noteChange } from "../store/change-store.ts";
import { type ClaimedJob, changeJob, type JobChange } from "../store/job-store.ts";

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

/** The members of a locked deletion that can change. */
export type DeletionChange = JobChange &
  Partial<Pick<StoredDeletion, "status" | "closedAt" | "completedAt" | "step" | "found" | "certificate">>;

export const updateDeletion = (tenant: Tenant, id: string, change: DeletionChange): Promise<void> =>
  changeJob(tenant, "organization_deletion", id, change);

/** Undefined when it belongs to somebody else by now, was withdrawn or has ended; locked otherwise. */
export async function lockClaimed(
  { orgId, client }: Tenant,
  { id, claim }: ClaimedJob,
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
