import type pg from "pg";
import type { Tenant } from "#platform/db/pool.ts";
import type { PageEvent, PageFacts, SessionState } from "./session.ts";

/** The parts of a session that matter to its events. */
export interface EventfulSession extends SessionState {
  readonly eventCount: number;
  readonly pageFacts: PageFacts | null;
  readonly singleUse: boolean;
  /** As stored; null after erasure. */
  readonly seed: Buffer | null;
}

/** An event whose target is sealed, because it may reveal who the user is. */
export interface StoredPageEvent extends Omit<PageEvent, "target"> {
  readonly sealedTarget: Buffer | null;
}

/** Locks a session: until the end of the transaction nobody else adds events to it or changes its state. */
export async function lockForEvents(
  { orgId, client }: Tenant,
  sessionId: string,
): Promise<EventfulSession | undefined> {
  const result = await client.query<EventfulSession>(
    `select s.status, s.outcome, s.expires_at as "expiresAt", s.event_count as "eventCount",
       s.page_facts as "pageFacts", k.seed, (t.terms::json #>> '{policy,singleUseSession}') is distinct from 'false' as "singleUse"
     from click.session s
     join click.template_terms t on t.organization_id = s.organization_id and t.terms_hash = s.terms_hash
     left join click.subject_key k on k.organization_id = s.organization_id and k.record_id = s.id
     where s.organization_id = $1 and s.id = $2
     for update of s`,
    [orgId, sessionId],
  );
  return result.rows[0];
}

/** Adds events to a locked session, and updates the facts derived from them. */
export async function insertEvents(
  { orgId, client }: Tenant,
  session: { readonly id: string; readonly eventCount: number; readonly pageFacts: PageFacts },
  events: readonly StoredPageEvent[],
): Promise<void> {
  await client.query(
    `with added as (
       insert into click.session_event (organization_id, session_id, position, type, at, sealed_target, server_at)
       select $1, $2, $3 + e.n, e.type, e.at, e.sealed_target, e.server_at
       from unnest($4::text[], $5::timestamptz[], $6::bytea[], $7::timestamptz[])
         with ordinality as e (type, at, sealed_target, server_at, n)
     )
     update click.session set event_count = $3 + $8, page_facts = $9 where organization_id = $1 and id = $2`,
    [
      orgId,
      session.id,
      session.eventCount,
      events.map((event) => event.type),
      events.map((event) => event.at?.toISOString()),
      events.map((event) => event.sealedTarget),
      events.map((event) => event.serverAt.toISOString()),
      events.length,
      JSON.stringify(session.pageFacts),
    ],
  );
}

/** The events of a session, in the order of arrival. */
export async function listSessionEvents({ orgId, client }: Tenant, sessionId: string): Promise<StoredPageEvent[]> {
  const result = await client.query<StoredPageEvent>(
    `select type, at, sealed_target as "sealedTarget", server_at as "serverAt" from click.session_event
     where organization_id = $1 and session_id = $2 order by position`,
    [orgId, sessionId],
  );
  return result.rows;
}

/** The text that a session shows. */
interface SessionText {
  readonly templateId: string;
  readonly versionId: string;
  readonly revision: number;
}

/** Cancels a session that waits for its user; undefined when there is none. */
export async function cancelSession(
  { orgId, client }: Tenant,
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

/** A session that has expired. */
interface ExpiredSession extends SessionText {
  readonly organizationId: string;
  readonly id: string;
  readonly expiresAt: Date;
}

const expireSql = `
with oldest as materialized (
  select organization_id, session_id from click.session_deadline
  where expires_at <= $1 order by expires_at limit $2 for update skip locked
),
due as (
  delete from click.session_deadline d using oldest o
  where d.organization_id = o.organization_id and d.session_id = o.session_id
  returning d.organization_id, d.session_id
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
 * Looks once at each of the sessions that have been due longest, up to a limit, and expires those that are still open;
 * to be committed together with the resulting events. Processes that run it at the same time share the work. Sessions
 * are locked in the order of their ids, as by acceptances. Spans organizations: the client must be the sweeper's.
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
