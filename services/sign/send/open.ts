import { DomainError } from "#platform/errors.ts";
import type { Agreement, Recipient } from "../agreement/agreement.ts";
import { type Change, changeTo, type DecisionContext, noChange, thenChange } from "../agreement/change.ts";
import { auditNames, isActing, requireRecipient, withRecipient } from "../agreement/recipients.ts";
import { invalidStatus, isOpen, withRecipientStatus, withStatus } from "../agreement/transitions.ts";
import { routeOn } from "./route.ts";

/**
 * Records that a recipient has been sent a document. The first time counts as delivery, which is all a
 * certified delivery requires. Recipients who have finished may look again, even after completion.
 */
export function openAgreement(agreement: Agreement, recipientId: string, context: DecisionContext): Change {
  const recipient = requireOpenable(agreement, recipientId);
  if (isFinished(agreement)) return noChange(agreement);
  const looked = changeTo(reached(agreement, recipient, context), {
    audit: [{ action: "recipient.opened", actor: context.actor, details: auditNames(recipient) }],
  });
  if (recipient.status !== "sent") return looked;
  const delivered = thenChange(looked, (opened) => deliver(opened, recipient, context));
  return recipient.role === "certified-delivery"
    ? thenChange(delivered, (opened) => completeByLooking(opened, recipientId, context))
    : delivered;
}

/**
 * Checks that the agreement may be shown to the recipient. Throws INVALID_ENVELOPE_STATUS and
 * RECIPIENT_NOT_IN_SEQUENCE.
 */
export function requireOpenable(agreement: Agreement, recipientId: string): Recipient {
  const recipient = requireRecipient(agreement, recipientId);
  if (isFinished(agreement)) return recipient;
  if (!isOpen(agreement)) throw invalidStatus(agreement);
  if (recipient.status === "created") throw new DomainError("RECIPIENT_NOT_IN_SEQUENCE");
  return recipient;
}

const isFinished = ({ status }: Agreement): boolean => status === "completing" || status === "completed";

/** A mail that came back since the person opened the agreement before matters no more. */
const reached = (agreement: Agreement, recipient: Recipient, { now }: DecisionContext): Agreement =>
  recipient.deliveryFailedAt === null
    ? agreement
    : withRecipient(agreement, { ...recipient, deliveryFailedAt: null, deliveryFailedReason: "" }, now);

function deliver(agreement: Agreement, recipient: Recipient, { now, actor }: DecisionContext): Change {
  const opened = withRecipient(agreement, withRecipientStatus(recipient, "delivered", now), now);
  const noted = changeTo(opened, { events: [{ kind: "recipient.delivered", recipientId: recipient.id }] });
  return thenChange(noted, (next) => deliverWhenOpened(next, { now, actor }));
}

/** Everyone whose turn it is has opened it: the last one just has, or a correction has removed those who had not. */
export function deliverWhenOpened(
  agreement: Agreement,
  { now, actor }: Pick<DecisionContext, "now" | "actor">,
): Change {
  const acting = agreement.recipients.filter(isActing);
  const isOpened = acting.length > 0 && acting.every(({ status }) => status === "delivered");
  if (agreement.status !== "sent" || !isOpened) return noChange(agreement);
  return changeTo(withStatus(agreement, "delivered", now), {
    audit: [{ action: "agreement.delivered", actor }],
    events: [{ kind: "agreement.delivered" }],
  });
}

function completeByLooking(agreement: Agreement, recipientId: string, context: DecisionContext): Change {
  const { now, actor } = context;
  const recipient = requireRecipient(agreement, recipientId);
  const completed = withRecipient(agreement, withRecipientStatus(recipient, "completed", now), now);
  const viewed = changeTo(completed, {
    audit: [{ action: "recipient.viewed", actor, details: auditNames(recipient) }],
    events: [{ kind: "recipient.completed", recipientId }],
  });
  return thenChange(viewed, (left) => routeOn(left, context));
}
