import { expect, test } from "@jest/globals";
import { checkBudgets } from "./check.ts";
import { accept, bucketOf, granted, healthyRun, type Mutable, type Run } from "./healthy-run.ts";
import { type Call, drillTolerances, type Outcome, type RateHeaders, type Violation } from "./history.ts";

const violationsOf = ({ history, observation }: Run): Violation[] =>
  checkBudgets(history, observation, drillTolerances);

/** What makes a healthy run a bad one, by what is then wrong with it. */
function expectViolations(rule: string, spoilings: Readonly<Record<string, (run: Run) => unknown>>): void {
  test.each(Object.entries(spoilings))(`${rule}: %s`, (_what, spoil) => {
    const run = healthyRun();
    spoil(run);
    expect(violationsOf(run).map((violation) => violation.rule)).toContain(rule);
  });
}

type Answer = Mutable<Extract<Outcome, { kind: "answered" }>>;

/** The first request of a group that was answered like this. */
function callOf({ history }: Run, group: string, status: number, last = false): Mutable<Call> {
  const fits = ({ outcome, ...call }: Call): boolean =>
    call.group === group && outcome.kind === "answered" && outcome.status === status;
  const found = last ? history.calls.findLast(fits) : history.calls.find(fits);
  if (found === undefined) throw new Error(`no ${status} in ${group}`);
  return found;
}

const answerOf = (...of: Parameters<typeof callOf>): Answer => callOf(...of).outcome as Answer;

const setHeaders = (run: Run, group: string, status: number, headers: Partial<RateHeaders>): void => {
  Object.assign(answerOf(run, group, status).headers, headers);
};

const again = (run: Run, call: Call, changes: Partial<Call>): void => {
  run.history.calls.push({ ...structuredClone(call), ...changes } as Mutable<Call>);
};

const counterOf = ({ observation }: Run, group: string) => {
  const counter = observation.counters.find(({ bucket }) => bucket === bucketOf(group));
  if (counter === undefined) throw new Error(`nothing is counted for ${group}`);
  return counter;
};

test("nothing is wrong with a healthy run", () => {
  expect(violationsOf(healthyRun())).toEqual([]);
});

expectViolations("never over the limit", {
  "one grant too many": (run) =>
    again(run, callOf(run, "render", 200), { sentAt: 3_500, answeredAt: 3_520, outcome: granted(3, 0, 3_500) }),
  "a crash forgot more than its last second": (run) => {
    const old = { sentAt: 15_000, answeredAt: 15_020 };
    for (let n = 0; n < 62; n += 1)
      again(run, callOf(run, "other", 200, true), { ...old, outcome: granted(60, 0, 15_000) });
  },
});

expectViolations("the whole limit is granted", {
  "refused while one is left": (run) => {
    run.history.calls.splice(run.history.calls.indexOf(callOf(run, "render", 200)), 1);
  },
});

expectViolations("no remaining twice", {
  "two answers with the same remaining": (run) => setHeaders(run, "render", 200, { remaining: 1 }),
});

expectViolations("no remaining left out", {
  "a place that nobody had": (run) => setHeaders(run, "other", 404, { remaining: 30 }),
});

expectViolations("remaining only falls", {
  "a later request has more left": (run) => {
    const ofRender = run.history.calls.filter(({ group }) => group === "render");
    const [first, second] = ofRender.map(({ outcome }) => outcome as Answer);
    if (first === undefined || second === undefined) throw new Error("there are no two answers");
    [first.headers, second.headers] = [second.headers, first.headers];
  },
});

expectViolations("refused until the window ends", {
  "granted after a refusal": (run) => {
    Object.assign(callOf(run, "render", 429), { sentAt: 3_030, answeredAt: 3_050 });
  },
});

expectViolations("the counters are the grants", {
  "one was not counted": (run) => {
    counterOf(run, "accept").used = 4;
  },
  "one was counted for somebody else": (run) => {
    counterOf(run, "render").used = 4;
  },
  "a refusal was counted": (run) => {
    counterOf(run, "accept").used = 6;
  },
});

expectViolations("only clients are counted", {
  "a stranger has a counter": (run) =>
    run.observation.counters.push({ bucket: "ak_live_nobody other", reset: 1_800_000_000, used: 1 }),
});

const aloneOf = (run: Run): Mutable<Call> => {
  const call = run.history.calls.find(({ gateway, method }) => gateway === "gateway-2" && method === "GET");
  if (call === undefined) throw new Error("no process counted alone");
  return call;
};

expectViolations("a process alone grants the limit", {
  "one grant too many": (run) => {
    for (let n = 0; n < 60; n += 1) again(run, aloneOf(run), {});
  },
});

expectViolations("writes are counted together", {
  "a process granted a write alone": (run) => again(run, aloneOf(run), { method: "POST" }),
});

expectViolations("all four headers", {
  "one is missing on a success": (run) => {
    const { reset: _reset, ...others } = answerOf(run, "render", 200).headers;
    answerOf(run, "render", 200).headers = others;
  },
  "none on a 404": (run) => {
    answerOf(run, "other", 404).headers = {};
  },
  "one is no number": (run) => setHeaders(run, "render", 429, { retryAfter: Number.NaN }),
});

expectViolations("no client, no budget", {
  "a stranger is told of a budget": (run) => setHeaders(run, "other", 401, { limit: 50, remaining: 49 }),
});

expectViolations("503 with Retry-After", {
  without: (run) => {
    answerOf(run, "accept", 503).headers = {};
  },
});

expectViolations("remaining is what is left", {
  "something is left on a refusal": (run) => setHeaders(run, "render", 429, { remaining: 1 }),
  "as much is left as before": (run) => setHeaders(run, "other", 404, { remaining: 50 }),
});

expectViolations("the error code of a refusal", {
  "another one": (run) => {
    answerOf(run, "render", 429).errorCode = "RATE_LIMIT_EXCEEDED";
  },
});

expectViolations("the limit in force", {
  "one that was never set": (run) => setHeaders(run, "render", 200, { limit: 4, remaining: 3 }),
  "the old one, long after the change": (run) => setHeaders(run, "other", 200, { limit: 50, remaining: 47 }),
  "the new one, before the change": (run) => setHeaders(run, "other", 404, { limit: 60, remaining: 59 }),
});

expectViolations("reset is the end of this window", {
  "between two windows": (run) => setHeaders(run, "render", 200, { reset: 1_799_999_999 }),
  "the window before": (run) => setHeaders(run, "render", 200, { reset: 1_799_999_940 }),
  "the window after": (run) => setHeaders(run, "render", 200, { reset: 1_800_000_060 }),
});

expectViolations("Retry-After leads to the reset", {
  "at once": (run) => setHeaders(run, "render", 429, { retryAfter: 0 }),
  "too early": (run) => setHeaders(run, "render", 429, { retryAfter: 3 }),
  "too late": (run) => setHeaders(run, "render", 200, { retryAfter: 10 }),
});

expectViolations("what was granted is stored", {
  "a receipt is missing": (run) => run.observation.receiptIds.pop(),
});

expectViolations("what was refused is not stored", {
  "a receipt that nobody was given": (run) => run.observation.receiptIds.push("one more", "and another"),
});

expectViolations("a refusal leaves no trace", {
  "its retry finds a record": (run) => {
    const { calls } = run.history;
    const retried = calls.find(
      ({ key, outcome }) => key === "refused" && "status" in outcome && outcome.status === 201,
    );
    Object.assign(retried?.outcome ?? {}, { isReplay: true, status: 200 });
  },
});

expectViolations("recorded once", {
  "a key has two receipts": (run) => {
    const second = accept("key-0", 12_500, granted(5, 2, 12_500));
    again(run, second, { outcome: { ...(second.outcome as Answer), receiptId: "another" } as Outcome });
  },
});

expectViolations("answered when all is well", {
  "no answer": (run) => {
    callOf(run, "other", 404).outcome = { kind: "lost" };
  },
  "503 without a fault": (run) => {
    const call = callOf(run, "accept", 503);
    Object.assign(call, { sentAt: 8_000, answeredAt: 8_020 });
  },
  "503 of a gateway that nothing happened to": (run) => {
    callOf(run, "accept", 503).gateway = "gateway-3";
  },
});

expectViolations("writes wait for the windows", {
  "one was served": (run) => {
    const call = callOf(run, "accept", 503);
    call.outcome = accept("waits", call.sentAt, granted(5, 2, call.sentAt)).outcome;
  },
});

expectViolations("reads go on", {
  "one was not served": (run) => {
    aloneOf(run).outcome = answerOf(run, "accept", 503);
  },
});

expectViolations("only foreseen answers", {
  "an internal error": (run) => {
    answerOf(run, "other", 404).status = 500;
  },
  "a client was a stranger": (run) => {
    answerOf(run, "other", 404).status = 401;
  },
});
