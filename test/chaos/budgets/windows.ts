import type { Call, History, Incident, Interval, Outcome } from "./history.ts";

export type Answered = Call & { readonly outcome: Extract<Outcome, { kind: "answered" }> };

/** A request that one budget was asked for, and what the answer says about it. */
export interface Take {
  readonly call: Answered;
  readonly granted: boolean;
  readonly limit: number;
  /** Which request of its window it is, from 1; 0 for a refusal. */
  readonly place: number;
}

/** One budget in one window, as all its answers together tell. */
export interface BudgetWindow {
  readonly bucket: string;
  readonly reset: number;
  readonly takes: readonly Take[];
  readonly granted: readonly Take[];
  readonly refused: readonly Take[];
  /** Requests that may have been counted here without an answer that says so. */
  readonly unknown: readonly Call[];
  /** When the window was, in the time of the run. */
  readonly span: Interval;
}

export const windowMs = 60_000;

export const isAnswered = (call: Call): call is Answered => call.outcome.kind === "answered";

export const overlaps = (a: Interval, b: Interval): boolean => a.from <= b.to && b.from <= a.to;

export const spanOf = ({ sentAt, answeredAt }: Call): Interval => ({ from: sentAt, to: answeredAt });

export const describeCall = ({ method, path, gateway, sentAt, outcome }: Call): string => {
  const answer = outcome.kind === "answered" ? `${outcome.status} ${JSON.stringify(outcome.headers)}` : outcome.kind;
  return `${method} ${path} to ${gateway} at ${Math.round(sentAt)} ms (${answer})`;
};

/** Whether all four headers are there and could be true of some window. */
export function hasHeaders({ outcome }: Answered): boolean {
  const { limit = Number.NaN, remaining = Number.NaN, reset = Number.NaN, retryAfter = Number.NaN } = outcome.headers;
  return [limit, remaining, reset, retryAfter].every((value) => Number.isSafeInteger(value) && value >= 0);
}

/**
 * While the shared windows are away a process counts reads by itself. Its answers are told apart by their windows:
 * the clock of the gateways is far from that of the database.
 */
export function isLocal(
  call: Answered,
  { databaseClock, gatewayClock }: Pick<History, "databaseClock" | "gatewayClock">,
): boolean {
  const at = (call.outcome.headers.reset ?? 0) * 1_000 - call.answeredAt;
  return Math.abs(at - gatewayClock) < Math.abs(at - databaseClock);
}

/** Every shared budget and window that an answer speaks of. */
export function budgetWindows(history: History): BudgetWindow[] {
  const { calls, databaseClock } = history;
  const counted = calls.filter(isAnswered).filter((call) => hasHeaders(call) && !isLocal(call, history));
  const known = new Set<Call>(counted);
  const unknownOf = Map.groupBy(
    calls.filter((call) => !known.has(call) && call.outcome.kind !== "unsent"),
    ({ bucket = "" }) => bucket,
  );
  const ofWindow = Map.groupBy(counted, ({ bucket = "", outcome }) => `${outcome.headers.reset} ${bucket}`);
  return [...ofWindow.values()].map((ofOne): BudgetWindow => {
    const [{ bucket = "", outcome }] = ofOne as [Answered];
    const reset = outcome.headers.reset ?? 0;
    const end = reset * 1_000 - databaseClock;
    const span = { from: end - windowMs, to: end };
    const takes = ofOne.map(takeOf);
    return {
      bucket,
      reset,
      takes,
      granted: takes.filter((take) => take.granted),
      refused: takes.filter((take) => !take.granted),
      unknown: (unknownOf.get(bucket) ?? []).filter((call) => overlaps(spanOf(call), span)),
      span,
    };
  });
}

function takeOf(call: Answered): Take {
  const { limit = 0, remaining = 0 } = call.outcome.headers;
  const granted = call.outcome.status !== 429;
  return { call, granted, limit, place: granted ? limit - remaining : 0 };
}

/** What a crash of the database may have forgotten of a window: what was counted in the last second before. */
export function forgettable({ granted, unknown, span }: BudgetWindow, incidents: readonly Incident[]): number {
  const crashes = incidents.filter(({ fault, whole }) => fault === "crash the database" && overlaps(whole, span));
  const calls = [...granted.map(({ call }) => call), ...unknown];
  return crashes.reduce((sum, { whole, full }) => {
    const last = { from: whole.from - 1_000, to: full.from };
    return sum + calls.filter((call) => overlaps(spanOf(call), last)).length;
  }, 0);
}

export const nameOf = ({ bucket, reset }: Pick<BudgetWindow, "bucket" | "reset">): string => `${bucket} until ${reset}`;
