import type pg from "pg";
import type { OrgId } from "#platform/ids.ts";

/** What is restricted of a session. */
export interface RestrictedSession {
  readonly session: boolean;
  /** Its acceptances, or the one that it is by itself. */
  readonly receiptIds: readonly string[];
}

export async function findRestricted(
  orgId: OrgId,
  client: pg.ClientBase,
  sessionId: string,
): Promise<RestrictedSession> {
  const { rows } = await client.query<{ id: string; isReceipt: boolean }>(
    `select r.id, r.is_receipt as "isReceipt"
     from (
       select receipt_id as id, true as is_receipt from click.acceptance
       where organization_id = $1 and session_id = $2
       union all
       select receipt_id, true from click.acceptance
       where organization_id = $1 and receipt_id = $2 and session_id is null and decision <> 'CONSENT'
       union all
       select id, false from click.session where organization_id = $1 and id = $2
     ) r
     join click.subject_key k on k.organization_id = $1 and k.record_id = r.id
     where k.restricted_until is not null order by r.id`,
    [orgId, sessionId],
  );
  return {
    session: rows.some(({ isReceipt }) => !isReceipt),
    receiptIds: rows.filter(({ isReceipt }) => isReceipt).map(({ id }) => id),
  };
}

/** That somebody opened what is restricted of a session. */
export interface RestrictedAccess {
  readonly id: string;
  readonly sessionId: string;
  readonly reason: string;
  readonly clientId: string;
  readonly requestId: string;
  readonly accessedAt: Date;
}

export async function insertAccess(orgId: OrgId, client: pg.ClientBase, access: RestrictedAccess): Promise<void> {
  await client.query(
    `insert into click.restricted_access (organization_id, id, session_id, reason, client_id, request_id, accessed_at)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [
      orgId,
      access.id,
      access.sessionId,
      access.reason,
      access.clientId,
      access.requestId,
      access.accessedAt.toISOString(),
    ],
  );
}
