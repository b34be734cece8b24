import type pg from "pg";
import type { OrgId } from "#platform/ids.ts";
import type { AskedText, ConsentEvent } from "../domain/consent.ts";

/** An event as it comes out of the database. */
export interface EventRow extends Omit<ConsentEvent, "revision" | "text"> {
  /** bigint comes as text. */
  readonly revision: string;
  readonly templateId: string | null;
  readonly versionId: string | null;
  readonly templateRevision: number | null;
  readonly locale: string | null;
  readonly contentHash: string | null;
}

/** Everything of an event but its receipt and evidence. */
export const eventColumns = (e: string): string => `${e}.revision, ${e}.event_id as "eventId", ${e}.purpose, ${e}.type,
  ${e}.recorded_at as "recordedAt", ${e}.occurred_at as "occurredAt", ${e}.source, ${e}.method,
  ${e}.actor_type as "actorType", ${e}.reason, ${e}.template_id as "templateId", ${e}.version_id as "versionId",
  ${e}.template_revision as "templateRevision", ${e}.locale, ${e}.content_hash as "contentHash",
  ${e}.legal_basis as "legalBasis", ${e}.jurisdiction, ${e}.granted_at as "grantedAt", ${e}.expires_at as "expiresAt",
  ${e}.receipt_id as "receiptId"`;

export function eventOf(row: EventRow): ConsentEvent {
  const { templateId, versionId, templateRevision, locale, contentHash, ...rest } = row;
  return { ...rest, revision: Number(row.revision), text: textOf(row) };
}

function textOf({ templateId, versionId, templateRevision, locale, contentHash }: EventRow): AskedText | null {
  const isKnown =
    templateId !== null && versionId !== null && templateRevision !== null && locale !== null && contentHash !== null;
  return isKnown ? { templateId, versionId, revision: templateRevision, locale, contentHash } : null;
}

/** The last change of each purpose, as of this moment or ever. */
export async function findLastEvents(
  orgId: OrgId,
  client: pg.ClientBase,
  userRef: string,
  at: Date | null = null,
): Promise<ConsentEvent[]> {
  const result = await client.query<EventRow>(
    `select distinct on (e.purpose) ${eventColumns("e")} from click.consent_event e
     where e.organization_id = $1 and e.user_ref = $2 and ($3::timestamptz is null or e.recorded_at <= $3)
     order by e.purpose, e.revision desc`,
    [orgId, userRef, at?.toISOString() ?? null],
  );
  return result.rows.map(eventOf);
}

export interface HistoryQuery {
  readonly userRef: string;
  /** Up to and including this one. */
  readonly revision: number;
  readonly purpose: string | undefined;
  readonly limit: number;
}

/** Changes, newest first. */
export async function listEvents(orgId: OrgId, client: pg.ClientBase, query: HistoryQuery): Promise<ConsentEvent[]> {
  const result = await client.query<EventRow>(
    `select ${eventColumns("e")} from click.consent_event e
     where e.organization_id = $1 and e.user_ref = $2 and e.revision <= $3 and ($4::text is null or e.purpose = $4)
     order by e.revision desc limit $5`,
    [orgId, query.userRef, query.revision, query.purpose ?? null, query.limit],
  );
  return result.rows.map(eventOf);
}

/** The changes that these acceptances made, oldest first. */
export async function listEventsOfReceipts(
  orgId: OrgId,
  client: pg.ClientBase,
  userRef: string,
  receiptIds: readonly string[],
): Promise<ConsentEvent[]> {
  const result = await client.query<EventRow>(
    `select ${eventColumns("e")} from click.consent_event e
     where e.organization_id = $1 and e.user_ref = $2 and e.receipt_id = any($3) order by e.revision`,
    [orgId, userRef, receiptIds],
  );
  return result.rows.map(eventOf);
}

/** Refusals and withdrawals of these purposes after a change, oldest first. */
export async function listEndings(
  orgId: OrgId,
  client: pg.ClientBase,
  after: { readonly userRef: string; readonly revision: number; readonly purposes: readonly string[] },
  limit: number,
): Promise<ConsentEvent[]> {
  const result = await client.query<EventRow>(
    `select ${eventColumns("e")} from click.consent_event e
     where e.organization_id = $1 and e.user_ref = $2 and e.revision > $3 and e.purpose = any($4)
       and e.type in ('DENIED', 'WITHDRAWN')
     order by e.revision limit $5`,
    [orgId, after.userRef, after.revision, after.purposes, limit],
  );
  return result.rows.map(eventOf);
}

/** The stored text of the receipt of a change that was no acceptance. */
export async function findConsentReceipt(
  orgId: OrgId,
  client: pg.ClientBase,
  receiptId: string,
): Promise<string | undefined> {
  const result = await client.query<{ receipt: string }>(
    "select receipt from click.consent_event where organization_id = $1 and receipt_id = $2 and receipt is not null",
    [orgId, receiptId],
  );
  return result.rows[0]?.receipt;
}
