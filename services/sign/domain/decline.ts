import type { Agreement } from "./agreement.ts";
import type { Change, DecisionContext } from "./change.ts";
import { changeTo } from "./change-list.ts";
import { firstCharacters, storable } from "./free-text.ts";
import { endMails } from "./mails.ts";
import { auditNames, requireTurn, withRecipient } from "./recipients.ts";
import { withRecipientStatus, withStatus } from "./transitions.ts";

const maxReasonLength = 500;

/** A recipient refuses, which ends the agreement for everybody. */
export function declineAgreement(
  agreement: Agreement,
  recipientId: string,
  { reason }: { reason: string },
  { now, actor }: DecisionContext,
): Change {
  const recipient = requireTurn(agreement, recipientId);
  const declineReason = firstCharacters(storable(reason), maxReasonLength);
  const tabs = recipient.tabs.map((tab) => ({ ...tab, status: "declined" as const }));
  const declined = { ...withRecipientStatus(recipient, "declined", now), declineReason, tabs };
  const ended = withStatus(withRecipient(agreement, declined, now), "declined", now);
  return changeTo(ended, {
    audit: [
      { action: "recipient.declined", actor, details: { ...auditNames(recipient), reason: declineReason } },
      { action: "agreement.declined", actor },
    ],
    events: [
      { kind: "recipient.declined", recipientId },
      { kind: "agreement.declined", recipientId, reason: declineReason },
    ],
    jobs: endMails("declined", ended),
  });
}
