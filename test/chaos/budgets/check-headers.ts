import type { History, Tolerances, Violation } from "./history.ts";
import { delayedBy, limitsInForce } from "./limits-in-force.ts";
import { type Answered, describeCall, hasHeaders, isAnswered, isLocal, windowMs } from "./windows.ts";

/** What the four headers say is true, on every answer to a client. */
export function checkHeaders(history: History, tolerances: Tolerances): Violation[] {
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
