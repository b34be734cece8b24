import type pg from "pg";
import type { OrgId } from "#platform/ids.ts";
import type { PageEvent, PageFacts } from "../domain/page-facts.ts";
import type { SessionState } from "../domain/session.ts";

/** A session as far as its events matter. */
export interface EventfulSession extends SessionState {
  readonly eventCount: number;
  readonly pageFacts: PageFacts | null;
  readonly singleUse: boolean;
  /** As stored; null after erasure. */
  readonly seed: Buffer | null;
}

/** An event whose target, which may tell who the user is, is sealed. */
export interface StoredPageEvent extends Omit<PageEvent, "target"> {
  readonly sealedTarget: Buffer | null;
}

/** Until the end of the transaction nobody else adds events to the session or changes its state. */
export async function lockForEvents(
  orgId: OrgId,
  client: pg.ClientBase,
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

/** Adds events to a session that is locked, and what they come to. */
export async function insertEvents(
  orgId: OrgId,
  client: pg.ClientBase,
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

/** The events of a session, in the order in which they came. */
export async function listSessionEvents(
  orgId: OrgId,
  client: pg.ClientBase,
  sessionId: string,
): Promise<StoredPageEvent[]> {
  const result = await client.query<StoredPageEvent>(
    `select type, at, sealed_target as "sealedTarget", server_at as "serverAt" from click.session_event
     where organization_id = $1 and session_id = $2 order by position`,
    [orgId, sessionId],
  );
  return result.rows;
}
