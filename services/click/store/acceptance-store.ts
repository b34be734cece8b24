import type pg from "pg";
import type { OrgId } from "#platform/ids.ts";

/** Names an acceptance by the HMAC of its idempotency key. */
export interface RecordedKey {
  readonly organizationId: string;
  readonly idempotencyHash: Buffer;
}

/** An acceptance as a retry of its request needs it. */
export interface RecordedAcceptance extends RecordedKey {
  readonly bodyHash: Buffer;
  readonly receiptId: string;
  readonly receipt: string;
}

const lookupSql = `
select a.organization_id as "organizationId", a.idempotency_hash as "idempotencyHash", a.body_hash as "bodyHash",
       a.receipt_id as "receiptId", a.receipt
from unnest($1::uuid[], $2::bytea[]) k (organization_id, idempotency_hash)
join click.acceptance a on a.organization_id = k.organization_id and a.idempotency_hash = k.idempotency_hash`;

/** What was recorded under these keys, in any order. Spans organizations: the pool must connect as the recorder. */
export async function findByKeys(pool: pg.Pool, keys: readonly RecordedKey[]): Promise<RecordedAcceptance[]> {
  if (keys.length === 0) return [];
  const values = [keys.map((key) => key.organizationId), keys.map((key) => key.idempotencyHash)];
  return (await pool.query<RecordedAcceptance>({ name: "click-find-keys", text: lookupSql, values })).rows;
}

export interface OnceKey {
  readonly organizationId: string;
  readonly onceHash: Buffer;
}

const onceSql = `
select a.organization_id as "organizationId", a.once_hash as "onceHash"
from unnest($1::uuid[], $2::bytea[]) k (organization_id, once_hash)
join click.acceptance a on a.organization_id = k.organization_id and a.once_hash = k.once_hash`;

/** Which of these are taken. Spans organizations: the pool must connect as the recorder. */
export async function findOnce(pool: pg.Pool, keys: readonly OnceKey[]): Promise<OnceKey[]> {
  if (keys.length === 0) return [];
  const values = [keys.map((key) => key.organizationId), keys.map((key) => key.onceHash)];
  return (await pool.query<OnceKey>({ name: "click-find-once", text: onceSql, values })).rows;
}

export interface ReceiptName {
  readonly organizationId: string;
  readonly receiptId: string;
}

const directSql = `
select a.organization_id as "organizationId", a.receipt_id as "receiptId"
from unnest($1::uuid[], $2::uuid[]) k (organization_id, receipt_id)
join click.acceptance a on a.organization_id = k.organization_id and a.receipt_id = k.receipt_id
where a.session_id is null and a.decision <> 'CONSENT'`;

/** Which of these acceptances are sessions of their own. Spans organizations: the pool must connect as the recorder. */
export async function findDirect(pool: pg.Pool, names: readonly ReceiptName[]): Promise<ReceiptName[]> {
  if (names.length === 0) return [];
  const values = [names.map((name) => name.organizationId), names.map((name) => name.receiptId)];
  return (await pool.query<ReceiptName>({ name: "click-find-direct", text: directSql, values })).rows;
}

/** True when this user has accepted this revision before, or lately, whatever the policy was then. */
export async function hasAccepted(
  orgId: OrgId,
  client: pg.ClientBase,
  text: { readonly userRef: string; readonly versionId: string; readonly revision: number; readonly since?: Date },
): Promise<boolean> {
  const result = await client.query(
    `select from click.acceptance
     where organization_id = $1 and user_ref = $2 and version_id = $3 and revision = $4 and decision = 'ACCEPT'
       and ($5::timestamptz is null or accepted_at > $5) limit 1`,
    [orgId, text.userRef, text.versionId, text.revision, text.since?.toISOString()],
  );
  return result.rowCount === 1;
}

/** The stored text of a receipt. */
export async function findReceipt(orgId: OrgId, client: pg.ClientBase, receiptId: string): Promise<string | undefined> {
  const result = await client.query<{ receipt: string }>(
    "select receipt from click.acceptance where organization_id = $1 and receipt_id = $2 and decision <> 'CONSENT'",
    [orgId, receiptId],
  );
  return result.rows[0]?.receipt;
}

/** An acceptance with everything that is kept of it. */
export interface StoredAcceptance {
  readonly receiptId: string;
  readonly versionId: string;
  readonly revision: number;
  readonly acceptedAt: Date;
  /** JSON. */
  readonly receipt: string;
  /** JSON. */
  readonly evidence: string;
  /** JSON. */
  readonly terms: string;
}

const storedSql = `
select a.receipt_id as "receiptId", a.version_id as "versionId", a.revision, a.accepted_at as "acceptedAt",
       a.receipt, a.evidence, t.terms
from click.acceptance a
join click.template_terms t on t.organization_id = a.organization_id and t.terms_hash = a.terms_hash
where a.organization_id = $1`;

/** The acceptances of a session, oldest first. */
export async function listBySession(
  orgId: OrgId,
  client: pg.ClientBase,
  sessionId: string,
): Promise<StoredAcceptance[]> {
  const text = `${storedSql} and a.session_id = $2 order by a.accepted_at, a.receipt_id`;
  return (await client.query<StoredAcceptance>(text, [orgId, sessionId])).rows;
}

/** An acceptance that is its own session. */
export async function findDirectAcceptance(
  orgId: OrgId,
  client: pg.ClientBase,
  receiptId: string,
): Promise<StoredAcceptance | undefined> {
  const text = `${storedSql} and a.receipt_id = $2 and a.session_id is null`;
  return (await client.query<StoredAcceptance>(text, [orgId, receiptId])).rows[0];
}
