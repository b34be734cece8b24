import type { Tenant } from "#platform/db/pool.ts";
import type { ConsentEvent } from "./consent.ts";

/** The latest state of a user's consent history. */
export interface ConsentHead {
  readonly revision: number;
  /** The database's time, or that of the last change if another clock was ahead. */
  readonly clock: Date;
}

/** Locks the user's consent: nobody else can change it until the end of the transaction. */
export async function lockHead({ orgId, client }: Tenant, subjectIndex: Buffer, now: Date): Promise<ConsentHead> {
  const result = await client.query<{ revision: string; clock: Date }>(
    `insert into click.consent_head as h (organization_id, subject_index, revision, clock) values ($1, $2, 0, $3)
     on conflict (organization_id, subject_index) do update set clock = greatest(h.clock, excluded.clock)
     returning revision, clock`,
    [orgId, subjectIndex, now.toISOString()],
  );
  const row = result.rows[0];
  if (row === undefined) throw new Error("the head of a user's consent cannot be locked");
  return { revision: Number(row.revision), clock: row.clock };
}

export interface KeyClaim {
  readonly idempotencyHash: Buffer;
  readonly bodyHash: Buffer;
  readonly updateId: string;
  readonly now: Date;
}

/** Claims a key for the change; false when it is taken. Waits for a concurrent transaction that holds the key. */
export async function claimKey({ orgId, client }: Tenant, claim: KeyClaim): Promise<boolean> {
  const result = await client.query(
    `insert into click.acceptance (organization_id, idempotency_hash, body_hash, receipt_id, decision, accepted_at)
     values ($1, $2, $3, $4, 'CONSENT', $5) on conflict do nothing`,
    [orgId, claim.idempotencyHash, claim.bodyHash, claim.updateId, claim.now.toISOString()],
  );
  return result.rowCount === 1;
}

/** What was recorded under a key: an acceptance or a consent change. */
export interface KeyUse {
  readonly bodyHash: Buffer;
  /** Consent changes only. */
  readonly updateId: string;
}

export async function findKeyUse({ orgId, client }: Tenant, hash: Buffer): Promise<KeyUse | undefined> {
  const result = await client.query<KeyUse>(
    `select body_hash as "bodyHash", receipt_id as "updateId" from click.acceptance
     where organization_id = $1 and idempotency_hash = $2`,
    [orgId, hash],
  );
  return result.rows[0];
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
  sealed: "bytea",
} as const;

const names = Object.keys(columns).join(", ");

const insertSql = `
with change as materialized (
  select * from json_to_recordset($3) as c (${Object.entries({ ...columns, seed: "bytea" })
    .map(([name, type]) => `${name} ${type}`)
    .join(", ")})
),
keyed as (
  insert into click.subject_key (organization_id, record_id, seed) select $1, receipt_id, seed from change
),
written as (
  insert into click.consent_event (organization_id, subject_index, update_id, ${names})
  select $1, $2, $4, ${names} from change
),
scheduled as (
  insert into click.consent_deadline (organization_id, subject_index, user_key, revision, expires_at)
  select $1, $2, $5, revision, expires_at from change where expires_at is not null
)
update click.consent_head set revision = (select max(revision) from change)
where organization_id = $1 and subject_index = $2`;

/** A change that is ready to be written. */
export interface SealedChange extends ConsentEvent {
  readonly sealed: Buffer;
  readonly seed: Buffer;
}

/** Writes the changes of a user whose head is locked, numbered from its revision. */
export async function insertChanges(
  { orgId, client }: Tenant,
  update: { readonly subjectIndex: Buffer; readonly userKey: Buffer; readonly updateId: string },
  changes: readonly SealedChange[],
): Promise<void> {
  if (changes.length === 0) return;
  const rows = JSON.stringify(changes.map(rowOf));
  await client.query(insertSql, [orgId, update.subjectIndex, rows, update.updateId, update.userKey]);
}

const rowOf = (change: SealedChange): Record<keyof typeof columns | "seed", unknown> => ({
  revision: change.revision,
  event_id: change.eventId,
  purpose: change.purpose,
  type: change.type,
  recorded_at: change.recordedAt,
  occurred_at: change.occurredAt,
  source: change.source,
  method: change.method,
  actor_type: change.actorType,
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
  sealed: bytea(change.sealed),
  seed: bytea(change.seed),
});

/** The hex text form of bytea in Postgres. */
const bytea = (bytes: Buffer): string => `\\x${bytes.toString("hex")}`;
