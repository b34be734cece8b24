import type { Caller } from "#platform/caller.ts";
import { inTransaction } from "#platform/db/transaction.ts";
import { linkExpiry, type View } from "../domain/view.ts";
import { newViewToken, viewTokenHash } from "../domain/view-token.ts";
import { insertView } from "../store/view-store.ts";
import type { SignDeps } from "./deps.ts";

type NewView = Pick<View, "kind" | "agreementId" | "recipientId" | "returnUrl" | "frameAncestors"> & {
  /** Whether it may be opened as often as somebody likes; once when absent. */
  readonly isReusable?: boolean;
};

/** Makes a link. Its token is known to nobody but the caller. */
export async function createLink(
  { pool, clock }: Pick<SignDeps, "pool" | "clock">,
  { orgId, clientId }: Pick<Caller, "orgId" | "clientId">,
  { isReusable = false, ...view }: NewView,
): Promise<{ readonly token: string; readonly expiresAt: Date }> {
  const token = newViewToken(orgId);
  const createdAt = clock.now();
  const expiresAt = linkExpiry(createdAt, isReusable);
  const row = { ...view, isReusable, tokenHash: viewTokenHash(token), createdBy: clientId, createdAt, expiresAt };
  await inTransaction(orgId, pool, (client) => insertView(orgId, client, row));
  return { token, expiresAt };
}
