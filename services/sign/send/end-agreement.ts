import type { Agreement } from "../agreement/agreement.ts";
import { type Change, changeTo, type DecisionContext, noChange } from "../agreement/change.ts";
import { firstCharacters, invalid, problem, requireModifiable, storable } from "../agreement/problems.ts";
import { invalidStatus, isOpen, withStatus } from "../agreement/transitions.ts";
import { expiryNotice } from "../notices/notices.ts";
import { expiryWarningAt, followUpJobs } from "./follow-up-jobs.ts";
import { endMails, expiryWarnings } from "./mails.ts";

const maxReasonLength = 200;

/** Voids an agreement that has been sent. */
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

/** Expires an agreement when it is due; waits on when a correction has given it more time. */
export function expireWhenDue(agreement: Agreement, { now, actor }: DecisionContext): Change {
  const { expiresAt } = agreement;
  if (!isOverdue(agreement, now) || expiresAt === null) {
    return changeTo(agreement, { jobs: isOpen(agreement) ? followUpJobs.expiry(agreement) : [] });
  }
  const voidedReason = `The agreement was not finished by ${expiresAt.toISOString()} and has expired.`;
  const expired = { ...withStatus(agreement, "expired", now), voidedReason };
  return changeTo(expired, {
    audit: [{ action: "agreement.expired", actor, details: { reason: voidedReason } }],
    events: [{ kind: "agreement.expired" }],
    jobs: endMails("expired", expired),
  });
}

/** Whether its time for signing is over. */
export const isOverdue = (agreement: Agreement, now: Date): boolean =>
  isOpen(agreement) && agreement.expiresAt !== null && agreement.expiresAt <= now;

/**
 * Sends the expiry warning when it is due; does nothing when the agreement has ended or it is too late, and waits on when
 * it is too early.
 */
export function warnWhenDue(agreement: Agreement, { now }: DecisionContext): Change {
  const { expiresAt } = agreement;
  const warnAt = expiryWarningAt(agreement);
  const isDue = warnAt !== null && warnAt <= now && expiresAt !== null && now < expiresAt;
  if (!isOpen(agreement)) return noChange(agreement);
  if (!isDue) {
    return changeTo(agreement, { jobs: warnAt !== null && warnAt > now ? followUpJobs.expiryWarning(agreement) : [] });
  }
  return changeTo(agreement, { jobs: [...expiryWarnings(agreement), expiryNotice(agreement, now)] });
}

/** Deletes a draft or template: on this event the store marks it and releases its bytes. */
export function deleteAgreement(agreement: Agreement, { actor, now }: DecisionContext): Change {
  requireModifiable(agreement);
  return {
    agreement: { ...agreement, modifiedAt: now },
    audit: [{ action: "agreement.deleted", actor }],
    events: [{ kind: agreement.status === "template" ? "template.deleted" : "agreement.deleted" }],
    jobs: [],
  };
}
