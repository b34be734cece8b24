import { DomainError } from "#platform/errors.ts";
import { openAgreement } from "../../domain/open.ts";
import { requireRecipient } from "../../domain/recipients.ts";
import { type ChangeDeps, changeAgreement } from "../../store/change-agreement.ts";
import { noteSeen } from "../../store/view-store.ts";
import {
  callerOfVisit,
  type RecipientSession,
  requireSession,
  type SigningSession,
  viewExpired,
} from "./signing-session.ts";
import { signerContext } from "./visitor-context.ts";

type Visit = Parameters<typeof callerOfVisit>[1] & Parameters<typeof signerContext>[2];

/**
 * The session of somebody who is shown its agreement. The first time counts as opening it: following the link does not,
 * because programs that check mails follow links too. Throws VIEW_URL_EXPIRED.
 */
export async function requireShownSession(
  deps: ChangeDeps,
  sessionToken: string,
  visitor: Visit,
): Promise<SigningSession> {
  const session = await requireSession(deps, sessionToken);
  if (!isOfRecipient(session) || session.view.seenAt !== null) return session;
  try {
    return await show(deps, session, visitor);
  } catch (error) {
    // Somebody has shown it at the same time: the session is as that has left it.
    if (error instanceof SeenError) return requireSession(deps, sessionToken);
    // It ended between the two transactions: the session with it.
    if (error instanceof DomainError && endings.has(error.code)) throw viewExpired(session.view);
    throw error;
  }
}

/** The session of a recipient who acts, and so has seen the agreement; one of a sender is as unknown. Throws VIEW_URL_EXPIRED. */
export async function requireRecipientSession(
  deps: ChangeDeps,
  sessionToken: string,
  visitor: Visit,
): Promise<RecipientSession> {
  const session = await requireShownSession(deps, sessionToken, visitor);
  if (!isOfRecipient(session)) throw viewExpired();
  return session;
}

const isOfRecipient = (session: SigningSession): session is RecipientSession =>
  session.agreement !== undefined && session.recipient !== undefined;

/** What opening comes to and that it has happened are one transaction, so that it happens once. */
async function show(deps: ChangeDeps, session: RecipientSession, visitor: Visit): Promise<RecipientSession> {
  const { orgId, view, agreement, recipient } = session;
  const decision = signerContext(deps, recipient, visitor);
  const opened = await changeAgreement(
    deps,
    callerOfVisit(session, visitor),
    { id: agreement.id, isTemplate: false },
    (current) => openAgreement(current, recipient.id, decision),
    new Map(),
    async (client) => {
      if (!(await noteSeen(orgId, client, view.tokenHash, decision.now))) throw new SeenError();
    },
  );
  return { ...session, agreement: opened, recipient: requireRecipient(opened, recipient.id) };
}

const endings: ReadonlySet<string> = new Set(["INVALID_ENVELOPE_STATUS", "ENVELOPE_NOT_FOUND", "RECIPIENT_NOT_FOUND"]);

class SeenError extends Error {}
