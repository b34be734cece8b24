import type { Agreement } from "./agreement.ts";
import type { Change, DecisionContext } from "./change.ts";
import { changeTo, noChange } from "./change-list.ts";
import { auditNames, requireTurn, withRecipient } from "./recipients.ts";

/** What a person was shown before they agreed to electronic records. */
export interface ShownConsent {
  /** Of the text. */
  readonly textSha256: Uint8Array;
  readonly locale: string;
}

/** Records the consent to electronic records, once. */
export function giveConsent(
  agreement: Agreement,
  recipientId: string,
  { textSha256, locale }: ShownConsent,
  { now, actor }: DecisionContext,
): Change {
  const recipient = requireTurn(agreement, recipientId);
  if (recipient.consentedAt !== null) return noChange(agreement);
  const shown = { textSha256: Buffer.from(textSha256).toString("hex"), locale };
  return changeTo(withRecipient(agreement, { ...recipient, consentedAt: now }, now), {
    audit: [{ action: "recipient.consented", actor, details: { ...auditNames(recipient), ...shown } }],
  });
}
