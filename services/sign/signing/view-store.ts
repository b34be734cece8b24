import type pg from "pg";
import type { Tenant } from "#platform/db/pool.ts";
import type { OrgId } from "#platform/ids.ts";
import type { View } from "./view.ts";

/** A link that nobody has used yet. */
export type NewView = Omit<View, "openedAt" | "sessionExpiresAt" | "endedAt" | "seenAt" | "proofs">;

export async function insertView({ orgId, client }: Tenant, view: NewView): Promise<void> {
  await client.query(
    `insert into sign.view (organization_id, token_hash, kind, agreement_id, recipient_id, return_url, frame_ancestors,
       created_by, created_at, expires_at, is_reusable)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
    [
      orgId,
      view.tokenHash,
      view.kind,
      view.agreementId,
      view.recipientId,
      view.returnUrl,
      JSON.stringify(view.frameAncestors),
      view.createdBy,
      view.createdAt,
      view.expiresAt,
      view.isReusable,
    ],
  );
}

/** The view of a link. */
export const findView = ({ orgId, client }: Tenant, tokenHash: Buffer): Promise<View | undefined> =>
  findOne(client, "token_hash", orgId, tokenHash);

/** The view that was opened with this session. */
export const findSession = ({ orgId, client }: Tenant, sessionHash: Buffer): Promise<View | undefined> =>
  findOne(client, "session_hash", orgId, sessionHash);

export interface Opening {
  readonly tokenHash: Buffer;
  readonly sessionHash: Buffer;
  readonly now: Date;
  readonly sessionExpiresAt: Date;
}

/** Makes a session of a link. Of all who try only one gets true, and nobody when its time is over. */
export async function openView({ orgId, client }: Tenant, opening: Opening): Promise<boolean> {
  const { tokenHash, sessionHash, now, sessionExpiresAt } = opening;
  const { rowCount } = await client.query(
    `update sign.view set opened_at = $3, session_hash = $4, session_expires_at = $5
     where organization_id = $1 and token_hash = $2 and opened_at is null and ended_at is null and expires_at > $3`,
    [orgId, tokenHash, now, sessionHash, sessionExpiresAt],
  );
  return rowCount === 1;
}

/**
 * Makes one more session of a link that may be opened again. The session is a view of its own, with a hash that as a link
 * leads nowhere since it is opened already. False when the time of the link is over.
 */
export async function openReusableView({ orgId, client }: Tenant, opening: Opening): Promise<boolean> {
  const { tokenHash, sessionHash, now, sessionExpiresAt } = opening;
  const { rowCount } = await client.query(
    `insert into sign.view (organization_id, token_hash, kind, agreement_id, recipient_id, return_url, frame_ancestors,
       created_by, created_at, expires_at, opened_at, session_hash, session_expires_at)
     select organization_id, $4, kind, agreement_id, recipient_id, return_url, frame_ancestors,
       created_by, $3::timestamptz, $3, $3, $4, $5
     from sign.view
     where organization_id = $1 and token_hash = $2 and is_reusable and ended_at is null and expires_at > $3`,
    [orgId, tokenHash, now, sessionHash, sessionExpiresAt],
  );
  return rowCount === 1;
}

/** Lets a session live longer, unless it has ended. */
export async function extendSession(
  { orgId, client }: Tenant,
  tokenHash: Buffer,
  sessionExpiresAt: Date,
): Promise<void> {
  await client.query(
    `update sign.view set session_expires_at = greatest(session_expires_at, $3)
     where organization_id = $1 and token_hash = $2 and ended_at is null`,
    [orgId, tokenHash, sessionExpiresAt],
  );
}

/** Notes that a session has shown its agreement. Of all who try only one gets true. */
export async function noteSeen({ orgId, client }: Tenant, tokenHash: Buffer, now: Date): Promise<boolean> {
  const { rowCount } = await client.query(
    "update sign.view set seen_at = $3 where organization_id = $1 and token_hash = $2 and seen_at is null and ended_at is null",
    [orgId, tokenHash, now],
  );
  return rowCount === 1;
}

/** Notes that a session has passed a check. */
export async function noteProof(
  { orgId, client }: Tenant,
  tokenHash: Buffer,
  { checkId, at }: { readonly checkId: string; readonly at: Date },
): Promise<void> {
  await client.query(
    `update sign.view set proofs = proofs || jsonb_build_object($3::text, $4::text)
     where organization_id = $1 and token_hash = $2 and ended_at is null`,
    [orgId, tokenHash, checkId, at.toISOString()],
  );
}

/** Forgets a link that nobody has been told. */
export async function deleteView({ orgId, client }: Tenant, tokenHash: Buffer): Promise<void> {
  await client.query("delete from sign.view where organization_id = $1 and token_hash = $2", [orgId, tokenHash]);
}

/** Ends a session; one that has ended stays as it is. True for the call that ended it. */
export async function endSession({ orgId, client }: Tenant, tokenHash: Buffer, now: Date): Promise<boolean> {
  const { rowCount } = await client.query(
    "update sign.view set ended_at = $3 where organization_id = $1 and token_hash = $2 and ended_at is null",
    [orgId, tokenHash, now],
  );
  return rowCount === 1;
}

/**
 * Ends the open pages of recipients, who have to open the agreement anew, and everything that leads those to it who take no
 * part any more. The agreement has to be locked, as whoever opens a link locks it: no page of before is left out.
 */
export async function endViews(
  { orgId, client }: Tenant,
  agreementId: string,
  { pagesOf, linksOf }: { readonly pagesOf: readonly string[]; readonly linksOf: readonly string[] },
  now: Date,
): Promise<void> {
  if (pagesOf.length + linksOf.length === 0) return;
  await client.query(
    `update sign.view set ended_at = $3 where organization_id = $1 and agreement_id = $2 and ended_at is null
       and (recipient_id = any($5::uuid[]) or (recipient_id = any($4::uuid[]) and opened_at is not null))`,
    [orgId, agreementId, now, pagesOf, linksOf],
  );
}

/** Whether a session has ended since it was read. */
export async function hasEnded({ orgId, client }: Tenant, tokenHash: Buffer): Promise<boolean> {
  const { rowCount } = await client.query({
    name: "sign-view-ended",
    text: "select from sign.view where organization_id = $1 and token_hash = $2 and ended_at is null",
    values: [orgId, tokenHash],
  });
  return rowCount === 0;
}

async function findOne(
  client: pg.PoolClient,
  column: "token_hash" | "session_hash",
  orgId: OrgId,
  hash: Buffer,
): Promise<View | undefined> {
  const { rows } = await client.query<View>(
    `select ${columns} from sign.view where organization_id = $1 and ${column} = $2`,
    [orgId, hash],
  );
  return rows[0];
}

const columns = `token_hash as "tokenHash", kind, is_reusable as "isReusable", agreement_id as "agreementId", recipient_id as "recipientId",
  return_url as "returnUrl", frame_ancestors as "frameAncestors", created_by as "createdBy", created_at as "createdAt",
  expires_at as "expiresAt", opened_at as "openedAt", session_expires_at as "sessionExpiresAt", ended_at as "endedAt",
  seen_at as "seenAt", proofs`;
