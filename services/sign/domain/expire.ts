import type { Agreement } from "./agreement.ts";
import type { Change, DecisionContext } from "./change.ts";
import { changeTo, noChange } from "./change-list.ts";
import { daysBefore } from "./days.ts";
import { endMails, expiryWarnings } from "./mails.ts";
import { isOpen, withStatus } from "./transitions.ts";

/** Does what an expiry job is for; nothing when the agreement is over or has time left. */
export function expireWhenDue(agreement: Agreement, { now, actor }: DecisionContext): Change {
  const { expiresAt } = agreement;
  if (!isOverdue(agreement, now) || expiresAt === null) return noChange(agreement);
  const voidedReason = `The agreement was not finished by ${expiresAt.toISOString()} and has expired.`;
  const expired = { ...withStatus(agreement, "expired", now), voidedReason };
  return changeTo(expired, {
    audit: [{ action: "agreement.expired", actor, details: { reason: voidedReason } }],
    events: [{ kind: "agreement.expired" }],
    jobs: endMails("expired", expired),
  });
}

/** Whether it should have been finished by now. */
export const isOverdue = (agreement: Agreement, now: Date): boolean =>
  isOpen(agreement) && agreement.expiresAt !== null && agreement.expiresAt <= now;

/** When those whose turn it is then are told that the time is running out; null when nobody wants that, or it would be no news. */
export function expiryWarningAt({ expiresAt, sentAt, notification }: Agreement): Date | null {
  const { expireWarn } = notification;
  if (expiresAt === null || sentAt === null || expireWarn < 1) return null;
  const at = daysBefore(expiresAt, expireWarn);
  return at > sentAt ? at : null;
}

/** Does what a warning job is for; nothing when the agreement is over, the time has not come or is over already. */
export function warnWhenDue(agreement: Agreement, { now }: DecisionContext): Change {
  const { expiresAt } = agreement;
  const warnAt = expiryWarningAt(agreement);
  const isDue = warnAt !== null && warnAt <= now && expiresAt !== null && now < expiresAt;
  return isOpen(agreement) && isDue ? changeTo(agreement, { jobs: expiryWarnings(agreement) }) : noChange(agreement);
}
