import type pg from "pg";
import { auditActor, auditRecord } from "#api/audit-actions.ts";
import type { Caller } from "#platform/caller.ts";
import { type Tenant, withOrg } from "#platform/db/pool.ts";
import type { NewId } from "#platform/ids.ts";
import { insertOutbox } from "#platform/outbox/outbox.ts";
import type { SigningKeys } from "../keys/signing-keys.ts";
import type { LeafPayload, LeafSigner } from "../log/leaf.ts";
import { appendLeaves } from "../log/log-store.ts";

/** The log leaf of an administrator's access to restricted records. */
export interface OpenedLeaf extends LeafPayload {
  readonly kind: "click.restricted.opened";
  /** The access's id. */
  readonly eid: string;
  readonly sid: string;
  readonly receipts: readonly string[];
  readonly openedAt: string;
}

export interface NoteOpeningDeps {
  /** Acts for one organization at a time. */
  readonly pool: pg.Pool;
  readonly leafSigner: LeafSigner;
  readonly receiptKeys: Pick<SigningKeys, "signingAt">;
  readonly issuer: string;
  readonly newId: NewId;
  wakeRelay(): void;
  wakeIntegrator(organizationId: string): void;
}

export interface Opening {
  readonly sessionId: string;
  readonly reason: string;
  readonly now: Date;
}

/**
 * Records who opens a session's restricted data, when and why, in a row and in the log, before anybody sees the
 * data. Returns false when nothing is restricted: then nothing is recorded and nothing may be opened.
 */
export async function noteOpening(
  deps: NoteOpeningDeps,
  caller: Caller,
  { sessionId, reason, now }: Opening,
): Promise<boolean> {
  const { pool, leafSigner, receiptKeys, issuer, newId, wakeIntegrator } = deps;
  const { orgId, clientId, requestId } = caller;
  // Load the keys now: a transaction that already holds a connection must not wait for another one.
  await receiptKeys.signingAt(now);
  const isNoted = await withOrg(pool, orgId, async (tenant) => {
    const restricted = await findRestricted(tenant, sessionId);
    if (!restricted.session && restricted.receiptIds.length === 0) return false;
    const id = newId();
    const payload: OpenedLeaf = {
      v: 1,
      kind: "click.restricted.opened",
      iss: issuer,
      org: orgId,
      eid: id,
      sid: sessionId,
      receipts: restricted.receiptIds,
      openedAt: now.toISOString(),
    };
    const leaves = await leafSigner.sign([{ recordId: id, payload }], now);
    await insertAccess(tenant, { id, sessionId, reason, clientId, requestId, accessedAt: now });
    const audited = { action: "restricted.opened", actor: auditActor(caller), targetId: sessionId } as const;
    await insertOutbox(tenant.client, "click", [auditRecord({ caller, eventId: id, now }, audited)]);
    await appendLeaves(tenant, leaves);
    return true;
  });
  if (isNoted) {
    deps.wakeRelay();
    wakeIntegrator(orgId);
  }
  return isNoted;
}

/** The restricted part of a session. */
interface RestrictedSession {
  readonly session: boolean;
  /** Its acceptances; for an acceptance without a session, itself. */
  readonly receiptIds: readonly string[];
}

async function findRestricted({ orgId, client }: Tenant, sessionId: string): Promise<RestrictedSession> {
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

/** An access to the restricted data of a session. */
interface RestrictedAccess {
  readonly id: string;
  readonly sessionId: string;
  readonly reason: string;
  readonly clientId: string;
  readonly requestId: string;
  readonly accessedAt: Date;
}

async function insertAccess({ orgId, client }: Tenant, access: RestrictedAccess): Promise<void> {
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
