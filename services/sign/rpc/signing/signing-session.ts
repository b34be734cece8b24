import type { Caller } from "#platform/caller.ts";
import { inTransaction } from "#platform/db/transaction.ts";
import { DomainError } from "#platform/errors.ts";
import type { OrgId } from "#platform/ids.ts";
import type { Agreement, Recipient } from "../../domain/agreement.ts";
import { requireRecipient } from "../../domain/recipients.ts";
import { type ReturnEvent, withEvent } from "../../domain/return-url.ts";
import { extendedExpiry, isOfAgreement, isSessionOpen, sessionExpiry, type View } from "../../domain/view.ts";
import { parseViewToken } from "../../domain/view-token.ts";
import { loadAgreement } from "../../store/agreement-store.ts";
import { endSession, extendSession, findSession } from "../../store/view-store.ts";
import type { SignDeps } from "../deps.ts";

/** What a person who has opened a link may do, and with what. */
export interface SigningSession {
  readonly orgId: OrgId;
  readonly view: View;
  /** Until when it lives if it is not used again. */
  readonly expiresAt: Date;
  /** Undefined for a sender who looks at no agreement. */
  readonly agreement: Agreement | undefined;
  /** Undefined in the views of senders. */
  readonly recipient: Recipient | undefined;
}

/** A session of a recipient. */
export interface RecipientSession extends SigningSession {
  readonly agreement: Agreement;
  readonly recipient: Recipient;
}

type SessionDeps = Pick<SignDeps, "pool" | "clock">;

/** The session of this token, which lives longer for being used. Throws VIEW_URL_EXPIRED. */
export async function requireSession(deps: SessionDeps, sessionToken: string): Promise<SigningSession> {
  const token = parseViewToken(sessionToken);
  if (token === undefined) throw viewExpired();
  const { orgId, hash } = token;
  const now = deps.clock.now();
  return inTransaction(orgId, deps.pool, async (client) => {
    const view = await findSession(orgId, client, hash);
    if (view === undefined) throw viewExpired();
    if (!isSessionOpen(view, now)) throw viewExpired(view, view.endedAt === null ? "session_timeout" : "ttl_expired");
    const agreement = view.agreementId === null ? undefined : await loadAgreement(client, orgId, view.agreementId);
    // Drafts may be deleted while somebody looks at them.
    if (view.agreementId !== null && (agreement === undefined || !isOfAgreement(view, agreement))) {
      throw viewExpired(view);
    }
    const extended = extendedExpiry(view, now);
    if (extended !== undefined) await extendSession(orgId, client, view.tokenHash, extended);
    const expiresAt = extended ?? view.sessionExpiresAt ?? sessionExpiry(now);
    return { orgId, view, expiresAt, agreement, recipient: recipientOf(view, agreement) };
  });
}

/** Ends the session; what was done in it stays done. True for the call that ended it. */
export const closeSession = (deps: SessionDeps, { orgId, view }: SigningSession): Promise<boolean> =>
  inTransaction(orgId, deps.pool, (client) => endSession(orgId, client, view.tokenHash, deps.clock.now()));

/** The answer to links and sessions that are used, old or unknown; it leads back to where the link was asked for. */
export function viewExpired(view?: View, event: ReturnEvent = "ttl_expired"): DomainError {
  const isKnown = view !== undefined && view.returnUrl !== "";
  const metadata = isKnown ? { returnUrl: withEvent(view.returnUrl, event), event } : {};
  return new DomainError("VIEW_URL_EXPIRED", { metadata });
}

export const recipientOf = ({ recipientId }: View, agreement: Agreement | undefined): Recipient | undefined =>
  recipientId === null || agreement === undefined ? undefined : requireRecipient(agreement, recipientId);

/** Who opened the link, as far as events tell. */
export const callerOfVisit = (
  { orgId }: Pick<SigningSession, "orgId">,
  visitor: { readonly requestId: string; readonly traceparent: string } | undefined,
): Pick<Caller, "orgId" | "requestId" | "traceparent"> => ({
  orgId,
  requestId: visitor?.requestId ?? "",
  traceparent: visitor?.traceparent ?? "",
});
