import type { JsonObject } from "@bufbuild/protobuf";
import type pg from "pg";
import type { OrgId } from "#platform/ids.ts";
import type { BoundText, SessionFacts } from "../domain/agreement.ts";
import type { SessionOutcome, SessionState, StoredStatus } from "../domain/session.ts";

export interface NewSession extends BoundText {
  readonly id: string;
  readonly termsHash: Buffer;
  readonly userRef: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  readonly returnUrl: string | null;
  readonly context: object | null;
  readonly clientId: string;
  readonly requestId: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly deployment: { readonly id: string; readonly snapshotHash: string } | null;
  /** What it shows, in click.shown. */
  readonly renderHash: string;
  readonly wordsHash: string;
  readonly data: JsonObject | null;
}

/** A session with its terms and the ids of its receipts. */
export interface StoredSession extends BoundText, SessionState {
  readonly id: string;
  readonly userRef: string | null;
  readonly reason: string | null;
  /** JSON. */
  readonly metadata: string;
  readonly returnUrl: string | null;
  /** JSON. */
  readonly context: string;
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
  readonly data: string | null;
  /** JSON. */
  readonly terms: string;
  readonly receiptIds: readonly string[];
}

/** Adds a session in the state PENDING. Its terms, its text and what it shows must be kept already. */
export async function insertSession(orgId: OrgId, client: pg.ClientBase, session: NewSession): Promise<void> {
  await client.query(
    `with session as (
       insert into click.session (organization_id, id, template_id, version_id, revision, label, locale, content_hash,
         terms_hash, user_ref, status, metadata, return_url, context, client_id, request_id, created_at, expires_at, updated_at,
         deployment_id, deployment_hash, render_hash, words_hash, data)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 'PENDING', $11, $12, $13, $14, $15, $16, $17, $16,
         $18, $19, $20, $21, $22)
       returning organization_id, id, expires_at
     )
     insert into click.session_deadline (organization_id, session_id, expires_at)
     select organization_id, id, expires_at from session`,
    [
      orgId,
      session.id,
      session.templateId,
      session.versionId,
      session.revision,
      session.label,
      session.locale,
      session.contentHash,
      session.termsHash,
      session.userRef,
      JSON.stringify(session.metadata),
      session.returnUrl,
      JSON.stringify(session.context),
      session.clientId,
      session.requestId,
      session.createdAt.toISOString(),
      session.expiresAt.toISOString(),
      session.deployment?.id,
      session.deployment?.snapshotHash,
      session.renderHash,
      session.wordsHash,
      session.data === null ? null : JSON.stringify(session.data),
    ],
  );
}

const textColumns = (s: string): string => `${s}.template_id as "templateId", ${s}.version_id as "versionId",
  ${s}.revision, ${s}.label, ${s}.locale, ${s}.content_hash as "contentHash"`;

export async function findSession(orgId: OrgId, client: pg.ClientBase, id: string): Promise<StoredSession | undefined> {
  const result = await client.query<StoredSession>(
    `select s.id, ${textColumns("s")}, s.user_ref as "userRef", s.status, s.outcome, s.reason, s.metadata,
       s.return_url as "returnUrl", s.context, s.client_id as "clientId", s.request_id as "requestId",
       s.created_at as "createdAt", s.presented_at as "presentedAt", s.accepted_at as "acceptedAt",
       s.completed_at as "completedAt", s.expires_at as "expiresAt", s.updated_at as "updatedAt", s.deployment_id as "deploymentId",
       s.deployment_hash as "deploymentHash", s.render_hash as "renderHash", s.words_hash as "wordsHash", s.data, t.terms,
       array(select a.receipt_id from click.acceptance a where a.organization_id = $1 and a.session_id = $2
             order by a.accepted_at, a.receipt_id) as "receiptIds"
     from click.session s
     join click.template_terms t on t.organization_id = s.organization_id and t.terms_hash = s.terms_hash
     where s.organization_id = $1 and s.id = $2`,
    [orgId, id],
  );
  return result.rows[0];
}

export interface SessionClosing {
  readonly id: string;
  /** The status that was decided upon; nothing happens when it is another one by now. */
  readonly from: StoredStatus;
  readonly outcome: SessionOutcome;
  readonly reason: string | null;
  readonly now: Date;
}

/** Completes a session; false when its state has changed meanwhile. */
export async function completeSession(orgId: OrgId, client: pg.ClientBase, closing: SessionClosing): Promise<boolean> {
  const result = await client.query(
    `update click.session
     set status = 'COMPLETED', outcome = $4, reason = coalesce($5, reason), completed_at = $6, updated_at = $6
     where organization_id = $1 and id = $2 and status = $3 and (status = 'ACCEPTED' or expires_at > $6)`,
    [orgId, closing.id, closing.from, closing.outcome, closing.reason, closing.now.toISOString()],
  );
  return result.rowCount === 1;
}

/** Marks a session as shown to its user; false when it was before, or is not open any more. */
export async function presentSession(orgId: OrgId, client: pg.ClientBase, id: string, now: Date): Promise<boolean> {
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

export type SessionFactsRow = SessionFacts & { readonly organizationId: string };

const factsSql = `
select s.organization_id as "organizationId", s.id, ${textColumns("s")}, s.terms_hash as "termsHash",
       s.user_ref as "userRef", s.status, s.outcome, s.expires_at as "expiresAt",
       coalesce(s.presented_at, s.created_at) as "displayedSince", s.page_facts as "pageFacts", s.presented_at as "presentedAt",
       s.deployment_id as "deploymentId", s.deployment_hash as "deploymentHash", s.render_hash as "renderHash",
       s.words_hash as "wordsHash"
from unnest($1::uuid[], $2::uuid[]) k (organization_id, id)
join click.session s on s.organization_id = k.organization_id and s.id = k.id`;

/** Sessions as acceptances need them, in any order. Spans organizations: the pool must connect as the recorder. */
export async function findSessionFacts(pool: pg.Pool, names: readonly SessionName[]): Promise<SessionFactsRow[]> {
  if (names.length === 0) return [];
  const values = [names.map((name) => name.organizationId), names.map((name) => name.sessionId)];
  return (await pool.query<SessionFactsRow>({ name: "click-session-facts", text: factsSql, values })).rows;
}
