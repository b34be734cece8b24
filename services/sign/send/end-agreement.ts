import type { Agreement } from "../agreement/agreement.ts";
import { type Change, changeTo, type DecisionContext, noChange } from "../agreement/change.ts";
import { firstCharacters, invalid, problem, requireModifiable, storable } from "../agreement/problems.ts";
import { daysBefore, invalidStatus, isOpen, withStatus } from "../agreement/transitions.ts";
import { endMails, expiryWarnings } from "./mails.ts";

const maxReasonLength = 200;

/** Ends an agreement that people have been asked to sign. */
export function voidAgreement(agreement: Agreement, { reason }: { reason: string }, context: DecisionContext): Change {
  if (!isOpen(agreement)) throw invalidStatus(agreement, "void");
  if (reason.trim() === "") {
    throw invalid(problem("voidedReason", "REQUIRED", "must be specified when an agreement is voided"));
  }
  const voidedReason = firstCharacters(storable(reason), maxReasonLength);
  const { now, actor } = context;
  const voided = { ...withStatus(agreement, "voided", now), voidedReason };
  return changeTo(voided, {
    audit: [{ action: "agreement.voided", actor, details: { reason: voidedReason } }],
    events: [{ kind: "agreement.voided" }],
    jobs: endMails("voided", voided),
  });
}

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

/** Deletes a draft or a template: the store marks it when it sees the event, and lets go of its bytes. */
export function deleteAgreement(agreement: Agreement, { actor, now }: DecisionContext): Change {
  requireModifiable(agreement);
  return {
    agreement: { ...agreement, modifiedAt: now },
    audit: [{ action: "agreement.deleted", actor }],
    events: [{ kind: agreement.status === "template" ? "template.deleted" : "agreement.deleted" }],
    jobs: [],
  };
}
