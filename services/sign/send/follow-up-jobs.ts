import type { Agreement } from "../agreement/agreement.ts";
import type { JobKind, JobRequest } from "../agreement/change.ts";
import { expiryWarningAt } from "./end-agreement.ts";

/** The work that follows from what happens to an agreement: for each kind one job at a time, named after the agreement. */
export const followUpJobs = {
  /** Seals the documents. */
  completion: (agreement: Agreement, now: Date): JobRequest[] => [request("completion", agreement, now)],
  /** Enters the head of the trail of a completed agreement into the evidence log of the organization. */
  evidence: (agreement: Agreement, now: Date): JobRequest[] => [request("evidence", agreement, now)],
  /** Ends the agreement when it is not finished in time. */
  expiry: (agreement: Agreement): JobRequest[] =>
    agreement.expiresAt === null ? [] : [request("expiry", agreement, agreement.expiresAt)],
  /** Tells that it will end. */
  expiryWarning: (agreement: Agreement): JobRequest[] => {
    const warnAt = expiryWarningAt(agreement);
    return warnAt === null ? [] : [request("expiry-warning", agreement, warnAt)];
  },
  /** Asks again. */
  reminder: (agreement: Agreement): JobRequest[] =>
    agreement.remindAt === null ? [] : [request("reminder", agreement, agreement.remindAt)],
} as const;

const request = (kind: JobKind, { id }: Agreement, runAt: Date): JobRequest => ({
  kind,
  key: id,
  runAt,
  payload: { agreementId: id },
});
