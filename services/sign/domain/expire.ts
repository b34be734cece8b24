import type { Agreement } from "./agreement.ts";
import type { Change, DecisionContext } from "./change.ts";
import { changeTo, noChange } from "./change-list.ts";
import { endMails } from "./mails.ts";
import { isOpen, withStatus } from "./transitions.ts";

/** Does what an expiry job is for; nothing when the agreement is over or has time left. */
export function expireWhenDue(agreement: Agreement, { now, actor }: DecisionContext): Change {
  const { expiresAt } = agreement;
  if (!isOpen(agreement) || expiresAt === null || expiresAt > now) return noChange(agreement);
  const voidedReason = `The agreement was not finished by ${expiresAt.toISOString()} and has expired.`;
  const expired = { ...withStatus(agreement, "expired", now), voidedReason };
  return changeTo(expired, {
    audit: [{ action: "agreement.expired", actor, details: { reason: voidedReason } }],
    events: [{ kind: "agreement.expired" }],
    jobs: endMails("expired", expired),
  });
}
