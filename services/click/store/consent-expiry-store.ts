import type pg from "pg";

/** A grant that ran out. */
export interface ExpiredGrant {
  readonly organizationId: string;
  /** What events name the user by. */
  readonly userKey: Buffer;
  readonly eventId: string;
  readonly purpose: string;
  readonly templateId: string;
  readonly versionId: string;
  readonly revision: number;
  readonly expiresAt: Date;
  /** Of the grant. */
  readonly receiptId: string;
}

const dueSql = `
delete from click.consent_deadline
where (organization_id, subject_index, revision) in (
  select organization_id, subject_index, revision from click.consent_deadline
  where expires_at <= $1 order by expires_at limit $2 for update skip locked)
returning organization_id as "organizationId", subject_index as "subjectIndex", user_key as "userKey", revision,
  expires_at as "expiresAt"`;

// Afterwards no change of these users can be given a time before the end of their grants, so it is decided whether they
// ran out. Users are locked in their order, like by acceptances.
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
 * Looks once at each of the grants that were due longest, at most so many, and answers those that nothing had ended
 * before; to be committed with what follows from it. Processes that do it at the same time share the work. Spans
 * organizations: the client must be the sweeper's.
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
