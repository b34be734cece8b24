import type { History, Observation, Violation } from "./history.ts";
import { type Answered, describeCall, isAnswered } from "./windows.ts";

/** A refused request is not processed: what is stored is what was granted, and a refusal leaves no trace. */
export function checkRecords({ calls }: History, { receiptIds }: Observation): Violation[] {
  const byKey = Map.groupBy(
    calls.filter(({ key }) => key !== undefined),
    ({ key = "" }) => key,
  );
  const stored = new Set(receiptIds);
  const accepted = new Set<string>();
  const violations: Violation[] = [];
  let openKeys = 0;
  for (const [key, ofKey] of byKey) {
    const answers = ofKey.filter(isAnswered);
    const recorded = answers.filter(({ outcome }) => outcome.receiptId !== undefined);
    const open = ofKey.some(
      ({ outcome }) => outcome.kind === "lost" || (outcome.kind === "answered" && outcome.status >= 500),
    );
    const ids = new Set(recorded.map(({ outcome }) => outcome.receiptId ?? ""));
    for (const id of ids) accepted.add(id);
    if (open && recorded.length === 0) openKeys += 1;
    if (ids.size > 1) violations.push({ rule: "recorded once", detail: `${key}: ${[...ids].join(" and ")}` });
    if (!open) violations.push(...leavesNoTrace(key, recorded));
  }
  for (const id of accepted) {
    if (!stored.has(id)) violations.push({ rule: "what was granted is stored", detail: `receipt ${id} is missing` });
  }
  const unexplained = stored.size - accepted.size;
  if (unexplained > openKeys) {
    violations.push({
      rule: "what was refused is not stored",
      detail: `${unexplained} receipts, ${openKeys} unanswered`,
    });
  }
  return violations;
}

/** Nobody recorded it before the first answer with a receipt: refusals came first, or nothing. */
function leavesNoTrace(key: string, recorded: readonly Answered[]): Violation[] {
  const fresh = recorded.filter(({ outcome }) => outcome.isReplay !== true);
  if (recorded.length === 0 || fresh.length === 1) return [];
  const [first] = recorded as [Answered];
  const detail = `${key}: ${fresh.length} answers say that they recorded it; first ${describeCall(first)}`;
  return [{ rule: "a refusal leaves no trace", detail }];
}
