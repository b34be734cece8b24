import { DomainError } from "#platform/errors.ts";
import { openAgreement, requireOpenable } from "../../domain/open.ts";
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

/** The session of somebody whom its agreement may be shown. Throws VIEW_URL_EXPIRED and RECIPIENT_NOT_IN_SEQUENCE. */
export async function requireShownSession(deps: ChangeDeps, sessionToken: string): Promise<SigningSession> {
  const session = await requireSession(deps, sessionToken);
  if (isOfRecipient(session) && session.view.seenAt === null) {
    try {
      requireOpenable(session.agreement, session.recipient.id);
    } catch (error) {
      throw asEnded(error, session);
    }
  }
  return session;
}

/** The session of a recipient who acts; one of a sender is as unknown. Throws what requireShownSession does. */
export async function requireRecipientSession(deps: ChangeDeps, sessionToken: string): Promise<RecipientSession> {
  const session = await requireShownSession(deps, sessionToken);
  if (!isOfRecipient(session)) throw viewExpired();
  return session;
}

/**
 * Notes that a document is being sent to the person of the session. The first time counts as opening the agreement: it is
 * what we see ourselves. Following the link does not, because programs that check mails follow links too, nor does
 * consenting, which says nothing of the documents. What opening comes to and that it has happened are one transaction, so
 * that it happens once. Throws VIEW_URL_EXPIRED.
 */
export async function noteOpened(deps: ChangeDeps, session: SigningSession, visitor: Visit): Promise<void> {
  if (!isOfRecipient(session) || session.view.seenAt !== null) return;
  const { orgId, view, agreement, recipient } = session;
  const decision = signerContext(deps, recipient, visitor);
  const target = { id: agreement.id, isTemplate: false };
  try {
    await changeAgreement(
      deps,
      callerOfVisit(session, visitor),
      target,
      (current) => openAgreement(current, recipient.id, decision),
      new Map(),
      async (client) => {
        if (!(await noteSeen(orgId, client, view.tokenHash, decision.now))) throw new SeenError();
      },
    );
  } catch (error) {
    // Another document was sent at the same time.
    if (!(error instanceof SeenError)) throw asEnded(error, session);
  }
}

const isOfRecipient = (session: SigningSession): session is RecipientSession =>
  session.agreement !== undefined && session.recipient !== undefined;

/** The agreement has ended, and the session with it. */
const asEnded = (error: unknown, { view }: SigningSession): unknown =>
  error instanceof DomainError && endings.has(error.code) ? viewExpired(view) : error;

const endings: ReadonlySet<string> = new Set(["INVALID_ENVELOPE_STATUS", "ENVELOPE_NOT_FOUND", "RECIPIENT_NOT_FOUND"]);

class SeenError extends Error {}
