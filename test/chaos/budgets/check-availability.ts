import type { FaultKind, History, Incident, Tolerances, Violation } from "./history.ts";
import { type Answered, describeCall, hasHeaders, isAnswered, overlaps, spanOf } from "./windows.ts";

/** Who is served while something is broken, and that everybody is when nothing is. */
export function checkAvailability(history: History, tolerances: Tolerances): Violation[] {
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
