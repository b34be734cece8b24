import type pg from "pg";
import type { Caller } from "#platform/caller.ts";
import { withOrg } from "#platform/db/pool.ts";
import type { NewId } from "#platform/ids.ts";
import type { SigningKeys } from "../keys/signing-keys.ts";
import type { LeafPayload, LeafSigner } from "../log/leaf.ts";
import { appendLeaves } from "../log/log-store.ts";
import { findRestricted, insertAccess } from "./restricted-access-store.ts";

/** What the log says of an administrator who opened restricted records. */
export interface OpenedLeaf extends LeafPayload {
  readonly kind: "click.restricted.opened";
  /** The access. */
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
  wakeIntegrator(organizationId: string): void;
}

export interface Opening {
  readonly sessionId: string;
  readonly reason: string;
  readonly now: Date;
}

/**
 * Notes who opens what is restricted of a session, when and why, in a row and in the log, before anybody gets to see it.
 * False when there is nothing restricted: then nothing is noted, and nothing may be opened.
 */
export async function noteOpening(
  deps: NoteOpeningDeps,
  { orgId, clientId, requestId }: Caller,
  { sessionId, reason, now }: Opening,
): Promise<boolean> {
  const { pool, leafSigner, receiptKeys, issuer, newId, wakeIntegrator } = deps;
  // Should the keys have to be read, then not by a transaction that holds a connection already.
  await receiptKeys.signingAt(now);
  const isNoted = await withOrg(pool, orgId, async (client) => {
    const restricted = await findRestricted(orgId, client, sessionId);
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
    await insertAccess(orgId, client, { id, sessionId, reason, clientId, requestId, accessedAt: now });
    await appendLeaves(orgId, client, leaves);
    return true;
  });
  if (isNoted) wakeIntegrator(orgId);
  return isNoted;
}
