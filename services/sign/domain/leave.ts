import type { Agreement } from "./agreement.ts";
import type { Change, DecisionContext } from "./change.ts";
import { changeTo } from "./change-list.ts";
import { auditNames, requireTurn, withRecipient } from "./recipients.ts";
import { keepValues, type TabValues } from "./tab-values.ts";

/** A recipient goes on later; the values so far are kept, whether they would do or not. */
export function leaveAgreement(
  agreement: Agreement,
  recipientId: string,
  { values }: { values: TabValues },
  { now, actor }: DecisionContext,
): Change {
  const recipient = requireTurn(agreement, recipientId);
  const tabs = keepValues(recipient.tabs, values);
  return changeTo(withRecipient(agreement, { ...recipient, tabs }, now), {
    audit: [{ action: "recipient.left", actor, details: auditNames(recipient) }],
    events: [{ kind: "recipient.left", recipientId }],
  });
}
