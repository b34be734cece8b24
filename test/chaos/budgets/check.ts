import { checkGrants } from "./check-grants.ts";
import type { FaultKind, History, Incident, Observation, Tolerances, Violation } from "./history.ts";
import { delayedBy, limitsInForce } from "./limits-in-force.ts";
import { type Answered, describeCall, hasHeaders, isAnswered, isLocal, overlaps, spanOf, windowMs } from "./windows.ts";

/** Who is served while something is broken, and that everybody is when nothing is. */
function checkAvailability(history: History, tolerances: Tolerances): Violation[] {
  return [
    ...answeredWhenWell(history, tolerances),
    ...history.incidents.flatMap((incident) => withoutWindows(incident, history)),
    ...foreseen(history),
  ];
}

/** A fault disturbs until some time after its end, and that of one gateway only who asks that one. */
function answeredWhenWell({ calls, incidents }: History, { recoveryMs }: Tolerances): Violation[] {
  const disturbs = ({ gateway, whole }: Incident, call: History["calls"][number]): boolean =>
    (gateway === undefined || gateway === call.gateway) &&
    overlaps({ from: whole.from, to: whole.to + recoveryMs }, spanOf(call));
  return calls
    .filter(({ outcome }) => outcome.kind !== "answered" || outcome.status >= 500)
    .filter((call) => !incidents.some((incident) => disturbs(incident, call)))
    .map((call) => ({ rule: "answered when all is well", detail: describeCall(call) }));
}

const awayFaults: readonly FaultKind[] = ["crash the database", "keep the database off", "mute the database"];

/** While a gateway cannot reach the windows, it serves no write, and goes on with reads. */
function withoutWindows({ fault, gateway, full }: Incident, { calls }: History): Violation[] {
  if (!awayFaults.includes(fault)) return [];
  const during = calls
    .filter(isAnswered)
    .filter((call) => call.bucket !== undefined && (gateway === undefined || gateway === call.gateway))
    .filter(({ sentAt, answeredAt }) => sentAt > full.from && answeredAt < full.to);
  const served = during.filter(
    ({ method, outcome }) => method !== "GET" && outcome.status !== 503 && outcome.status !== 429,
  );
  // After a crash others have no database either: they cannot answer, but the limiter still lets them be asked.
  const refused = fault === "crash the database" ? [] : during.filter(isRefusedRead);
  return [
    ...served.map((call) => ({ rule: "writes wait for the windows", detail: describeCall(call) })),
    ...refused.map((call) => ({ rule: "reads go on", detail: describeCall(call) })),
  ];
}

const isRefusedRead = (call: Answered): boolean =>
  call.method === "GET" && (call.outcome.status >= 500 || !hasHeaders(call));

const foreseenStatuses = new Set([200, 201, 400, 401, 403, 404, 429, 503]);

function foreseen({ calls }: History): Violation[] {
  return calls.filter(isAnswered).flatMap((call) => {
    const isFine =
      foreseenStatuses.has(call.outcome.status) && (call.outcome.status === 401) === (call.bucket === undefined);
    return isFine ? [] : [{ rule: "only foreseen answers", detail: describeCall(call) }];
  });
}

/** A refused request is not processed: what is stored is what was granted, and a refusal leaves no trace. */
function checkRecords({ calls }: History, { receiptIds }: Observation): Violation[] {
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

/** What the four headers say is true, on every answer to a client. */
function checkHeaders(history: History, tolerances: Tolerances): Violation[] {
  const answers = history.calls.filter(isAnswered);
  const withHeaders = answers.filter((call) => call.bucket !== undefined && hasHeaders(call));
  return [
    ...answers.flatMap(present),
    ...withHeaders.flatMap((call) => [
      ...remainingFits(call),
      ...limitHolds(call, history, tolerances),
      ...resetIsNext(call, history, tolerances),
    ]),
  ];
}

const violation = (rule: string, call: Answered): Violation[] => [{ rule, detail: describeCall(call) }];

/** On every answer to a client, but a 503: then nobody may know. Without a client there is no budget. */
function present(call: Answered): Violation[] {
  const { status, headers } = call.outcome;
  if (call.bucket === undefined) {
    return headers.limit === undefined && headers.remaining === undefined
      ? []
      : violation("no client, no budget", call);
  }
  if (hasHeaders(call)) return [];
  if (status !== 503) return violation("all four headers", call);
  return (headers.retryAfter ?? 0) >= 1 ? [] : violation("503 with Retry-After", call);
}

function remainingFits(call: Answered): Violation[] {
  const { status, headers, errorCode } = call.outcome;
  const { limit = 0, remaining = 0 } = headers;
  const fits = status === 429 ? remaining === 0 : remaining < limit;
  const code = call.path.startsWith("/v1/click/") ? "CLICK_RATE_LIMITED" : "RATE_LIMIT_EXCEEDED";
  return [
    ...(fits ? [] : violation("remaining is what is left", call)),
    ...(status === 429 && errorCode !== code ? violation("the error code of a refusal", call) : []),
  ];
}

function limitHolds(call: Answered, history: History, tolerances: Tolerances): Violation[] {
  const late = tolerances.effectiveMs + delayedBy(history, call, tolerances);
  const during = { from: call.sentAt, to: call.answeredAt };
  const limits = limitsInForce(history, late)(call, during);
  return limits.has(call.outcome.headers.limit ?? 0) ? [] : violation("the limit in force", call);
}

/** The windows are aligned, that of the answer is the one in which it was asked, and Retry-After leads to its end. */
function resetIsNext(call: Answered, history: History, { clockMs }: Tolerances): Violation[] {
  const { status, headers } = call.outcome;
  const { reset = 0, retryAfter = 0 } = headers;
  const clock = isLocal(call, history) ? history.gatewayClock : history.databaseClock;
  const resetAt = reset * 1_000 - clock;
  const leftAtMost = resetAt - call.sentAt + clockMs;
  const leftAtLeast = resetAt - call.answeredAt - clockMs;
  const isNext = reset % 60 === 0 && leftAtMost > 0 && leftAtLeast <= windowMs;
  const leads =
    retryAfter * 1_000 >= Math.min(leftAtLeast, windowMs) - 1_000 &&
    retryAfter * 1_000 <= Math.max(leftAtMost, 0) + 1_000;
  // A 503 says when to try again, which does not depend on the window.
  const isTrue = retryAfter >= 1 && retryAfter <= 60 && (leads || status === 503);
  return [
    ...(isNext ? [] : violation("reset is the end of this window", call)),
    ...(isTrue ? [] : violation("Retry-After leads to the reset", call)),
  ];
}

/** Everything that is wrong with what clients were told about their budgets, and with what was counted and stored. */
export const checkBudgets = (history: History, observation: Observation, tolerances: Tolerances): Violation[] => [
  ...checkGrants(history, observation, tolerances),
  ...checkHeaders(history, tolerances),
  ...checkRecords(history, observation),
  ...checkAvailability(history, tolerances),
];
