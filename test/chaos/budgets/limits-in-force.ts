import type { Call, History, Interval, LimitChange, Tolerances } from "./history.ts";
import { overlaps } from "./windows.ts";

/** The limits that a budget may have had in a time. */
export type LimitsInForce = (of: Pick<Call, "organizationId" | "group">, during: Interval) => Set<number>;

/** A change may be noticed at any time from when it was asked for until `effectiveMs` after it was confirmed. */
export function limitsInForce({ changes }: History, effectiveMs: number): LimitsInForce {
  const changesOf = Map.groupBy(changes, budgetName);
  return (of, during) => {
    const ofBudget = changesOf.get(budgetName(of)) ?? [];
    const held = ofBudget.map((change, n): [number, Interval] => {
      const next = ofBudget[n + 1];
      const to = next === undefined ? Number.POSITIVE_INFINITY : next.setting.to + effectiveMs;
      return [change.limit, { from: n === 0 ? Number.NEGATIVE_INFINITY : change.setting.from, to }];
    });
    return new Set(held.flatMap(([limit, interval]) => (overlaps(interval, during) ? [limit] : [])));
  };
}

/** A process that does not run, or cannot ask, learns of a change when that is over. */
export function delayedBy({ incidents }: History, call: Call, { effectiveMs }: Tolerances): number {
  const during = { from: call.sentAt - 2 * effectiveMs, to: call.answeredAt };
  const delaying = incidents.filter(
    ({ fault, gateway, whole }) =>
      (fault === "crash the database" || fault === "pause a gateway" || fault === "kill a gateway") &&
      (gateway === undefined || gateway === call.gateway) &&
      overlaps(whole, during),
  );
  return delaying.reduce((sum, { whole }) => sum + whole.to - whole.from + effectiveMs, 0);
}

const budgetName = ({ organizationId, group }: Pick<LimitChange, "organizationId" | "group">): string =>
  `${organizationId} ${group}`;
