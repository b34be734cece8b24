import type { MessageInitShape } from "@bufbuild/protobuf";
import type { PauseSchema, RoutingSchema, ScheduleSchema } from "#gen/assent/sign/v1/agreement_pb.ts";
import { defined } from "#platform/json-object.ts";
import type { Reader } from "./reader.ts";
import { refuseMeaningful, refuseOthers } from "./refuse.ts";

export interface WorkflowInit {
  readonly schedule?: MessageInitShape<typeof ScheduleSchema>;
  readonly routing?: MessageInitShape<typeof RoutingSchema>;
}

type PauseInit = MessageInitShape<typeof PauseSchema>;

/** The `workflow` of an envelope or template that is not sent yet; what it does not mention stays. */
export function readWorkflow(workflow: Reader | undefined): WorkflowInit {
  if (workflow === undefined) return {};
  refuseOthers(workflow, "workflowStatus", ["in_progress"]);
  const sending = workflow.object("scheduledSending");
  const steps = workflow.objects("workflowSteps");
  return defined({
    schedule: sending === undefined ? undefined : readScheduledSending(sending),
    routing: steps.length === 0 ? undefined : { pauses: steps.map(readStep) },
  });
}

/** A `ScheduledSending`; undefined when it says no time. */
function readScheduledSending(sending: Reader): MessageInitShape<typeof ScheduleSchema> | undefined {
  refuseMeaningful(sending, ["bulkListId"]);
  const { at, delaySeconds } = readRule(sending);
  return at === undefined && delaySeconds === undefined ? undefined : defined({ sendAt: at, delaySeconds });
}

/** Whether a body asks for nothing but that a paused envelope goes on. */
export const asksToResume = (body: Reader): boolean =>
  body.object("workflow")?.text("workflowStatus")?.trim().toLowerCase() === "in_progress";

function readStep(step: Reader): PauseInit {
  refuseOthers(step, "action", ["pause_before"]);
  refuseOthers(step, "triggerOnItem", ["routing_order"]);
  refuseMeaningful(step, ["recipientRouting"]);
  const delayed = step.object("delayedRouting");
  const rule = delayed === undefined ? {} : readRule(delayed);
  const order = step.integer("itemId", { min: 1, max: 10_000 });
  if (order === undefined && !step.has("itemId")) step.problem("itemId", "REQUIRED", "is required");
  return defined({ beforeRoutingOrder: order ?? 1, resumeAt: rule.at, delaySeconds: rule.delaySeconds });
}

type Rule = { readonly at?: NonNullable<ReturnType<Reader["date"]>>; readonly delaySeconds?: number };

/** One rule counts; clients that send back what they have read give its time beside the rules too. */
function readRule(holder: Reader): Rule {
  const rules = holder.objects("rules");
  if (rules.length > 1) holder.problem("rules", "TOO_MANY", "must have at most one rule");
  const [rule] = rules;
  const at = (rule ?? holder).date("resumeDate");
  const delaySeconds = rule === undefined ? undefined : readDelay(rule);
  if (at !== undefined && delaySeconds !== undefined) return { at };
  return defined({ at, delaySeconds });
}

const delayPattern = /^(?:(\d{1,3})\.)?(\d{1,2}):(\d{1,2}):(\d{1,2})$/;
const maxDelaySeconds = 366 * 86_400;

/** `[d.]hh:mm:ss` */
function readDelay(rule: Reader): number | undefined {
  const said = rule.text("delay")?.trim() ?? "";
  if (said === "") return undefined;
  const parts = delayPattern.exec(said);
  const [days, hours, minutes, seconds] = (parts?.slice(1) ?? []).map((part) => Number(part ?? 0));
  const isTime = parts !== null && Number(hours) <= 23 && Number(minutes) <= 59 && Number(seconds) <= 59;
  const delay = ((Number(days) * 24 + Number(hours)) * 60 + Number(minutes)) * 60 + Number(seconds);
  if (isTime && delay >= 1 && delay <= maxDelaySeconds) return delay;
  rule.problem("delay", "FORMAT", "must be a time such as 0.12:00:00 (days.hours:minutes:seconds), at most 366 days");
  return undefined;
}
