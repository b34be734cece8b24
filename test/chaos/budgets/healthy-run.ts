import type { Call, Counter, History, Incident, LimitChange, Observation, Outcome, RateHeaders } from "./history.ts";

/** Drops the readonly of what tests change. */
export type Mutable<T> = T extends object ? { -readonly [K in keyof T]: Mutable<T[K]> } : T;

export interface Run {
  readonly history: Mutable<History>;
  readonly observation: Mutable<Observation>;
}

const organizationId = "018f0000-0000-7000-8000-000000000001";
/** The first window ends so long after the beginning. */
const windowEndsAt = 10_000;
const firstReset = 1_800_000_000;
const databaseClock = firstReset * 1_000 - windowEndsAt;
const limits: Readonly<Record<string, number>> = { accept: 5, render: 3, other: 50 };

/** A small run in which nothing is wrong: two windows, a change, a crash, a gateway that was cut off, and strangers. */
export function healthyRun(): Run {
  const accepts = Array.from({ length: 5 }, (_, n) => accept(`key-${n}`, 1_000 + n * 100, granted(5, 4 - n, 1_000)));
  const calls: Call[] = [
    ...accepts,
    accept("refused", 2_000, refused(5, 2_000, "CLICK_RATE_LIMITED")),
    accept("refused", 11_000, granted(5, 4, 11_000)),
    accept("refused", 12_000, { ...replay(granted(5, 3, 12_000)) }),
    ...[2, 1, 0].map((remaining, n) => read("render", 3_000 + n * 100, granted(3, remaining, 3_000))),
    read("render", 4_000, refused(3, 4_000, "CLICK_RATE_LIMITED")),
    read("other", 5_000, { ...granted(50, 49, 5_000), status: 404, errorCode: "CLICK_TEMPLATE_NOT_FOUND" }),
    write("other", 5_100, { ...granted(50, 48, 5_100), status: 403, errorCode: "INSUFFICIENT_SCOPE" }),
    { ...read("other", 5_200, strange), bucket: undefined, organizationId: "" },
    // The limit was set to 60 at 6,000.
    read("other", 7_500, granted(60, 57, 7_500)),
    // gateway-2 cannot reach the windows from 14,000 to 16,000.
    { ...read("other", 14_500, alone(60, 59, 14_500)), gateway: "gateway-2" },
    { ...accept("waits", 14_600, unavailable), gateway: "gateway-2" },
    // The database crashed from 20,000 to 21,000 and has forgotten one of these.
    read("other", 19_500, granted(60, 59, 19_500)),
    read("other", 26_000, granted(60, 59, 26_000)),
  ];
  const changes = Object.entries(limits).map(([group, limit]) => changed(group, limit, 0));
  const incidents: Incident[] = [
    incident("keep the database off", "gateway-2", 14_000, 16_000),
    incident("crash the database", undefined, 20_000, 21_000),
  ];
  const gatewayClock = databaseClock - 86_400_000;
  const history: History = {
    calls,
    incidents,
    changes: [...changes, changed("other", 60, 6_000)],
    databaseClock,
    gatewayClock,
  };
  const receiptIds = [...new Set(calls.flatMap(({ outcome }) => ("receiptId" in outcome ? [outcome.receiptId] : [])))];
  const counters: Counter[] = [
    counter("accept", 0, 5),
    counter("render", 0, 3),
    counter("other", 0, 3),
    counter("accept", 1, 2),
    counter("other", 1, 1),
    { bucket: "setup other", reset: firstReset, used: 4 },
  ];
  const observation: Observation = { receiptIds: receiptIds as string[], counters, otherBuckets: ["setup other"] };
  return structuredClone({ history, observation }) as Run;
}

export const bucketOf = (group: string): string => `client ${group}`;

const call = (group: string, method: string, path: string, sentAt: number, outcome: Outcome): Call => ({
  bucket: bucketOf(group),
  organizationId,
  group,
  gateway: "gateway",
  method,
  path,
  sentAt,
  answeredAt: sentAt + 20,
  outcome,
});

const read = (group: string, sentAt: number, outcome: Outcome): Call =>
  call(group, "GET", `/v1/click/${group}`, sentAt, outcome);

const write = (group: string, sentAt: number, outcome: Outcome): Call =>
  call(group, "POST", `/v1/click/${group}`, sentAt, outcome);

/** An acceptance; a granted one has the receipt of its key. */
export function accept(key: string, sentAt: number, outcome: Outcome): Call {
  const isRecorded = outcome.kind === "answered" && outcome.status < 300;
  const withReceipt = isRecorded
    ? {
        ...outcome,
        status: outcome.isReplay === true ? 200 : 201,
        receiptId: `receipt of ${key}`,
        isReplay: outcome.isReplay === true,
      }
    : outcome;
  return { ...write("accept", sentAt, withReceipt), key };
}

type Answer = Extract<Outcome, { kind: "answered" }>;

const headersAt = (limit: number, remaining: number, at: number): RateHeaders => {
  const reset = firstReset + (at < windowEndsAt ? 0 : 60);
  const left = reset * 1_000 - databaseClock - at;
  return { limit, remaining, reset, retryAfter: Math.max(1, Math.ceil(left / 1_000)) };
};

export const granted = (limit: number, remaining: number, at: number): Answer => ({
  kind: "answered",
  status: 200,
  errorCode: "",
  headers: headersAt(limit, remaining, at),
});

const refused = (limit: number, at: number, errorCode: string): Answer => ({
  ...granted(limit, 0, at),
  status: 429,
  errorCode,
});

const replay = (answer: Answer): Answer => ({ ...answer, isReplay: true });

/** Counted by one process, whose clock is a day behind that of the database. */
function alone(limit: number, remaining: number, at: number): Answer {
  const answer = granted(limit, remaining, at);
  return { ...answer, headers: { ...answer.headers, reset: (answer.headers.reset ?? 0) - 86_400 } };
}

const unavailable: Answer = {
  kind: "answered",
  status: 503,
  errorCode: "SERVICE_UNAVAILABLE",
  headers: { retryAfter: 1 },
};
const strange: Answer = { kind: "answered", status: 401, errorCode: "UNAUTHORIZED", headers: {} };

const changed = (group: string, limit: number, at: number): LimitChange => ({
  organizationId,
  group,
  limit,
  setting: { from: at, to: at },
});

const incident = (fault: Incident["fault"], gateway: string | undefined, from: number, to: number): Incident => ({
  fault,
  gateway,
  whole: { from, to },
  full: { from, to },
});

const counter = (group: string, window: number, used: number): Counter => ({
  bucket: bucketOf(group),
  reset: firstReset + window * 60,
  used,
});
