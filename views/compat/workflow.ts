import { type Agreement, AgreementStatus, type Pause, PauseReason } from "#gen/assent/sign/v1/agreement_pb.ts";
import { defined } from "#platform/json-object.ts";
import { compatTime, type Written } from "./scalars.ts";

const openStatuses: readonly AgreementStatus[] = [AgreementStatus.SENT, AgreementStatus.DELIVERED];

/** A `Workflow`: the schedule, and a step for each pause. */
export function workflowView(agreement: Agreement): Written {
  const { paused, routing, schedule } = agreement;
  const steps = (routing?.pauses ?? []).map((pause) => stepView(agreement, pause));
  const current = routing?.pauses.find((pause) => isCurrent(agreement, pause));
  return defined({
    workflowStatus: openStatuses.includes(agreement.status)
      ? paused === undefined
        ? "in_progress"
        : "paused"
      : undefined,
    resumeDate: compatTime(paused?.until),
    currentWorkflowStepId: current === undefined ? undefined : stepId(current),
    scheduledSending: schedule === undefined ? undefined : scheduledSendingView(agreement),
    workflowSteps: steps,
  });
}

/** A `ScheduledSending`. */
const scheduledSendingView = ({ paused, schedule, status }: Agreement): Written => {
  const isWaiting = paused?.reason === PauseReason.SCHEDULED;
  const isUnsent = status === AgreementStatus.CREATED || status === AgreementStatus.TEMPLATE;
  return defined({
    status: isUnsent ? "pending" : isWaiting ? "started" : "completed",
    resumeDate: compatTime(isWaiting ? paused?.until : schedule?.sendAt),
    rules: schedule === undefined ? [] : [ruleView(schedule.sendAt, schedule.delaySeconds)],
  });
};

function stepView(agreement: Agreement, pause: Pause): Written {
  const { beforeRoutingOrder, resumeAt, delaySeconds, resumedAt } = pause;
  const isBegun = isCurrent(agreement, pause);
  const isTimed = resumeAt !== undefined || delaySeconds !== undefined;
  const status = resumedAt !== undefined ? "completed" : isBegun ? "in_progress" : "pending";
  return defined({
    workflowStepId: stepId(pause),
    action: "pause_before",
    triggerOnItem: "routing_order",
    itemId: String(beforeRoutingOrder),
    status,
    triggeredDate: isBegun ? compatTime(agreement.paused?.since) : undefined,
    completedDate: compatTime(resumedAt),
    delayedRouting: isTimed
      ? defined({
          status,
          resumeDate: compatTime(isBegun ? agreement.paused?.until : resumeAt),
          rules: [ruleView(resumeAt, delaySeconds)],
        })
      : undefined,
  });
}

const isCurrent = ({ paused }: Agreement, { beforeRoutingOrder }: Pause): boolean =>
  paused?.reason === PauseReason.PAUSE && paused.beforeRoutingOrder === beforeRoutingOrder;

/** There is one before each routing order at most. */
const stepId = ({ beforeRoutingOrder }: Pause): string => String(beforeRoutingOrder);

const ruleView = (at: Parameters<typeof compatTime>[0], delaySeconds: number | undefined): Written =>
  defined({ resumeDate: compatTime(at), delay: delaySeconds === undefined ? undefined : delayText(delaySeconds) });

/** `d.hh:mm:ss` */
const delayText = (seconds: number): string => {
  const two = (value: number): string => String(Math.floor(value)).padStart(2, "0");
  return `${Math.floor(seconds / 86_400)}.${two((seconds / 3_600) % 24)}:${two((seconds / 60) % 60)}:${two(seconds % 60)}`;
};
