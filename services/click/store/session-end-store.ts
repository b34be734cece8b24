import type pg from "pg";
import type { OrgId } from "#platform/ids.ts";

/** The text that a session shows. */
export interface SessionText {
  readonly templateId: string;
  readonly versionId: string;
  readonly revision: number;
}

/** Cancels a session that waits for its user; undefined when there is none. */
export async function cancelSession(
  orgId: OrgId,
  client: pg.ClientBase,
  { id, now }: { readonly id: string; readonly now: Date },
): Promise<SessionText | undefined> {
  const result = await client.query<SessionText>(
    `update click.session set status = 'CANCELLED', outcome = 'NONE', updated_at = $3
     where organization_id = $1 and id = $2 and status in ('PENDING', 'PRESENTED') and expires_at > $3
     returning template_id as "templateId", version_id as "versionId", revision`,
    [orgId, id, now.toISOString()],
  );
  return result.rows[0];
}

/** A session whose time was over. */
export interface ExpiredSession extends SessionText {
  readonly organizationId: string;
  readonly id: string;
  readonly expiresAt: Date;
}

const expireSql = `
with due as (
  delete from click.session_deadline
  where (organization_id, session_id) in (
    select organization_id, session_id from click.session_deadline
    where expires_at <= $1 order by expires_at limit $2 for update skip locked)
  returning organization_id, session_id
),
waiting as materialized (
  select s.organization_id, s.id from click.session s
  join due d on d.organization_id = s.organization_id and d.session_id = s.id
  where s.status in ('PENDING', 'PRESENTED') and s.expires_at <= $1
  order by s.organization_id, s.id
  for update of s
),
expired as (
  update click.session s set status = 'EXPIRED', outcome = 'NONE', updated_at = s.expires_at
  from waiting w where s.organization_id = w.organization_id and s.id = w.id
  returning s.organization_id, s.id, s.template_id, s.version_id, s.revision, s.expires_at
)
select (select count(*) from due)::integer as looked, coalesce(json_agg(json_build_object(
  'organizationId', organization_id, 'id', id, 'templateId', template_id, 'versionId', version_id,
  'revision', revision, 'expiresAt', expires_at)), '[]') as expired
from expired`;

/**
 * Looks once at each of the sessions that were due longest, at most so many, and expires those that still waited for
 * their users; to be committed with what follows from it. Processes that do it at the same time share the work. Sessions
 * are locked in the order of their ids, like by acceptances. Spans organizations: the client must be the sweeper's.
 */
export async function expireDueSessions(
  client: pg.ClientBase,
  now: Date,
  limit: number,
): Promise<{ readonly looked: number; readonly expired: readonly ExpiredSession[] }> {
  const result = await client.query<{
    looked: number;
    expired: (Omit<ExpiredSession, "expiresAt"> & { expiresAt: string })[];
  }>(expireSql, [now.toISOString(), limit]);
  const { looked = 0, expired = [] } = result.rows[0] ?? {};
  return { looked, expired: expired.map((session) => ({ ...session, expiresAt: new Date(session.expiresAt) })) };
}
