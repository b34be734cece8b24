import type pg from "pg";
import type { Tenant } from "#platform/db/pool.ts";
import type { AskedText, ConsentEvent } from "./consent.ts";

/** An event as the database returns it. */
export interface EventRow extends Omit<ConsentEvent, "revision" | "text"> {
  /** A bigint arrives as text. */
  readonly revision: string;
  readonly templateId: string | null;
  readonly versionId: string | null;
  readonly templateRevision: number | null;
  readonly locale: string | null;
  readonly contentHash: string | null;
}

/** All columns of an event that are not sealed. */
const eventColumns = (e: string): string => `${e}.revision, ${e}.event_id as "eventId", ${e}.purpose, ${e}.type,
  ${e}.recorded_at as "recordedAt", ${e}.occurred_at as "occurredAt", ${e}.source, ${e}.method,
  ${e}.actor_type as "actorType", ${e}.template_id as "templateId", ${e}.version_id as "versionId",
  ${e}.template_revision as "templateRevision", ${e}.locale, ${e}.content_hash as "contentHash",
  ${e}.legal_basis as "legalBasis", ${e}.jurisdiction, ${e}.granted_at as "grantedAt", ${e}.expires_at as "expiresAt",
  ${e}.receipt_id as "receiptId"`;

function eventOf(row: EventRow): ConsentEvent {
  const { templateId, versionId, templateRevision, locale, contentHash, ...rest } = row;
  return { ...rest, revision: Number(row.revision), text: textOf(row) };
}

function textOf({ templateId, versionId, templateRevision, locale, contentHash }: EventRow): AskedText | null {
  const isKnown =
    templateId !== null && versionId !== null && templateRevision !== null && locale !== null && contentHash !== null;
  return isKnown ? { templateId, versionId, revision: templateRevision, locale, contentHash } : null;
}

/** The latest change of each purpose, up to a moment or ever. */
export async function findLastEvents(
  { orgId, client }: Tenant,
  subjectIndex: Buffer,
  at: Date | null = null,
): Promise<ConsentEvent[]> {
  const result = await client.query<EventRow>(
    `select distinct on (e.purpose) ${eventColumns("e")} from click.consent_event e
     where e.organization_id = $1 and e.subject_index = $2 and ($3::timestamptz is null or e.recorded_at <= $3)
     order by e.purpose, e.revision desc`,
    [orgId, subjectIndex, at?.toISOString() ?? null],
  );
  return result.rows.map(eventOf);
}

/** The last change of each purpose of each of these users. */
export async function findLastEventsOfUsers(
  { orgId, client }: Tenant,
  subjectIndexes: readonly Buffer[],
): Promise<{ readonly subjectIndex: Buffer; readonly event: ConsentEvent }[]> {
  const result = await client.query<EventRow & { readonly subjectIndex: Buffer }>(
    `select distinct on (e.subject_index, e.purpose) e.subject_index as "subjectIndex", ${eventColumns("e")}
     from click.consent_event e where e.organization_id = $1 and e.subject_index = any($2)
     order by e.subject_index, e.purpose, e.revision desc`,
    [orgId, subjectIndexes],
  );
  return result.rows.map(({ subjectIndex, ...row }) => ({ subjectIndex, event: eventOf(row) }));
}

/** The changes made by these acceptances, oldest first. */
export async function listEventsOfReceipts(
  { orgId, client }: Tenant,
  subjectIndex: Buffer,
  receiptIds: readonly string[],
): Promise<ConsentEvent[]> {
  const result = await client.query<EventRow>(
    `select ${eventColumns("e")} from click.consent_event e
     where e.organization_id = $1 and e.subject_index = $2 and e.receipt_id = any($3) order by e.revision`,
    [orgId, subjectIndex, receiptIds],
  );
  return result.rows.map(eventOf);
}

/** A change with its sealed part. */
export interface StoredChange extends ConsentEvent {
  /** Null when an acceptance made the change, and after erasure. */
  readonly sealed: Buffer | null;
  /** As stored: null like sealed, encrypted under the hold key while the change is restricted. */
  readonly seed: Buffer | null;
}

interface ChangeRow extends EventRow, Pick<StoredChange, "sealed" | "seed"> {}

const changesSql = `
select ${eventColumns("e")}, e.sealed, k.seed
from click.consent_event e
left join click.subject_key k
  on k.organization_id = e.organization_id and k.record_id = e.receipt_id and e.update_id is not null
where e.organization_id = $1`;

async function listChanges(client: pg.ClientBase, rest: string, values: readonly unknown[]): Promise<StoredChange[]> {
  const result = await client.query<ChangeRow>(`${changesSql} ${rest}`, [...values]);
  return result.rows.map(({ sealed, seed, ...row }) => ({ ...eventOf(row), sealed, seed }));
}

export interface HistoryQuery {
  readonly subjectIndex: Buffer;
  /** Inclusive. */
  readonly revision: number;
  readonly purpose: string | undefined;
  readonly limit: number;
}

/** Changes, newest first. */
export const listHistory = ({ orgId, client }: Tenant, query: HistoryQuery): Promise<StoredChange[]> =>
  listChanges(
    client,
    `and e.subject_index = $2 and e.revision <= $3 and ($4::text is null or e.purpose = $4)
     order by e.revision desc limit $5`,
    [orgId, query.subjectIndex, query.revision, query.purpose ?? null, query.limit],
  );

/** Denials and withdrawals of these purposes after a change, oldest first. */
export const listEndings = (
  { orgId, client }: Tenant,
  after: { readonly subjectIndex: Buffer; readonly revision: number; readonly purposes: readonly string[] },
  limit: number,
): Promise<StoredChange[]> =>
  listChanges(
    client,
    `and e.subject_index = $2 and e.revision > $3 and e.purpose = any($4) and e.type in ('DENIED', 'WITHDRAWN')
     order by e.revision limit $5`,
    [orgId, after.subjectIndex, after.revision, after.purposes, limit],
  );

/** The changes of one update, in order, for any user. */
export const listUpdate = ({ orgId, client }: Tenant, updateId: string): Promise<StoredChange[]> =>
  listChanges(client, "and e.update_id = $2 order by e.revision", [orgId, updateId]);

/** The change with this receipt, unless an acceptance made it. */
export async function findChange({ orgId, client }: Tenant, receiptId: string): Promise<StoredChange | undefined> {
  return (await listChanges(client, "and e.receipt_id = $2 and e.update_id is not null", [orgId, receiptId]))[0];
}

/** A grant that has expired. */
interface ExpiredGrant {
  readonly organizationId: string;
  /** What events name the user by. */
  readonly userKey: Buffer;
  readonly eventId: string;
  readonly purpose: string;
  readonly templateId: string;
  readonly versionId: string;
  readonly revision: number;
  readonly expiresAt: Date;
  /** The grant's receipt. */
  readonly receiptId: string;
}

const dueSql = `
with oldest as materialized (
  select organization_id, subject_index, revision from click.consent_deadline
  where expires_at <= $1 order by expires_at limit $2 for update skip locked
)
delete from click.consent_deadline d using oldest o
where d.organization_id = o.organization_id and d.subject_index = o.subject_index and d.revision = o.revision
returning d.organization_id as "organizationId", d.subject_index as "subjectIndex", d.user_key as "userKey",
  d.revision, d.expires_at as "expiresAt"`;

// From here on no change of these users can get a time before their grants' expiry, so whether they expired is
// final. Users are locked in order, as acceptances do.
const holdSql = `
with due as materialized (
  select organization_id, subject_index, max(expires_at) as expires_at
  from unnest($1::uuid[], $2::bytea[], $3::timestamptz[]) as d (organization_id, subject_index, expires_at)
  group by organization_id, subject_index
),
held as materialized (
  select h.organization_id, h.subject_index, d.expires_at
  from click.consent_head h join due d on d.organization_id = h.organization_id and d.subject_index = h.subject_index
  order by h.organization_id, h.subject_index
  for update of h
)
update click.consent_head h set clock = greatest(h.clock, held.expires_at)
from held where h.organization_id = held.organization_id and h.subject_index = held.subject_index`;

const ranOutSql = `
select e.organization_id as "organizationId", d.user_key as "userKey", e.event_id as "eventId", e.purpose,
       e.template_id as "templateId", e.version_id as "versionId", e.template_revision as "revision",
       e.expires_at as "expiresAt", e.receipt_id as "receiptId"
from unnest($1::uuid[], $2::bytea[], $3::bytea[], $4::bigint[]) as d (organization_id, subject_index, user_key, revision)
join click.consent_event e
  on e.organization_id = d.organization_id and e.subject_index = d.subject_index and e.revision = d.revision
where not exists (
  select from click.consent_event n
  where n.organization_id = e.organization_id and n.subject_index = e.subject_index and n.revision > e.revision
    and n.purpose = e.purpose and n.recorded_at < e.expires_at)
order by e.expires_at, e.event_id`;

/**
 * Takes the grants that have been due longest, up to a limit, and returns those that nothing ended earlier;
 * commit this together with its effects. Concurrent processes share the work. Spans organizations: the client
 * must be the sweeper's.
 */
export async function takeDueGrants(
  client: pg.ClientBase,
  now: Date,
  limit: number,
): Promise<{ readonly looked: number; readonly expired: readonly ExpiredGrant[] }> {
  const due = await client.query<DueGrant>(dueSql, [now.toISOString(), limit]);
  if (due.rows.length === 0) return { looked: 0, expired: [] };
  const organizations = due.rows.map((row) => row.organizationId);
  const subjects = due.rows.map((row) => row.subjectIndex);
  await client.query(holdSql, [organizations, subjects, due.rows.map((row) => row.expiresAt.toISOString())]);
  const userKeys = due.rows.map((row) => row.userKey);
  const revisions = due.rows.map((row) => row.revision);
  const expired = await client.query<ExpiredGrant>(ranOutSql, [organizations, subjects, userKeys, revisions]);
  return { looked: due.rows.length, expired: expired.rows };
}

interface DueGrant extends Pick<ExpiredGrant, "organizationId" | "userKey" | "expiresAt"> {
  readonly subjectIndex: Buffer;
  /** bigint comes as text. */
  readonly revision: string;
}
