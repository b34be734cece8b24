import type { Agreement } from "../agreement/agreement.ts";
import { type Change, changeTo, type DecisionContext, noChange } from "../agreement/change.ts";
import { auditNames, isActing } from "../agreement/recipients.ts";
import { daysAfter, invalidStatus, isOpen } from "../agreement/transitions.ts";
import { followUpJobs } from "./follow-up-jobs.ts";
import { reminders } from "./mails.ts";

/** Reminds the recipients whose turn it is. */
export function remindAgreement(agreement: Agreement, context: DecisionContext): Change {
  if (!isOpen(agreement)) throw invalidStatus(agreement, "remind");
  return remind(agreement, context);
}

/** Sends the scheduled reminder; does nothing when the agreement has ended or the reminder is not due. */
export function remindWhenDue(agreement: Agreement, context: DecisionContext): Change {
  const { remindAt, notification } = agreement;
  if (!isOpen(agreement) || remindAt === null || remindAt > context.now) return noChange(agreement);
  const { reminderFrequency } = notification;
  const next = reminderFrequency === 0 ? null : daysAfter(context.now, reminderFrequency);
  const reminded = { ...agreement, remindAt: next };
  const change = remind(reminded, context);
  return { ...change, jobs: [...followUpJobs.reminder(reminded), ...change.jobs] };
}

function remind(agreement: Agreement, { now, actor }: DecisionContext): Change {
  const recipients = agreement.recipients.filter(isActing).map(auditNames);
  const reminded = { ...agreement, modifiedAt: now };
  return changeTo(reminded, {
    audit: [{ action: "agreement.reminded", actor, details: { recipients } }],
    events: [{ kind: "agreement.resent" }],
    jobs: reminders(reminded),
  });
}
