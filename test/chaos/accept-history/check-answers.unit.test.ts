import { randomUUID } from "node:crypto";
import { expect, test } from "@jest/globals";
import { healthyRun, type Run } from "./healthy-run.ts";
import { lastClient, type Outcome } from "./history.ts";
import { askLater, expectViolations, firstOf, receiptOf, replayed, violationsOf } from "./spoiled-run.ts";

const refused = (errorCode: string): Outcome => ({ kind: "refused", status: 409, errorCode });

const recordOf = (run: Run, key: string) => {
  const record = run.observation.records.find(({ recordId }) => recordId === receiptOf(run, key).receiptId);
  if (record === undefined) throw new Error(`the key ${key} has no row`);
  return record;
};

test("a run in which nothing is wrong has no violation", async () => {
  expect(await violationsOf(await healthyRun())).toEqual([]);
});

expectViolations("one receipt for each key", {
  "another receipt is answered later": (run) =>
    askLater(run, "lone", { outcome: structuredClone(firstOf(run, "session").outcome) }),
});

expectViolations("an answer never changes", {
  "a replay says another time": (run) => {
    askLater(run, "lone", { outcome: replayed(structuredClone(firstOf(run, "lone"))) });
    receiptOf(run, "lone").acceptedAt = "2026-11-20T17:00:01.000Z";
  },
});

expectViolations("recorded once", {
  "two answers at the same time say that they recorded": (run) => askLater(run, "lone", { startedAt: 0 }),
});

expectViolations("a replay is not fresh", {
  "it is recorded after it was replayed": (run) => {
    const outcome = { kind: "ok", fresh: true, receipts: [receiptOf(run, "retried")] } as const;
    askLater(run, "retried", { outcome });
  },
});

expectViolations("a replay is not refused", {
  "its session has been closed meanwhile": (run) =>
    askLater(run, "session", { outcome: refused("CLICK_SESSION_CLOSED") }),
});

expectViolations("one body for each key", {
  "another body gets the receipt": (run) =>
    askLater(run, "lone", { variant: "other user", outcome: replayed(firstOf(run, "lone")) }),
});

expectViolations("422 only for another body", {
  "it is the body that was recorded": (run) => askLater(run, "lone", { outcome: { kind: "reused" } }),
  "nothing was recorded": (run) => askLater(run, "late session", { outcome: { kind: "reused" } }),
});

expectViolations("only foreseen errors", {
  "an internal error": (run) => askLater(run, "retried", { outcome: { kind: "unknown", reason: "INTERNAL_ERROR" } }),
  "a refusal of what is right": (run) =>
    askLater(run, "late session", { outcome: refused("CLICK_TEMPLATE_NOT_FOUND") }),
});

expectViolations("answered when all is well", {
  "the last one who asks is not": (run) =>
    askLater(run, "lone", { client: lastClient, outcome: { kind: "unknown", reason: "TimeoutError" } }),
});

expectViolations("no receipt is lost", {
  "an acceptance is not stored": ({ observation, ...run }) => {
    const { recordId } = recordOf({ observation, ...run }, "lone");
    observation.records = observation.records.filter((record) => record.recordId !== recordId);
  },
  "a change of consent is not stored": ({ observation }) => observation.consents.pop(),
});

expectViolations("a receipt has one key", {
  "it is answered under another one": (run) => askLater(run, "lone", { key: "another" }),
});

expectViolations("no row without a request", {
  "a key has a second row that nobody was told of": (run) =>
    run.observation.records.push({ ...recordOf(run, "lone"), recordId: randomUUID() }),
  "all requests of a key were refused": (run) => {
    firstOf(run, "session").outcome = { ...refused("CLICK_SESSION_CLOSED") } as never;
  },
});

expectViolations("a session is used once", {
  "two keys have a row with it": (run) => {
    recordOf(run, "lone").sessionId = recordOf(run, "session").sessionId;
  },
});

expectViolations("no event is lost", {
  "it was written and never came": ({ observation }) => observation.delivered.shift(),
});

expectViolations("one event for each record", {
  "an acceptance was announced twice": ({ observation }) => {
    const again = { id: randomUUID(), subject: "", aggregateId: "", ...observation.delivered[0] };
    again.id = randomUUID();
    observation.delivered.push(again);
    observation.outbox.push(again.id);
  },
  "a change of consent was not announced": ({ observation }) => {
    const [event] = observation.delivered.filter(({ subject }) => subject === "assent.click.consent.granted");
    observation.delivered = observation.delivered.filter((one) => one !== event);
    observation.outbox = observation.outbox.filter((id) => id !== event?.id);
  },
});

expectViolations("no event without its record", {
  "what it announced was undone": ({ observation }) => {
    const event = { id: randomUUID(), subject: "assent.click.acceptance.recorded", aggregateId: randomUUID() };
    observation.delivered.push(event);
    observation.outbox.push(event.id);
  },
  "it was never written": ({ observation }) =>
    observation.delivered.push({ id: randomUUID(), subject: "assent.click.session.created", aggregateId: "" }),
});
