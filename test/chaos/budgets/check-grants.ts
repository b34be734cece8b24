import type { History, Observation, Tolerances, Violation } from "./history.ts";
import { limitsInForce } from "./limits-in-force.ts";
import {
  type Answered,
  type BudgetWindow,
  budgetWindows,
  describeCall,
  forgettable,
  hasHeaders,
  isAnswered,
  isLocal,
  nameOf,
  type Take,
} from "./windows.ts";

/** What a budget promises: the limit in each window, no more, and no less to who asks for it. */
export function checkGrants(history: History, observation: Observation, tolerances: Tolerances): Violation[] {
  const windows = budgetWindows(history);
  const limitsOf = createLimitsOf(history, tolerances);
  return [
    ...windows.flatMap((window) => [
      ...neverOver(window, limitsOf(window), history),
      ...usedUp(window, limitsOf(window)),
      ...placesOnce(window, history),
      ...inOrder(window, history),
      ...refusedForGood(window, limitsOf(window), history),
    ]),
    ...checkCounters(windows, history, observation),
    ...checkLocal(history),
  ];
}

type LimitsOf = (window: BudgetWindow) => number[];

/** The limits that a window may have had, and those that its answers name: whether those are right is another rule. */
function createLimitsOf(history: History, { effectiveMs }: Tolerances): LimitsOf {
  const inForce = limitsInForce(history, effectiveMs);
  return ({ takes, span }) => [...inForce((takes[0] as Take).call, span)];
}

function neverOver(window: BudgetWindow, limits: readonly number[], { incidents }: History): Violation[] {
  const most = Math.max(...limits) + forgettable(window, incidents);
  return window.granted.length > most
    ? [{ rule: "never over the limit", detail: `${nameOf(window)}: ${window.granted.length} granted, not ${most}` }]
    : [];
}

/** Nobody is refused while something is left, but what unanswered requests have taken. */
function usedUp(window: BudgetWindow, limits: readonly number[]): Violation[] {
  const { granted, refused, unknown } = window;
  const least = Math.min(...limits);
  if (refused.length === 0 || granted.length + unknown.length >= least) return [];
  const detail = `${nameOf(window)}: refused after ${granted.length} of ${least}, ${unknown.length} unanswered`;
  return [{ rule: "the whole limit is granted", detail }];
}

/** Remaining counts down one by one: every granted request has a place of its own, and no place belongs to nobody. */
function placesOnce(window: BudgetWindow, { incidents }: History): Violation[] {
  const { granted, unknown } = window;
  const places = granted.map(({ place }) => place);
  const forgotten = forgettable(window, incidents);
  const repeated = places.length - new Set(places).size;
  const missing = Math.max(0, ...places) - new Set(places).size;
  return [
    ...(repeated > forgotten
      ? [{ rule: "no remaining twice", detail: `${nameOf(window)}: ${repeated} were answered before` }]
      : []),
    ...(missing > unknown.length
      ? [
          {
            rule: "no remaining left out",
            detail: `${nameOf(window)}: ${missing} places, ${unknown.length} unanswered`,
          },
        ]
      : []),
  ];
}

/** Who asks after another was answered comes after it. */
function inOrder(window: BudgetWindow, { incidents }: History): Violation[] {
  if (forgettable(window, incidents) > 0) return [];
  const overtaken = firstOvertaken(window.granted, (take) => take.place);
  if (overtaken === undefined) return [];
  const { call } = overtaken;
  return [{ rule: "remaining only falls", detail: `${nameOf(window)}: ${describeCall(call)} follows a later place` }];
}

/** The first one that was sent after the answer of another which has a higher (or the same) number. */
function firstOvertaken(takes: readonly Take[], numberOf: (take: Take) => number): Take | undefined {
  const byAnswer = takes.toSorted((a, b) => a.call.answeredAt - b.call.answeredAt);
  let highest = Number.NEGATIVE_INFINITY;
  let next = 0;
  for (const take of takes.toSorted((a, b) => a.call.sentAt - b.call.sentAt)) {
    for (
      let other = byAnswer[next];
      other !== undefined && other.call.answeredAt < take.call.sentAt;
      other = byAnswer[next]
    ) {
      highest = Math.max(highest, numberOf(other));
      next += 1;
    }
    if (numberOf(take) <= highest) return take;
  }
  return undefined;
}

function refusedForGood(window: BudgetWindow, limits: readonly number[], { incidents }: History): Violation[] {
  if (limits.length > 1 || window.refused.length === 0 || forgettable(window, incidents) > 0) return [];
  const refusedAt = Math.min(...window.refused.map(({ call }) => call.answeredAt));
  const later = window.granted.find(({ call }) => call.sentAt > refusedAt);
  if (later === undefined) return [];
  return [
    { rule: "refused until the window ends", detail: `${nameOf(window)}: ${describeCall(later.call)} was granted` },
  ];
}

/** The counters in the database are the grants, and nobody else has one. */
function checkCounters(windows: readonly BudgetWindow[], history: History, observation: Observation): Violation[] {
  const violations: Violation[] = [];
  const known = new Set([...history.calls.map(({ bucket }) => bucket), ...observation.otherBuckets]);
  const counters = new Map(observation.counters.map((counter) => [nameOf(counter), counter]));
  for (const counter of observation.counters) {
    if (known.has(counter.bucket)) continue;
    violations.push({ rule: "only clients are counted", detail: `${nameOf(counter)} has used ${counter.used}` });
  }
  for (const window of windows) {
    const used = counters.get(nameOf(window))?.used ?? 0;
    const { granted, unknown } = window;
    const least = granted.length - forgettable(window, history.incidents);
    if (used >= least && used <= granted.length + unknown.length) continue;
    const detail = `${nameOf(window)}: ${used} counted, ${granted.length} granted, ${unknown.length} unanswered`;
    violations.push({ rule: "the counters are the grants", detail });
  }
  return violations;
}

/** A process that counts by itself grants reads alone, and the limit at most. */
function checkLocal(history: History): Violation[] {
  const local = history.calls.filter(isAnswered).filter((call) => hasHeaders(call) && isLocal(call, history));
  const granted = local.filter(({ outcome }) => outcome.status !== 429);
  const write = local.find(({ method }) => method !== "GET");
  const ofProcess = Map.groupBy(
    granted,
    ({ bucket, gateway, outcome }) => `${bucket} at ${gateway} until ${outcome.headers.reset}`,
  );
  return [
    ...(write === undefined ? [] : [{ rule: "writes are counted together", detail: describeCall(write) }]),
    ...[...ofProcess].flatMap(([name, calls]) => {
      const most = Math.max(...calls.map((call: Answered) => call.outcome.headers.limit ?? 0));
      return calls.length > most
        ? [{ rule: "a process alone grants the limit", detail: `${name}: ${calls.length} granted, not ${most}` }]
        : [];
    }),
  ];
}
