import type pg from "pg";
import type { OrgId } from "#platform/ids.ts";
import type { UpdatedConsent } from "../domain/consent-update.ts";

/** How far the history of a user has come. */
export interface ConsentHead {
  readonly revision: number;
  /** Ours, or the time of the last change if another process has a clock that is ahead. */
  readonly clock: Date;
}

/** Until the end of the transaction nobody else changes the consent of this user. */
export async function lockHead(orgId: OrgId, client: pg.ClientBase, userRef: string, now: Date): Promise<ConsentHead> {
  const result = await client.query<{ revision: string; clock: Date }>(
    `insert into click.consent_head as h (organization_id, user_ref, revision, clock) values ($1, $2, 0, $3)
     on conflict (organization_id, user_ref) do update set clock = greatest(h.clock, excluded.clock)
     returning revision, clock`,
    [orgId, userRef, now.toISOString()],
  );
  const row = result.rows[0];
  if (row === undefined) throw new Error("the head of a user's consent cannot be locked");
  return { revision: Number(row.revision), clock: row.clock };
}

export interface KeyClaim {
  readonly idempotencyHash: Buffer;
  readonly bodyHash: Buffer;
  readonly updateId: string;
  readonly userRef: string;
  readonly now: Date;
}

/** Takes a key for the transaction's change; false when it is taken. Waits for whoever is about to take or leave it. */
export async function claimKey(orgId: OrgId, client: pg.ClientBase, claim: KeyClaim): Promise<boolean> {
  const result = await client.query(
    `insert into click.acceptance (organization_id, idempotency_hash, body_hash, receipt_id, user_ref, decision,
       accepted_at, receipt, evidence)
     values ($1, $2, $3, $4, $5, 'CONSENT', $6, '', '') on conflict do nothing`,
    [orgId, claim.idempotencyHash, claim.bodyHash, claim.updateId, claim.userRef, claim.now.toISOString()],
  );
  return result.rowCount === 1;
}

/** What was done under a key, by an acceptance or by a change of consent. */
export interface KeyUse {
  readonly bodyHash: Buffer;
  /** Of a change of consent. */
  readonly updateId: string;
}

export async function findKeyUse(orgId: OrgId, client: pg.ClientBase, hash: Buffer): Promise<KeyUse | undefined> {
  const result = await client.query<KeyUse>(
    `select body_hash as "bodyHash", receipt_id as "updateId" from click.acceptance
     where organization_id = $1 and idempotency_hash = $2`,
    [orgId, hash],
  );
  return result.rows[0];
}

/** The receipts of an update, in the order of its changes. */
export async function listUpdateReceipts(
  orgId: OrgId,
  client: pg.ClientBase,
  update: { readonly userRef: string; readonly updateId: string },
): Promise<string[]> {
  const result = await client.query<{ receipt: string }>(
    `select receipt from click.consent_event
     where organization_id = $1 and user_ref = $2 and update_id = $3 order by revision`,
    [orgId, update.userRef, update.updateId],
  );
  return result.rows.map((row) => row.receipt);
}

const columns = {
  revision: "bigint",
  event_id: "uuid",
  purpose: "text",
  type: "text",
  recorded_at: "timestamptz",
  occurred_at: "timestamptz",
  source: "text",
  method: "text",
  actor_type: "text",
  actor_id: "text",
  reason: "text",
  template_id: "uuid",
  version_id: "uuid",
  template_revision: "integer",
  locale: "text",
  content_hash: "text",
  legal_basis: "text",
  jurisdiction: "text",
  granted_at: "timestamptz",
  expires_at: "timestamptz",
  receipt_id: "uuid",
  receipt: "text",
} as const;

const insertSql = `
with change as materialized (
  select * from json_to_recordset($3) as c (${Object.entries(columns)
    .map(([name, type]) => `${name} ${type}`)
    .join(", ")})
),
written as (
  insert into click.consent_event (organization_id, user_ref, update_id, evidence, ${Object.keys(columns).join(", ")})
  select $1, $2, $4, case when revision = (select min(revision) from change) then $5 end, ${Object.keys(columns).join(", ")}
  from change
),
scheduled as (
  insert into click.consent_deadline (organization_id, user_ref, revision, expires_at)
  select $1, $2, revision, expires_at from change where expires_at is not null
)
update click.consent_head set revision = (select max(revision) from change)
where organization_id = $1 and user_ref = $2`;

/**
 * Writes changes of a user whose head is locked, with numbers that follow its revision. What they have in common is kept
 * with the first of them.
 */
export async function insertChanges(
  orgId: OrgId,
  client: pg.ClientBase,
  update: { readonly userRef: string; readonly updateId: string; readonly evidence: string },
  changes: readonly UpdatedConsent[],
): Promise<void> {
  if (changes.length === 0) return;
  const rows = JSON.stringify(changes.map(rowOf));
  await client.query(insertSql, [orgId, update.userRef, rows, update.updateId, update.evidence]);
}

const rowOf = (change: UpdatedConsent): Record<keyof typeof columns, unknown> => ({
  revision: change.revision,
  event_id: change.eventId,
  purpose: change.purpose,
  type: change.type,
  recorded_at: change.recordedAt,
  occurred_at: change.occurredAt,
  source: change.source,
  method: change.method,
  actor_type: change.actorType,
  actor_id: change.actorId,
  reason: change.reason,
  template_id: change.text?.templateId ?? null,
  version_id: change.text?.versionId ?? null,
  template_revision: change.text?.revision ?? null,
  locale: change.text?.locale ?? null,
  content_hash: change.text?.contentHash ?? null,
  legal_basis: change.legalBasis,
  jurisdiction: change.jurisdiction,
  granted_at: change.grantedAt,
  expires_at: change.expiresAt,
  receipt_id: change.receiptId,
  receipt: change.receipt,
});
