import type { ResumeAgreementRequest } from "#gen/assent/sign/v1/sign_pb.ts";
import type { Caller } from "#platform/caller.ts";
import { DomainError } from "#platform/errors.ts";
import type { Agreement } from "../agreement/agreement.ts";
import { type Change, changeTo, type DecisionContext, noChange, thenChange } from "../agreement/change.ts";
import { type CallerContext, changeWithKey, type KeyedAgreement } from "../agreement/change-agreement.ts";
import { agreementTarget, decisionContext, findEarlier, keyedRequest, waitingCaller } from "../agreement/context.ts";
import { agreementMessage } from "../agreement/messages.ts";
import { invalidStatus } from "../agreement/transitions.ts";
import type { Paused, Workflow } from "../agreement/workflow.ts";
import type { SignDeps, SignRpcs } from "../deps.ts";
import { isOverdue } from "../send/end-agreement.ts";
import { followUpJobs } from "../send/follow-up-jobs.ts";
import { routeOn } from "../send/route.ts";
import { beginSending } from "../send/send.ts";
import { pausedOf } from "./hold.ts";

export const resumeAgreement = (deps: SignDeps): SignRpcs<"resumeAgreement"> => ({
  async resumeAgreement(request, context) {
    const caller = waitingCaller(context);
    const earlier = await findEarlier(deps, caller, keyedRequest(request), false);
    const { agreement, replayed } = earlier ?? (await resume(deps, caller, request));
    return { agreement: agreementMessage(agreement, caller.orgId), replayed };
  },
});

async function resume(
  deps: SignDeps,
  caller: Caller & CallerContext,
  request: ResumeAgreementRequest,
): Promise<KeyedAgreement> {
  await deps.organizations.of(caller.orgId);
  const context = decisionContext(deps, caller, request.observed);
  const target = agreementTarget(request.agreementId);
  return changeWithKey(deps, caller, target, (current) => resumePaused(current, context), {
    idempotency: keyedRequest(request),
  });
}

/** Goes on before its time, or with what has none. Throws INVALID_ENVELOPE_STATUS unless it waits. */
export function resumePaused(agreement: Agreement, context: DecisionContext): Change {
  const paused = pausedOf(agreement);
  if (paused === undefined || isOverdue(agreement, context.now)) throw notPaused(agreement);
  return goOn(agreement, paused, context);
}

const notPaused = (agreement: Agreement): DomainError => {
  const { message, metadata } = invalidStatus(agreement, "resume");
  const isEnded = pausedOf(agreement) !== undefined || !["sent", "delivered"].includes(agreement.status);
  return new DomainError("INVALID_ENVELOPE_STATUS", {
    message: isEnded ? message : "The agreement is neither scheduled nor paused.",
    metadata,
  });
};

/** Goes on when its time has come; waits on when that is later, and does nothing when it does not wait for a time. */
export function resumeWhenDue(agreement: Agreement, context: DecisionContext): Change {
  const paused = pausedOf(agreement);
  if (paused === undefined || paused.until === null || isOverdue(agreement, context.now)) return noChange(agreement);
  const until = new Date(paused.until);
  if (until > context.now) return changeTo(agreement, { jobs: followUpJobs.resumption(agreement, until) });
  return goOn(agreement, paused, context);
}

function goOn(agreement: Agreement, paused: Paused, context: DecisionContext): Change {
  const { now, actor } = context;
  const resumed = { ...agreement, workflow: withoutPause(agreement.workflow, paused, now), modifiedAt: now };
  const { reason, beforeRoutingOrder } = paused;
  const isByItself = reason === "scheduled" && actor.source === "system";
  const noted = changeTo(resumed, {
    // That a schedule comes true needs no word besides that it is sent.
    audit: isByItself ? [] : [{ action: "agreement.resumed", actor, details: { reason, beforeRoutingOrder } }],
  });
  const begun = reason === "scheduled" ? thenChange(noted, (one) => beginSending(one, context)) : noted;
  return thenChange(begun, (one) => routeOn(one, context));
}

function withoutPause(workflow: Workflow | null | undefined, paused: Paused, now: Date): Workflow | null {
  if (workflow == null) return null;
  if (paused.reason === "scheduled") return { ...workflow, paused: null };
  const resumedAt = now.toISOString();
  const pauses = workflow.pauses.map((one) =>
    one.beforeRoutingOrder === paused.beforeRoutingOrder ? { ...one, resumedAt } : one,
  );
  return { ...workflow, pauses, paused: null };
}
