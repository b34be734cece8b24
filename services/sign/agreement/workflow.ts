import type { FieldProblem } from "#platform/errors.ts";
import { problem } from "#platform/problems.ts";

/** When an agreement is sent and goes on; absent members of `Agreement` stand for nothing of it. */
export interface Workflow {
  /** When its first recipients are asked; null for at once. */
  readonly schedule: Timing | null;
  /** In the order of the request. */
  readonly pauses: readonly Pause[];
  /** What it waits for since it was sent. Left as it is when the agreement ends meanwhile. */
  readonly paused: Paused | null;
}

/** An instant (ISO 8601), or a time that passes from when it is reached; for a pause neither, until somebody resumes it. */
export interface Timing {
  readonly at: string | null;
  readonly delaySeconds: number | null;
}

/** Before the recipients with this routing order, or the next higher one that there is, are asked. */
export interface Pause extends Timing {
  readonly beforeRoutingOrder: number;
  /** ISO 8601; null until it is over. */
  readonly resumedAt: string | null;
}

export type PauseDefinition = Omit<Pause, "resumedAt">;

/** The times are ISO 8601. */
export interface Paused {
  readonly reason: "scheduled" | "pause";
  /** Of the recipients who wait to be asked. */
  readonly beforeRoutingOrder: number;
  readonly since: string;
  /** Null when it goes on only when somebody resumes it. */
  readonly until: string | null;
}

/** Null when it says nothing. */
export const workflowOf = (
  schedule: Timing | null,
  pauses: readonly PauseDefinition[],
  before: Workflow | null = null,
): Workflow | null =>
  schedule === null && pauses.length === 0
    ? null
    : {
        schedule,
        pauses: pauses.map((pause) => ({ resumedAt: null, ...pause })),
        paused: before?.paused ?? null,
      };

const maxPauses = 50;
const lastRoutingOrder = 10_000;
const daySeconds = 86_400;
/** The longest time that somebody can want it to wait by itself. */
export const maxDelaySeconds = 366 * daySeconds;

/** Rules that hold for drafts and templates too. */
export function workflowProblems(workflow: Workflow | null): readonly FieldProblem[] {
  if (workflow === null) return [];
  const { schedule, pauses } = workflow;
  const orders = pauses.map(({ beforeRoutingOrder }) => beforeRoutingOrder);
  return [
    ...(schedule === null ? [] : timingProblems(schedule, "schedule", "sendAt")),
    ...(schedule !== null && isUntimed(schedule)
      ? [problem("schedule", "REQUIRED", "must have sendAt or delaySeconds")]
      : []),
    ...(pauses.length > maxPauses ? [problem("routing.pauses", "TOO_MANY", `must be at most ${maxPauses}`)] : []),
    ...pauses.flatMap((pause, index) => [
      ...timingProblems(pause, `routing.pauses[${index}]`, "resumeAt"),
      ...orderProblems(orders, index),
    ]),
  ];
}

const isUntimed = ({ at, delaySeconds }: Timing): boolean => at === null && delaySeconds === null;

function timingProblems({ at, delaySeconds }: Timing, field: string, time: string): readonly FieldProblem[] {
  if (at !== null && delaySeconds !== null) {
    return [problem(`${field}.delaySeconds`, "CONFLICT", `must not be given together with ${time}`)];
  }
  if (delaySeconds === null || (delaySeconds >= 1 && delaySeconds <= maxDelaySeconds)) return [];
  return [problem(`${field}.delaySeconds`, "OUT_OF_RANGE", `must be 1 to ${maxDelaySeconds}, which is 366 days`)];
}

function orderProblems(orders: readonly number[], index: number): readonly FieldProblem[] {
  const order = orders[index] ?? 0;
  const field = `routing.pauses[${index}].beforeRoutingOrder`;
  if (!(order >= 1 && order <= lastRoutingOrder)) {
    return [problem(field, "OUT_OF_RANGE", `must be 1 to ${lastRoutingOrder}`)];
  }
  return orders.indexOf(order) === index ? [] : [problem(field, "DUPLICATE", "must be unique")];
}

/** When it is over, if it is reached now; null when only somebody ends it. */
export const endOf = ({ at, delaySeconds }: Timing, now: Date): Date | null => {
  if (at !== null) return new Date(at);
  return delaySeconds === null ? null : new Date(now.getTime() + delaySeconds * 1_000);
};
