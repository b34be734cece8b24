import type { Agreement } from "../agreement/agreement.ts";
import { type Change, changeTo, type DecisionContext, noChange } from "../agreement/change.ts";
import { auditNames, withRecipient } from "../agreement/recipients.ts";
import type { MailKind } from "../send/mails.ts";

/** Why a mail has not reached its recipient; the reason is ours, because what servers say often has the address. */
interface Undelivered {
  readonly recipientId: string;
  readonly mail: MailKind;
  readonly reason: string;
}

/**
 * Marks the recipient and tells of it, once. Each mail that no server has taken is in the trail; a report on one that
 * came back may be sent again and again.
 */
export function noteUndelivered(
  agreement: Agreement,
  { recipientId, mail, reason }: Undelivered,
  { now, actor }: DecisionContext,
  { again }: { readonly again: boolean },
): Change {
  const recipient = agreement.recipients.find(({ id }) => id === recipientId);
  // Nobody to tell of: the person was erased.
  if (recipient === undefined || recipient.email + recipient.hostEmail === "") return noChange(agreement);
  const isKnown = recipient.deliveryFailedAt !== null;
  if (isKnown && !again) return noChange(agreement);
  const audit = [
    { action: "recipient.mail-failed" as const, actor, details: { ...auditNames(recipient), mail, reason } },
  ];
  if (isKnown) return changeTo(agreement, { audit });
  const marked = { ...recipient, deliveryFailedAt: now, deliveryFailedReason: reason };
  return changeTo(withRecipient(agreement, marked, now), {
    audit,
    events: [{ kind: "recipient.undelivered", recipientId }],
  });
}
