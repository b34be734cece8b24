import type pg from "pg";
import type { Tenant } from "#platform/db/pool.ts";
import type { BoundText, SessionFacts } from "../terms/agreement.ts";
import type { SessionOutcome, SessionState, StoredStatus } from "./session.ts";

export interface NewSession extends BoundText {
  readonly id: string;
  readonly termsHash: Buffer;
  /** Null when it was created without a user. */
  readonly subjectIndex: Buffer | null;
  readonly seed: Buffer;
  /** Its sealed personal data. */
  readonly sealed: Buffer;
  readonly clientId: string;
  readonly requestId: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly deployment: { readonly id: string; readonly snapshotHash: string } | null;
  /** What it shows. */
  readonly renderHash: string;
  /** The HTML of a GENERATED text; that of any other is in click.shown. */
  readonly sealedRendering: Buffer | null;
  /** In click.shown. */
  readonly wordsHash: string;
}

/** A session with its terms and the ids of its receipts. */
export interface StoredSession extends BoundText, SessionState {
  readonly id: string;
  readonly subjectIndex: Buffer | null;
  readonly sealed: Buffer | null;
  readonly sealedReason: Buffer | null;
  /** As stored; null after erasure. */
  readonly seed: Buffer | null;
  readonly clientId: string;
  readonly requestId: string;
  readonly createdAt: Date;
  readonly presentedAt: Date | null;
  readonly acceptedAt: Date | null;
  readonly completedAt: Date | null;
  readonly updatedAt: Date;
  readonly deploymentId: string | null;
  readonly deploymentHash: string | null;
  readonly renderHash: string | null;
  readonly wordsHash: string | null;
  /** JSON. */
  readonly terms: string;
  readonly receiptIds: readonly string[];
}

/** Adds a session in the state PENDING. Its terms, its text and what is shown to everybody must be stored already. */
export async function insertSession({ orgId, client }: Tenant, session: NewSession): Promise<void> {
  const values = [
    orgId,
    session.id,
    session.templateId,
    session.versionId,
    session.revision,
    session.label,
    session.locale,
    session.contentHash,
    session.termsHash,
    session.subjectIndex,
    session.sealed,
    session.clientId,
    session.requestId,
    session.createdAt.toISOString(),
    session.expiresAt.toISOString(),
    session.deployment?.id,
    session.deployment?.snapshotHash,
    session.renderHash,
    session.wordsHash,
    session.seed,
    session.sealedRendering,
  ];
  await client.query({ name: "click-insert-session", text: insertSql, values });
}

const insertSql = `with session as (
  insert into click.session (organization_id, id, template_id, version_id, revision, label, locale, content_hash,
    terms_hash, subject_index, sealed, status, client_id, request_id, created_at, expires_at, updated_at,
    deployment_id, deployment_hash, render_hash, words_hash)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, 'PENDING', $12, $13, $14, $15, $14, $16, $17, $18, $19)
  returning organization_id, id, expires_at
),
key as (
  insert into click.subject_key (organization_id, record_id, seed) select organization_id, id, $20 from session
),
rendering as (
  insert into click.sealed_rendering (organization_id, record_id, sealed)
  select organization_id, id, $21::bytea from session where $21::bytea is not null
)
insert into click.session_deadline (organization_id, session_id, expires_at)
select organization_id, id, expires_at from session`;

const textColumns = (s: string): string => `${s}.template_id as "templateId", ${s}.version_id as "versionId",
  ${s}.revision, ${s}.label, ${s}.locale, ${s}.content_hash as "contentHash"`;

/** Of the session $2, oldest first. */
const receiptIds = `array(select a.receipt_id from click.acceptance a
  where a.organization_id = $1 and a.session_id = $2 order by a.accepted_at, a.receipt_id)`;

export async function findSession({ orgId, client }: Tenant, id: string): Promise<StoredSession | undefined> {
  const values = [orgId, id];
  return (await client.query<StoredSession>({ name: "click-find-session", text: findSql, values })).rows[0];
}

const findSql = `select s.id, ${textColumns("s")}, s.subject_index as "subjectIndex", s.sealed,
  s.sealed_reason as "sealedReason", k.seed, s.status, s.outcome, s.client_id as "clientId", s.request_id as "requestId",
  s.created_at as "createdAt", s.presented_at as "presentedAt", s.accepted_at as "acceptedAt",
  s.completed_at as "completedAt", s.expires_at as "expiresAt", s.updated_at as "updatedAt", s.deployment_id as "deploymentId",
  s.deployment_hash as "deploymentHash", s.render_hash as "renderHash", s.words_hash as "wordsHash",
  t.terms,
  ${receiptIds} as "receiptIds"
from click.session s
join click.template_terms t on t.organization_id = s.organization_id and t.terms_hash = s.terms_hash
left join click.subject_key k on k.organization_id = s.organization_id and k.record_id = s.id
where s.organization_id = $1 and s.id = $2`;

export interface SessionCompletion {
  readonly id: string;
  /** The new status, and the acceptances that were known when it was decided. */
  readonly from: StoredStatus;
  readonly receiptIds: readonly string[];
  readonly outcome: SessionOutcome;
  /** Null when nothing may be added to the data of its user. */
  readonly sealedReason: Buffer | null;
  readonly now: Date;
}

/** Completes a session; returns false, without any effect, when the session has changed since that was decided. */
export async function completeSession(
  { orgId, client }: Tenant,
  { id, from, receiptIds: known, outcome, sealedReason, now }: SessionCompletion,
): Promise<boolean> {
  // While the session is locked nobody adds an acceptance to it; only a new statement sees all the earlier ones.
  const locked = await client.query(
    `select from click.session where organization_id = $1 and id = $2 and status = $3
       and (status = 'ACCEPTED' or expires_at > $4) for update`,
    [orgId, id, from, now.toISOString()],
  );
  if (locked.rowCount !== 1) return false;
  const result = await client.query(
    `update click.session
     set status = 'COMPLETED', outcome = $4, sealed_reason = $5, completed_at = $6, updated_at = $6
     where organization_id = $1 and id = $2 and ${receiptIds} = $3::uuid[]`,
    [orgId, id, known, outcome, sealedReason, now.toISOString()],
  );
  return result.rowCount === 1;
}

/** Marks a session as shown to its user; false when it already was, or is no longer open. */
export async function presentSession({ orgId, client }: Tenant, id: string, now: Date): Promise<boolean> {
  const result = await client.query(
    `update click.session set status = 'PRESENTED', presented_at = $3, updated_at = $3
     where organization_id = $1 and id = $2 and status = 'PENDING' and expires_at > $3`,
    [orgId, id, now.toISOString()],
  );
  return result.rowCount === 1;
}

export interface SessionName {
  readonly organizationId: string;
  readonly sessionId: string;
}

/** A session as it is stored, for acceptances. */
export interface SessionFactsRow extends Omit<SessionFacts, "userRef" | "metadata" | "context" | "data" | "erased"> {
  readonly organizationId: string;
  readonly sealed: Buffer | null;
  /** From one of its acceptances, which names its user. */
  readonly userReceiptId: string | null;
  readonly userSealed: Buffer | null;
  readonly userSeed: Buffer | null;
}

// Only a session that may be used many times is both accepted and open, so the others skip the last join.
const factsSql = `
select s.organization_id as "organizationId", s.id, ${textColumns("s")}, s.terms_hash as "termsHash",
       s.subject_index as "subjectIndex", s.sealed, k.seed, s.status, s.outcome, s.created_at as "createdAt",
       s.expires_at as "expiresAt", coalesce(s.presented_at, s.created_at) as "displayedSince",
       s.page_facts as "pageFacts", s.presented_at as "presentedAt", s.deployment_id as "deploymentId",
       s.deployment_hash as "deploymentHash", s.render_hash as "renderHash", s.words_hash as "wordsHash",
       u.receipt_id as "userReceiptId", u.sealed as "userSealed", u.seed as "userSeed"
from unnest($1::uuid[], $2::uuid[]) n (organization_id, id)
join click.session s on s.organization_id = n.organization_id and s.id = n.id
left join click.subject_key k on k.organization_id = s.organization_id and k.record_id = s.id
left join lateral (
  select a.receipt_id, a.sealed, ak.seed from click.acceptance a
  left join click.subject_key ak on ak.organization_id = a.organization_id and ak.record_id = a.receipt_id
  where s.status = 'ACCEPTED' and a.organization_id = s.organization_id and a.session_id = s.id
  limit 1
) u on true`;

/** Sessions as acceptances need them, in any order. Spans organizations: the pool must connect as the recorder. */
export async function findSessionFacts(pool: pg.Pool, names: readonly SessionName[]): Promise<SessionFactsRow[]> {
  if (names.length === 0) return [];
  const values = [names.map((name) => name.organizationId), names.map((name) => name.sessionId)];
  return (await pool.query<SessionFactsRow>({ name: "click-session-facts", text: factsSql, values })).rows;
}
