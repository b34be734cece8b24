import type { Agreement } from "./agreement.ts";
import type { Change, DecisionContext } from "./change.ts";
import { changeTo, noChange } from "./change-list.ts";
import type { ConsentText } from "./consent-text.ts";
import { auditNames, requireTurn, withRecipient } from "./recipients.ts";

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
