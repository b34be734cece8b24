import type { SendAgreementRequest } from "#gen/assent/sign/v1/sign_pb.ts";
import type { Caller } from "#platform/caller.ts";
import type { Agreement } from "../agreement/agreement.ts";
import { type Change, changeTo, type DecisionContext, noChange } from "../agreement/change.ts";
import type { CallerContext, KeyedAgreement } from "../agreement/change-agreement.ts";
import { decisionContext, findEarlier, keyedRequest, waitingCaller } from "../agreement/context.ts";
import { agreementMessage } from "../agreement/messages.ts";
import { auditNames, isActing } from "../agreement/recipients.ts";
import { daysAfter, invalidStatus, isOpen } from "../agreement/transitions.ts";
import { parseDefinition } from "../create/input.ts";
import type { SignDeps, SignRpcs } from "../deps.ts";
import { followUpJobs } from "./follow-up-jobs.ts";
import { reminders } from "./mails.ts";
import { sendDraft } from "./send-draft.ts";

export const sendAgreement = (deps: SignDeps): SignRpcs<"sendAgreement"> => ({
  async sendAgreement(request, context) {
    const caller = waitingCaller(context);
    const earlier = await findEarlier(deps, caller, keyedRequest(request), false);
    const { agreement, replayed } = earlier ?? (await send(deps, caller, request));
    return { agreement: agreementMessage(agreement, caller.orgId), replayed };
  },
});

async function send(
  deps: SignDeps,
  caller: Caller & CallerContext,
  request: SendAgreementRequest,
): Promise<KeyedAgreement> {
  const { agreementId, changes, observed } = request;
  await deps.organizations.of(caller.orgId);
  const command = {
    agreementId,
    ...(changes === undefined ? {} : { changes: () => parseDefinition(changes) }),
    idempotency: keyedRequest(request),
  };
  return sendDraft(deps, caller, command, decisionContext(deps, caller, observed));
}

/** Reminds the recipients whose turn it is. */
export function remindAgreement(agreement: Agreement, context: DecisionContext): Change {
  if (!isOpen(agreement)) throw invalidStatus(agreement, "remind");
  // While it is paused there is nobody to remind.
  return agreement.recipients.some(isActing) ? remind(agreement, context) : noChange(agreement);
}

/** Sends the scheduled reminder; waits on when a correction has put it off, and does nothing when the agreement has ended. */
export function remindWhenDue(agreement: Agreement, context: DecisionContext): Change {
  const { remindAt, notification } = agreement;
  if (!isOpen(agreement) || remindAt === null) return noChange(agreement);
  if (remindAt > context.now) return changeTo(agreement, { jobs: followUpJobs.reminder(agreement) });
  const { reminderFrequency } = notification;
  const isAnybodyActing = agreement.recipients.some(isActing);
  // While it is paused the reminder is put off, a single one too.
  const next = reminderFrequency === 0 && isAnybodyActing ? null : daysAfter(context.now, reminderFrequency);
  const reminded = { ...agreement, remindAt: next };
  if (!isAnybodyActing) return changeTo(reminded, { jobs: followUpJobs.reminder(reminded) });
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
