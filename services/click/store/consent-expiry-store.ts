import type pg from "pg";

/** A grant that ran out. */
export interface ExpiredGrant {
  readonly organizationId: string;
  readonly userRef: string;
  readonly eventId: string;
  readonly purpose: string;
  readonly templateId: string;
  readonly versionId: string;
  readonly revision: number;
  readonly expiresAt: Date;
}

const dueSql = `
delete from click.consent_deadline
where (organization_id, user_ref, revision) in (
  select organization_id, user_ref, revision from click.consent_deadline
  where expires_at <= $1 order by expires_at limit $2 for update skip locked)
returning organization_id as "organizationId", user_ref as "userRef", revision, expires_at as "expiresAt"`;

// Afterwards no change of these users can be given a time before the end of their grants, so it is decided whether they
// ran out. Users are locked in their order, like by acceptances.
const holdSql = `
with due as materialized (
  select organization_id, user_ref, max(expires_at) as expires_at
  from unnest($1::uuid[], $2::text[], $3::timestamptz[]) as d (organization_id, user_ref, expires_at)
  group by organization_id, user_ref
),
held as materialized (
  select h.organization_id, h.user_ref, d.expires_at
  from click.consent_head h join due d on d.organization_id = h.organization_id and d.user_ref = h.user_ref
  order by h.organization_id, h.user_ref
  for update of h
)
update click.consent_head h set clock = greatest(h.clock, held.expires_at)
from held where h.organization_id = held.organization_id and h.user_ref = held.user_ref`;

const ranOutSql = `
select e.organization_id as "organizationId", e.user_ref as "userRef", e.event_id as "eventId", e.purpose,
       e.template_id as "templateId", e.version_id as "versionId", e.template_revision as "revision",
       e.expires_at as "expiresAt"
from unnest($1::uuid[], $2::text[], $3::bigint[]) as d (organization_id, user_ref, revision)
join click.consent_event e
  on e.organization_id = d.organization_id and e.user_ref = d.user_ref and e.revision = d.revision
where not exists (
  select from click.consent_event n
  where n.organization_id = e.organization_id and n.user_ref = e.user_ref and n.revision > e.revision
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
  const due = await client.query<{ organizationId: string; userRef: string; revision: string; expiresAt: Date }>(
    dueSql,
    [now.toISOString(), limit],
  );
  if (due.rows.length === 0) return { looked: 0, expired: [] };
  const organizations = due.rows.map((row) => row.organizationId);
  const users = due.rows.map((row) => row.userRef);
  await client.query(holdSql, [organizations, users, due.rows.map((row) => row.expiresAt.toISOString())]);
  const revisions = due.rows.map((row) => row.revision);
  const expired = await client.query<ExpiredGrant>(ranOutSql, [organizations, users, revisions]);
  return { looked: due.rows.length, expired: expired.rows };
}
