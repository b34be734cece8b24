import { drillTolerances, type History } from "./history.ts";
import { delayedBy } from "./limits-in-force.ts";
import { type Answered, budgetWindows, hasHeaders, isAnswered, isLocal } from "./windows.ts";

/** What a run consisted of, in numbers. */
export interface Figures {
  readonly requests: number;
  readonly granted: number;
  readonly refused: number;
  /** Granted or refused by a process alone. */
  readonly alone: number;
  readonly strangers: number;
  readonly unavailable: number;
  readonly lost: number;
  readonly buckets: number;
  readonly windows: number;
  /** Budgets in windows, and how many of them were used up. */
  readonly budgets: number;
  readonly usedUp: number;
  readonly faults: number;
  /** The longest time for which an undisturbed gateway answered with a limit after another one had been confirmed. */
  readonly changeMs: number;
}

export function figuresOf(history: History): Figures {
  const { calls, incidents } = history;
  const answers = calls.filter(isAnswered);
  const counted = answers.filter((call) => call.bucket !== undefined && hasHeaders(call));
  const alone = counted.filter((call) => isLocal(call, history));
  const budgets = budgetWindows(history);
  const refused = counted.filter(({ outcome }) => outcome.status === 429).length;
  return {
    requests: calls.length,
    granted: counted.length - refused,
    refused,
    alone: alone.length,
    strangers: answers.filter(({ outcome }) => outcome.status === 401).length,
    unavailable: answers.filter(({ outcome }) => outcome.status === 503).length,
    lost: calls.filter(({ outcome }) => outcome.kind === "lost").length,
    buckets: new Set(budgets.map(({ bucket }) => bucket)).size,
    windows: new Set(budgets.map(({ reset }) => reset)).size,
    budgets: budgets.length,
    usedUp: budgets.filter((budget) => budget.refused.length > 0).length,
    faults: incidents.length,
    changeMs: Math.round(counted.reduce((longest, call) => Math.max(longest, staleFor(call, history)), 0)),
  };
}

/** How long ago the limit of this answer was confirmed to be another one; 0 when it is the last. */
function staleFor(call: Answered, history: History): number {
  const { organizationId, group, sentAt, outcome } = call;
  const { changes } = history;
  const before = changes.filter(
    (change) => change.organizationId === organizationId && change.group === group && change.setting.to < sentAt,
  );
  const last = before.at(-1);
  const isStale = last !== undefined && before.length > 1 && before.at(-2)?.limit === outcome.headers.limit;
  if (!isStale || last.limit === outcome.headers.limit || delayedBy(history, call, drillTolerances) > 0) return 0;
  return sentAt - last.setting.to;
}
