import type { Agreement } from "../agreement/agreement.ts";
import type { JobKind, JobRequest } from "../agreement/change.ts";
import { daysBefore } from "../agreement/transitions.ts";

/** Follow-up jobs of an agreement: one of each kind at a time, keyed by the agreement. */
export const followUpJobs = {
  /** Seals the documents. */
  completion: (agreement: Agreement, now: Date): JobRequest[] => [request("completion", agreement, now)],
  /** Enters the trail head of a completed agreement into the organization's evidence log. */
  evidence: (agreement: Agreement, now: Date): JobRequest[] => [request("evidence", agreement, now)],
  /** Expires the agreement if it is not finished in time. */
  expiry: (agreement: Agreement): JobRequest[] =>
    agreement.expiresAt === null ? [] : [request("expiry", agreement, agreement.expiresAt)],
  /** Warns of the expiry. */
  expiryWarning: (agreement: Agreement): JobRequest[] => {
    const warnAt = expiryWarningAt(agreement);
    return warnAt === null ? [] : [request("expiry-warning", agreement, warnAt)];
  },
  /** Sends reminders. */
  reminder: (agreement: Agreement): JobRequest[] =>
    agreement.remindAt === null ? [] : [request("reminder", agreement, agreement.remindAt)],
  /** Goes on after a schedule or a pause. */
  resumption: (agreement: Agreement, at: Date): JobRequest[] => [request("resumption", agreement, at)],
} as const;

const request = (kind: JobKind, { id }: Agreement, runAt: Date): JobRequest => ({
  kind,
  key: id,
  runAt,
  payload: { agreementId: id },
});

/**
 * When to warn the recipients whose turn it is of the expiry; null when no warning is wanted or it would come
 * before sending.
 */
export function expiryWarningAt({ expiresAt, sentAt, notification }: Agreement): Date | null {
  const { expireWarn } = notification;
  if (expiresAt === null || sentAt === null || expireWarn < 1) return null;
  const at = daysBefore(expiresAt, expireWarn);
  return at > sentAt ? at : null;
}
