import { isDeepStrictEqual } from "node:util";
import { keyName, lastClient, type Operation, type Outcome, type Violation } from "./history.ts";

type Answered = Operation & { readonly outcome: Extract<Outcome, { kind: "ok" }> };

/** What one key may answer by: the promises of the Idempotency-Key, each request by itself and in the order of time. */
export function checkAnswers(operations: readonly Operation[]): Violation[] {
  return [...byKey(operations)].flatMap(([name, ofKey]) => {
    const problems = [...oneReceipt(ofKey), ...oneBody(ofKey), ...justRefusals(ofKey), ...lastingAnswers(ofKey)];
    return problems.map((violation) => ({ ...violation, detail: `${name}: ${violation.detail}` }));
  });
}

export function byKey(operations: readonly Operation[]): Map<string, Operation[]> {
  return Map.groupBy(operations, keyName);
}

export const answered = (operations: readonly Operation[]): Answered[] =>
  operations.filter((operation): operation is Answered => operation.outcome.kind === "ok");

export const receiptIds = (operation: Answered): string[] =>
  operation.outcome.receipts.map((receipt) => receipt.receiptId);

/** One answer for ever, given as the first one at most once. */
function oneReceipt(operations: readonly Operation[]): Violation[] {
  const oks = answered(operations);
  const [first] = oks;
  if (first === undefined) return [];
  const violations: Violation[] = [];
  for (const other of oks.slice(1)) {
    if (isDeepStrictEqual(other.outcome.receipts, first.outcome.receipts)) continue;
    const ids = [receiptIds(first), receiptIds(other)].map((list) => list.join(" "));
    violations.push(
      ids[0] === ids[1]
        ? { rule: "an answer never changes", detail: `receipt ${ids[0]} was answered in two ways` }
        : { rule: "one receipt for each key", detail: `answered ${ids[0]} and ${ids[1]}` },
    );
  }
  const fresh = oks.filter((operation) => operation.outcome.fresh);
  if (fresh.length > 1) violations.push({ rule: "recorded once", detail: `${fresh.length} answers say that they did` });
  return violations;
}

function oneBody(operations: readonly Operation[]): Violation[] {
  const variants = new Set(answered(operations).map((operation) => operation.variant));
  return variants.size > 1
    ? [{ rule: "one body for each key", detail: `receipts were answered to ${[...variants].join(" and ")}` }]
    : [];
}

/** A 422 says that another body was recorded, so there must be one, and it is not the refused one. */
function justRefusals(operations: readonly Operation[]): Violation[] {
  const recorded = answered(operations)[0]?.variant;
  const refused = operations.filter((operation) => operation.outcome.kind === "reused");
  const wrong = refused.find((operation) => recorded === undefined || operation.variant === recorded);
  if (wrong === undefined) return [];
  const why = recorded === undefined ? "nothing was recorded" : "that very body was recorded";
  return [{ rule: "422 only for another body", detail: `'${wrong.variant}' was refused, but ${why}` }];
}

/** Once somebody has the receipt, everybody who asks later gets it or is told that the key is taken. */
function lastingAnswers(operations: readonly Operation[]): Violation[] {
  const known = Math.min(...answered(operations).map((operation) => operation.endedAt));
  const late = operations.find(({ startedAt, outcome }) => startedAt > known && outcome.kind === "refused");
  const again = answered(operations).find(({ startedAt, outcome }) => startedAt > known && outcome.fresh);
  return [
    ...(late?.outcome.kind === "refused"
      ? [{ rule: "a replay is not refused", detail: `'${late.variant}' got ${late.outcome.errorCode} later` }]
      : []),
    ...(again === undefined
      ? []
      : [{ rule: "a replay is not fresh", detail: `'${again.variant}' was recorded after it had been answered` }]),
  ];
}

const expectedRefusals = ["CLICK_SESSION_CLOSED"];

/** Requests that are right are refused for one reason only, and never fail in a way that nobody foresaw. */
export function checkKinds(operations: readonly Operation[]): Violation[] {
  return operations.flatMap(({ key, variant, outcome }) => {
    const unforeseen = outcome.kind === "unknown" && outcome.reason === "INTERNAL_ERROR";
    const wrong = outcome.kind === "refused" && !expectedRefusals.includes(outcome.errorCode);
    if (!unforeseen && !wrong) return [];
    const code = outcome.kind === "refused" ? `${outcome.status} ${outcome.errorCode}` : "500 INTERNAL_ERROR";
    return [{ rule: "only foreseen errors", detail: `${key} '${variant}' got ${code}` }];
  });
}

/** When all faults are over, whoever asks is answered. */
export function checkRecovery(operations: readonly Operation[]): Violation[] {
  const last = operations.filter(({ client }) => client === lastClient);
  const requests = Map.groupBy(last, (operation) => `${keyName(operation)} '${operation.variant}'`);
  return [...requests].flatMap(([name, tries]) =>
    tries.some(({ outcome }) => outcome.kind !== "unknown" && outcome.kind !== "unsent")
      ? []
      : [{ rule: "answered when all is well", detail: `${name} was not, in ${tries.length} tries` }],
  );
}
