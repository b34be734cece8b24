import type { Tenant } from "#platform/db/pool.ts";

/** The terms in force for a person's records. */
export interface RecordTerms {
  /** Null for a consent change without a template. */
  readonly templateId: string | null;
  /** Hexadecimal; null for a consent change, which has no terms. */
  readonly termsHash: string | null;
  readonly retentionDays: number;
  readonly legalHold: boolean;
}

interface TermsRow extends Pick<RecordTerms, "templateId" | "termsHash"> {
  readonly retentionDays: unknown;
  readonly legalHold: unknown;
}

const termsColumns = `r.template_id as "templateId", encode(r.terms_hash, 'hex') as "termsHash",
  t.terms::json #> '{policy,retentionDays}' as "retentionDays", t.terms::json #> '{policy,legalHold}' as "legalHold"`;

const termsOf = <R extends TermsRow>({ retentionDays, legalHold, ...row }: R) => ({
  ...row,
  retentionDays: typeof retentionDays === "number" && retentionDays > 0 ? retentionDays : 0,
  legalHold: legalHold === true,
});

const personTermsSql = `
with r as (
  select template_id, terms_hash from click.acceptance where organization_id = $1 and subject_index = $2
  union
  select template_id, terms_hash from click.session where organization_id = $1 and subject_index = $2
  union
  select template_id, null from click.consent_event where organization_id = $1 and subject_index = $2
  union
  select c.template_id, null from click.campaign_person p
  join click.campaign c on c.organization_id = p.organization_id and c.id = p.campaign_id
  where p.organization_id = $1 and p.subject_index = $2
)
select ${termsColumns} from r
left join click.template_terms t on t.organization_id = $1 and t.terms_hash = r.terms_hash`;

/** All distinct terms of a person's records, and of campaigns that ask them; empty for an unknown person. */
export async function findPersonTerms({ orgId, client }: Tenant, subjectIndex: Buffer): Promise<RecordTerms[]> {
  return (await client.query<TermsRow>(personTermsSql, [orgId, subjectIndex])).rows.map(termsOf);
}

const recordTermsSql = `
with r as (
  select receipt_id as record_id, template_id, terms_hash from click.acceptance
  where organization_id = $1 and receipt_id = any($2) and decision <> 'CONSENT'
  union all
  select id, template_id, terms_hash from click.session where organization_id = $1 and id = any($2)
  union all
  select receipt_id, template_id, null from click.consent_event
  where organization_id = $1 and receipt_id = any($2) and update_id is not null
)
select r.record_id as "recordId", ${termsColumns} from r
left join click.template_terms t on t.organization_id = $1 and t.terms_hash = r.terms_hash`;

/** What there is of a person, whatever becomes of it. */
export async function findRecords(
  { orgId, client }: Tenant,
  subjectIndex: Buffer,
  limit: number,
): Promise<{ readonly kind: "receipt" | "session" | "consent-change" | "campaign"; readonly id: string }[]> {
  const { rows } = await client.query(
    `select 'receipt' as kind, receipt_id as id from click.acceptance where organization_id = $1 and subject_index = $2
     union all
     select 'session', id from click.session where organization_id = $1 and subject_index = $2
     union all
     select distinct 'consent-change', receipt_id from click.consent_event
     where organization_id = $1 and subject_index = $2 and update_id is not null
     union all
     select 'campaign', campaign_id from click.campaign_person where organization_id = $1 and subject_index = $2
     limit $3`,
    [orgId, subjectIndex, limit],
  );
  return rows;
}

/** The terms of these records. */
export async function findRecordTerms(
  { orgId, client }: Tenant,
  recordIds: readonly string[],
): Promise<(RecordTerms & { readonly recordId: string })[]> {
  const { rows } = await client.query<TermsRow & { recordId: string }>(recordTermsSql, [orgId, recordIds]);
  return rows.map(termsOf);
}

/**
 * Locks these persons against other erasures until the end of the transaction. Must come before all other
 * locks, which follow the order of acceptances: sessions, consent heads, log.
 */
export async function lockPersons({ orgId, client }: Tenant, subjectIndexes: readonly Buffer[]): Promise<void> {
  const names = subjectIndexes.map((index) => `click person ${orgId} ${index.toString("hex")}`).sort();
  await client.query("select pg_advisory_xact_lock(hashtextextended(name, 0)) from unnest($1::text[]) as n (name)", [
    names,
  ]);
}

/** A locked session of a person; it accepts nothing until the end of the transaction. */
export interface PersonSession {
  readonly id: string;
  readonly templateId: string;
  readonly versionId: string;
  readonly revision: number;
  /** Whether it is waiting for its user. */
  readonly isOpen: boolean;
  readonly restrictedUntil: Date | null;
}

export async function lockSessions(
  { orgId, client }: Tenant,
  subjectIndex: Buffer,
  now: Date,
): Promise<PersonSession[]> {
  const result = await client.query<PersonSession>(
    `select s.id, s.template_id as "templateId", s.version_id as "versionId", s.revision,
       s.status in ('PENDING', 'PRESENTED') and s.expires_at > $3 as "isOpen", k.restricted_until as "restrictedUntil"
     from click.session s
     left join click.subject_key k on k.organization_id = s.organization_id and k.record_id = s.id
     where s.organization_id = $1 and s.subject_index = $2
     order by s.id for update of s`,
    [orgId, subjectIndex, now.toISOString()],
  );
  return result.rows;
}

/** Locks the sessions among these records. */
export async function lockSessionsOf({ orgId, client }: Tenant, recordIds: readonly string[]): Promise<void> {
  await client.query("select from click.session where organization_id = $1 and id = any($2) order by id for update", [
    orgId,
    recordIds,
  ]);
}

/** Locks the consent of these persons until the end of the transaction. */
export async function lockHeads({ orgId, client }: Tenant, subjectIndexes: readonly Buffer[]): Promise<void> {
  await client.query(
    `select from click.consent_head where organization_id = $1 and subject_index = any($2)
     order by subject_index for update`,
    [orgId, subjectIndexes],
  );
}

/** A receipted record of a person. */
export interface PersonReceipt {
  readonly receiptId: string;
  readonly templateId: string | null;
  /** Hexadecimal; null for a consent change. */
  readonly termsHash: string | null;
  readonly sessionId: string | null;
  /** When it was recorded, or when one of its purposes last changed. */
  readonly since: Date;
  readonly restrictedUntil: Date | null;
}

// Records that stay restricted come last, so that they do not use up the limit.
const acceptancesSql = `
select a.receipt_id as "receiptId", a.template_id as "templateId", encode(a.terms_hash, 'hex') as "termsHash",
  a.session_id as "sessionId", a.accepted_at as since, k.restricted_until as "restrictedUntil"
from click.acceptance a
left join click.subject_key k on k.organization_id = $1 and k.record_id = a.receipt_id
where a.organization_id = $1 and a.subject_index = $2
order by coalesce(k.restricted_until > $3, false), a.receipt_id
limit $4`;

const changesSql = `
select e.receipt_id as "receiptId", (array_agg(e.template_id))[1] as "templateId", null as "termsHash",
  null as "sessionId", max(e.last_change) as since, bool_or(e.update_id is not null) as "isOwn"
from (
  select receipt_id, update_id, template_id, max(recorded_at) over (partition by purpose) as last_change
  from click.consent_event where organization_id = $1 and subject_index = $2
) e
group by e.receipt_id`;

const keysSql = `
select record_id as "recordId", restricted_until as "restrictedUntil" from click.subject_key
where organization_id = $1 and record_id = any($2)`;

/**
 * Lists a person's acceptances up to a limit, and all consent changes made without one; the sessions and head
 * must be locked. Joined here because the planner cannot estimate how many rows one person has and may take
 * seconds.
 */
export async function listReceipts(
  { orgId, client }: Tenant,
  { subjectIndex, now, limit }: { readonly subjectIndex: Buffer; readonly now: Date; readonly limit: number },
): Promise<PersonReceipt[]> {
  const values = [orgId, subjectIndex, now.toISOString(), limit];
  const acceptances = (await client.query<PersonReceipt>(acceptancesSql, values)).rows;
  const changed = (await client.query<ChangedReceipt>(changesSql, [orgId, subjectIndex])).rows;
  const own = changed.filter(({ isOwn }) => isOwn);
  const keys = await client.query<{ recordId: string; restrictedUntil: Date | null }>(keysSql, [
    orgId,
    own.map(({ receiptId }) => receiptId),
  ]);
  const restrictions = new Map(keys.rows.map((key) => [key.recordId, key.restrictedUntil]));
  const lastChanges = new Map(changed.map(({ receiptId, since }) => [receiptId, since]));
  return [
    ...acceptances.map((one) => ({ ...one, since: later(one.since, lastChanges.get(one.receiptId)) })),
    ...own.map(({ isOwn: _, ...one }) => ({ ...one, restrictedUntil: restrictions.get(one.receiptId) ?? null })),
  ];
}

type ChangedReceipt = Omit<PersonReceipt, "restrictedUntil"> & { readonly isOwn: boolean };

const later = (a: Date, b: Date | undefined): Date => (b !== undefined && b > a ? b : a);

/** The persons these records are about. */
export async function findSubjects({ orgId, client }: Tenant, recordIds: readonly string[]): Promise<Buffer[]> {
  const result = await client.query<{ subjectIndex: Buffer }>(
    `select subject_index as "subjectIndex" from click.acceptance
     where organization_id = $1 and receipt_id = any($2) and subject_index is not null
     union
     select subject_index from click.session
     where organization_id = $1 and id = any($2) and subject_index is not null
     union
     select subject_index from click.consent_event
     where organization_id = $1 and receipt_id = any($2) and update_id is not null`,
    [orgId, recordIds],
  );
  return result.rows.map((row) => row.subjectIndex);
}
