import type { FieldProblem } from "#platform/errors.ts";
import type { Agreement } from "../agreement/agreement.ts";
import { type Change, changeTo, type DecisionContext, noChange } from "../agreement/change.ts";
import { problem } from "../agreement/problems.ts";
import { isOpen } from "../agreement/transitions.ts";
import { endOf, maxDelaySeconds, type Pause, type Paused, type Workflow } from "../agreement/workflow.ts";
import { followUpJobs } from "../send/follow-up-jobs.ts";

type Waiting = Pick<Agreement, "status" | "workflow">;

/** What an open agreement waits for; undefined when it waits for its recipients alone. */
export const pausedOf = ({ status, workflow }: Waiting): Paused | undefined =>
  isOpen({ status }) ? (workflow?.paused ?? undefined) : undefined;

/** Whether it was sent for later, and nobody has been asked yet. */
export const isScheduled = (agreement: Waiting): boolean => pausedOf(agreement)?.reason === "scheduled";

/** Problems of a schedule and pauses at the moment at which the agreement is sent. */
export function sendingProblems({ workflow, recipients }: Agreement, now: Date): readonly FieldProblem[] {
  if (workflow == null) return [];
  const { schedule, pauses } = workflow;
  const latest = new Date(now.getTime() + maxDelaySeconds * 1_000);
  const lastOrder = Math.max(...recipients.map(({ routingOrder }) => routingOrder));
  return [
    ...(schedule?.at == null ? [] : timeProblems(new Date(schedule.at), "schedule.sendAt", { after: now, latest })),
    ...pauses.flatMap(({ at, beforeRoutingOrder }, index) => {
      const field = `routing.pauses[${index}]`;
      return [
        ...(at === null ? [] : timeProblems(new Date(at), `${field}.resumeAt`, { latest })),
        ...(beforeRoutingOrder <= lastOrder
          ? []
          : [problem(`${field}.beforeRoutingOrder`, "NOT_FOUND", "must not be higher than that of every recipient")]),
      ];
    }),
  ];
}

function timeProblems(at: Date, field: string, { after, latest }: { after?: Date; latest: Date }): FieldProblem[] {
  if (after !== undefined && at <= after)
    return [problem(field, "OUT_OF_RANGE", "must be in the future when it is sent")];
  return at <= latest ? [] : [problem(field, "OUT_OF_RANGE", "must be at most 366 days after sending")];
}

/** Waits for its schedule, which counts from now; undefined when it is sent at once. */
export function scheduled(agreement: Agreement, { now, actor }: DecisionContext): Change | undefined {
  const schedule = agreement.workflow?.schedule ?? null;
  const until = schedule === null ? null : endOf(schedule, now);
  if (until === null) return undefined;
  const first = Math.min(...agreement.recipients.map(({ routingOrder }) => routingOrder));
  const waiting = waitFor(agreement, { reason: "scheduled", beforeRoutingOrder: first, until }, now);
  return changeTo(waiting, {
    audit: [{ action: "agreement.scheduled", actor, details: { sendAt: until.toISOString() } }],
    jobs: followUpJobs.resumption(waiting, until),
  });
}

/**
 * Whether a pause keeps the recipients with this routing order from being asked: the change that begins it, or none when it
 * has begun. Undefined when they may be asked. A pause whose time is over before it is reached keeps nobody.
 */
export function holdBefore(agreement: Agreement, order: number, { now, actor }: DecisionContext): Change | undefined {
  const pauses = agreement.workflow?.pauses ?? [];
  const paused = pausedOf(agreement);
  const isBegun = (one: Pause): boolean => one.beforeRoutingOrder === paused?.beforeRoutingOrder;
  const [pause] = pauses
    .filter(
      (one) => one.resumedAt === null && one.beforeRoutingOrder <= order && (isBegun(one) || !isOver(one.at, now)),
    )
    .toSorted((a, b) => a.beforeRoutingOrder - b.beforeRoutingOrder);
  if (pause === undefined) return undefined;
  if (isBegun(pause)) return noChange(agreement);
  const { beforeRoutingOrder } = pause;
  const until = endOf(pause, now);
  const waiting = waitFor(agreement, { reason: "pause", beforeRoutingOrder, until }, now);
  const details = { beforeRoutingOrder, ...(until === null ? {} : { resumeAt: until.toISOString() }) };
  return changeTo(waiting, {
    audit: [{ action: "agreement.paused", actor, details }],
    jobs: until === null ? [] : followUpJobs.resumption(waiting, until),
  });
}

const isOver = (at: string | null, now: Date): boolean => at !== null && new Date(at) <= now;

function waitFor(
  agreement: Agreement,
  {
    reason,
    beforeRoutingOrder,
    until,
  }: Pick<Paused, "reason" | "beforeRoutingOrder"> & { readonly until: Date | null },
  now: Date,
): Agreement {
  const paused: Paused = { reason, beforeRoutingOrder, since: now.toISOString(), until: until?.toISOString() ?? null };
  const workflow: Workflow = { ...(agreement.workflow ?? { schedule: null, pauses: [] }), paused };
  return { ...agreement, workflow, modifiedAt: now };
}
