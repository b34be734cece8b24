import type pg from "pg";
import type { Tenant } from "#platform/db/pool.ts";
import { createGatherer } from "#platform/gatherer.ts";
import type { OrgId } from "#platform/ids.ts";

/** Names an acceptance by the HMAC of its idempotency key. */
export interface RecordedKey {
  readonly organizationId: string;
  readonly idempotencyHash: Buffer;
}

/** An acceptance or decline as it is stored: personal data is sealed, the rest is in its leaf. */
export interface SealedAcceptance {
  readonly organizationId: string;
  readonly receiptId: string;
  readonly acceptedAt: Date;
  /** Null after erasure. */
  readonly sealed: Buffer | null;
  /** As stored: null after erasure, encrypted under the hold key while the record is restricted. */
  readonly seed: Buffer | null;
  readonly leafIndex: number;
  /** Of the log; null for the first. */
  readonly epoch: number | null;
  readonly leafHash: Buffer;
  /** Generation of the receipt key. */
  readonly signedBy: number;
  readonly signature: Buffer;
  readonly leaf: Buffer;
}

// The index is read as a number: a bigint would arrive as text.
export const sealedColumns = `a.organization_id as "organizationId", a.receipt_id as "receiptId",
  a.accepted_at as "acceptedAt", a.sealed, k.seed, l.leaf_index::float8 as "leafIndex", l.leaf_hash as "leafHash",
  l.signed_by as "signedBy", l.signature, l.leaf, l.epoch`;

/** For `a`, which is click.acceptance or a part of it. */
export const leafAndSeed = `left join click.log_leaf l on l.organization_id = a.organization_id and l.record_id = a.receipt_id
  left join click.subject_key k on k.organization_id = a.organization_id and k.record_id = a.receipt_id`;

/** The record of a key: an acceptance, or a change of consent. */
export interface RecordedKeyUse extends RecordedKey {
  readonly bodyHash: Buffer;
  /** Null for a change of consent. */
  readonly acceptance: SealedAcceptance | null;
}

interface KeyRow extends SealedAcceptance {
  readonly idempotencyHash: Buffer;
  readonly bodyHash: Buffer;
  readonly decision: string;
}

const lookupSql = `
select a.idempotency_hash as "idempotencyHash", a.body_hash as "bodyHash", a.decision, ${sealedColumns}
from unnest($1::uuid[], $2::bytea[]) n (organization_id, idempotency_hash)
join click.acceptance a on a.organization_id = n.organization_id and a.idempotency_hash = n.idempotency_hash
${leafAndSeed}`;

/** What was recorded under these keys, in any order. Spans organizations: the pool must connect as the recorder. */
export async function findByKeys(pool: pg.Pool, keys: readonly RecordedKey[]): Promise<RecordedKeyUse[]> {
  if (keys.length === 0) return [];
  const values = [keys.map((key) => key.organizationId), keys.map((key) => key.idempotencyHash)];
  const { rows } = await pool.query<KeyRow>({ name: "click-find-keys", text: lookupSql, values });
  return rows.map(({ idempotencyHash, bodyHash, decision, ...acceptance }) => ({
    organizationId: acceptance.organizationId,
    idempotencyHash,
    bodyHash,
    acceptance: decision === "CONSENT" ? null : acceptance,
  }));
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

interface ReceiptName {
  readonly organizationId: string;
  readonly receiptId: string;
}

const directSql = `
select a.organization_id as "organizationId", a.receipt_id as "receiptId"
from unnest($1::uuid[], $2::uuid[]) k (organization_id, receipt_id)
join click.acceptance a on a.organization_id = k.organization_id and a.receipt_id = k.receipt_id
where a.session_id is null and a.decision <> 'CONSENT'`;

/**
 * Which of these acceptances were made without a session. Spans organizations: the pool must connect as the recorder.
 */
export async function findDirect(pool: pg.Pool, names: readonly ReceiptName[]): Promise<ReceiptName[]> {
  if (names.length === 0) return [];
  const values = [names.map((name) => name.organizationId), names.map((name) => name.receiptId)];
  return (await pool.query<ReceiptName>({ name: "click-find-direct", text: directSql, values })).rows;
}

/**
 * True when this user has accepted this revision before, or recently, whatever the policy was then. Restricted records
 * count as well: they are kept because they bind the user, who need not be asked again.
 */
export async function hasAccepted(
  { orgId, client }: Tenant,
  text: {
    readonly subjectIndex: Buffer;
    readonly versionId: string;
    readonly revision: number;
    readonly since?: Date;
  },
): Promise<boolean> {
  const result = await client.query(
    `select from click.acceptance
     where organization_id = $1 and subject_index = $2 and version_id = $3 and revision = $4 and decision = 'ACCEPT'
       and ($5::timestamptz is null or accepted_at > $5) limit 1`,
    [orgId, text.subjectIndex, text.versionId, text.revision, text.since?.toISOString()],
  );
  return result.rowCount === 1;
}

/** The text of a template that this user accepted last. Restricted records count, as for hasAccepted. */
export async function findLastAccepted(
  { orgId, client }: Tenant,
  { subjectIndex, templateId }: { readonly subjectIndex: Buffer; readonly templateId: string },
): Promise<{ readonly versionId: string; readonly revision: number } | undefined> {
  const result = await client.query<{ versionId: string; revision: number }>(
    `select version_id as "versionId", revision from click.acceptance
     where organization_id = $1 and subject_index = $2 and template_id = $3 and decision = 'ACCEPT'
     order by accepted_at desc, receipt_id desc limit 1`,
    [orgId, subjectIndex, templateId],
  );
  return result.rows[0];
}

const namedSql = `
select ${sealedColumns} from unnest($1::uuid[], $2::uuid[]) n (organization_id, receipt_id)
join click.acceptance a on a.organization_id = n.organization_id and a.receipt_id = n.receipt_id
${leafAndSeed} where a.decision <> 'CONSENT'`;

/** Acceptances by their names, in any order. Spans organizations: the pool must connect as the recorder. */
async function findAcceptances(pool: pg.Pool, names: readonly ReceiptName[]): Promise<SealedAcceptance[]> {
  const values = [names.map((name) => name.organizationId), names.map((name) => name.receiptId)];
  return (await pool.query<SealedAcceptance>({ name: "click-find-acceptances", text: namedSql, values })).rows;
}

export async function findAcceptance(
  { orgId, client }: Tenant,
  receiptId: string,
): Promise<SealedAcceptance | undefined> {
  const result = await client.query<SealedAcceptance>(
    `select ${sealedColumns} from click.acceptance a ${leafAndSeed}
     where a.organization_id = $1 and a.receipt_id = $2 and a.decision <> 'CONSENT'`,
    [orgId, receiptId],
  );
  return result.rows[0];
}

/** An acceptance with the terms that applied to it. */
export interface StoredAcceptance extends SealedAcceptance {
  readonly versionId: string;
  readonly revision: number;
  /** JSON. */
  readonly terms: string;
}

const storedSql = `
select ${sealedColumns}, a.version_id as "versionId", a.revision, t.terms
from click.acceptance a ${leafAndSeed}
join click.template_terms t on t.organization_id = a.organization_id and t.terms_hash = a.terms_hash
where a.organization_id = $1`;

/** The acceptances of a session, oldest first. */
export async function listBySession({ orgId, client }: Tenant, sessionId: string): Promise<StoredAcceptance[]> {
  const text = `${storedSql} and a.session_id = $2 order by a.accepted_at, a.receipt_id`;
  return (await client.query<StoredAcceptance>(text, [orgId, sessionId])).rows;
}

export async function findStoredAcceptance(
  { orgId, client }: Tenant,
  receiptId: string,
): Promise<StoredAcceptance | undefined> {
  const text = `${storedSql} and a.receipt_id = $2 and a.decision <> 'CONSENT'`;
  return (await client.query<StoredAcceptance>(text, [orgId, receiptId])).rows[0];
}

/** An acceptance that is its own session. */
export async function findDirectAcceptance(
  { orgId, client }: Tenant,
  receiptId: string,
): Promise<StoredAcceptance | undefined> {
  const text = `${storedSql} and a.receipt_id = $2 and a.session_id is null`;
  return (await client.query<StoredAcceptance>(text, [orgId, receiptId])).rows[0];
}

/** Finds an acceptance of the organization by its UUID; undefined when it has none with this id. */
export type AcceptanceSource = (orgId: OrgId, receiptId: string) => Promise<SealedAcceptance | undefined>;

/** Leaves most connections of the recorder's pool to recording. */
const maxInFlight = 1;
const maxTogether = 100;
const maxWaiting = 5_000;

/**
 * Combines look-ups that are requested while another look-up is running into one statement, for any organizations. The
 * pool must connect as the recorder.
 */
export function createAcceptanceSource(recorderPool: pg.Pool): AcceptanceSource {
  const together = createGatherer({ maxItems: maxTogether, maxInFlight, maxWaiting, startsAtOnce: true, run });
  return (organizationId, receiptId) => together.add({ organizationId, receiptId: receiptId.toLowerCase() });

  async function run(names: readonly ReceiptName[]): Promise<(SealedAcceptance | undefined)[]> {
    const found = new Map((await findAcceptances(recorderPool, names)).map((one) => [nameOf(one), one]));
    // The key includes the organization, so a row of one organization is never returned to another.
    return names.map((name) => found.get(nameOf(name)));
  }
}

const nameOf = ({ organizationId, receiptId }: ReceiptName): string => `${organizationId}/${receiptId}`;
