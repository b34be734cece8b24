import type { Agreement, CheckMethod, Recipient } from "../agreement/agreement.ts";
import { type Change, changeTo, type DecisionContext, noChange } from "../agreement/change.ts";
import { firstCharacters, storable } from "../agreement/problems.ts";
import { auditNames, requireRecipient, requireTurn, withRecipient } from "../agreement/recipients.ts";
import { withRecipientStatus, withStatus } from "../agreement/transitions.ts";
import { shownTo } from "../agreement/visibility.ts";
import { endMails } from "../send/mails.ts";
import type { ConsentText } from "./consent-text.ts";

/**
 * What a recipient sees of an agreement: the own tabs and those that are shared; of the others who they are and how far
 * they are. What the integration keeps for itself is left out.
 */
export function seenByRecipient(agreement: Agreement, recipientId: string): Agreement {
  const documents = shownTo(agreement, requireRecipient(agreement, recipientId));
  const shownIds = new Set(documents.map(({ documentId }) => documentId));
  return {
    ...withoutPrivate(agreement),
    documents,
    sender: { ...agreement.sender, id: "" },
    customFields: agreement.customFields.filter(({ show }) => show),
    recipients: agreement.recipients.map((recipient) =>
      recipient.id === recipientId
        ? { ...recipient, clientUserId: "", excludedDocuments: [] }
        : seenByOthers(recipient, shownIds),
    ),
  };
}

/** What a person sees who sends it for the organization. */
export const seenBySender = (agreement: Agreement): Agreement => withoutPrivate(agreement);

const withoutPrivate = (agreement: Agreement): Agreement => ({
  ...agreement,
  metadata: null,
  subscription: null,
  transactionId: "",
});

const seenByOthers = (recipient: Recipient, shownIds: ReadonlySet<string>): Recipient => ({
  ...recipient,
  email: "",
  clientUserId: "",
  note: "",
  hostName: "",
  hostEmail: "",
  declineReason: "",
  deliveryFailedAt: null,
  deliveryFailedReason: "",
  excludedDocuments: [],
  tabs: recipient.tabs.filter(({ shared, documentId }) => shared && documentId !== null && shownIds.has(documentId)),
});

/** Records the consent to electronic records, once. */
export function giveConsent(
  agreement: Agreement,
  recipientId: string,
  { sha256, locale }: Pick<ConsentText, "sha256" | "locale">,
  { now, actor }: DecisionContext,
): Change {
  const recipient = requireTurn(agreement, recipientId);
  if (recipient.consentedAt !== null) return noChange(agreement);
  const shown = { textSha256: sha256.toString("hex"), locale };
  return changeTo(withRecipient(agreement, { ...recipient, consentedAt: now }, now), {
    audit: [{ action: "recipient.consented", actor, details: { ...auditNames(recipient), ...shown } }],
  });
}

/** A recipient chose to finish later. What they entered was saved as they made it (progress.ts). */
export function leaveAgreement(agreement: Agreement, recipientId: string, { actor }: DecisionContext): Change {
  const recipient = requireTurn(agreement, recipientId);
  return changeTo(agreement, {
    audit: [{ action: "recipient.left", actor, details: auditNames(recipient) }],
    events: [{ kind: "recipient.left", recipientId }],
  });
}

const maxReasonLength = 500;

/** A recipient refuses, which ends the agreement for everybody. */
export function declineAgreement(
  agreement: Agreement,
  recipientId: string,
  { reason, proven = [] }: { reason: string; proven?: readonly CheckMethod[] },
  { now, actor }: DecisionContext,
): Change {
  const recipient = requireTurn(agreement, recipientId);
  const verified = recipient.verification?.length ? { verified: [...proven] } : {};
  const declineReason = firstCharacters(storable(reason), maxReasonLength);
  const tabs = recipient.tabs.map((tab) => ({ ...tab, status: "declined" as const }));
  const declined = { ...withRecipientStatus(recipient, "declined", now), declineReason, tabs };
  const ended = withStatus(withRecipient(agreement, declined, now), "declined", now);
  return changeTo(ended, {
    audit: [
      {
        action: "recipient.declined",
        actor,
        details: { ...auditNames(recipient), reason: declineReason, ...verified },
      },
      { action: "agreement.declined", actor },
    ],
    events: [
      { kind: "recipient.declined", recipientId },
      { kind: "agreement.declined", recipientId },
    ],
    jobs: endMails("declined", ended),
  });
}
