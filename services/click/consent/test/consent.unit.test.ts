import { describe, expect, test } from "@jest/globals";
import { isUuid } from "#platform/ids.ts";
import { type ConsentEventType, type ExplainedEvent, expiryId, historyOf, stateAt } from "../consent.ts";

const time = (minute: number) => new Date(Date.UTC(2026, 10, 20, 12, minute));

let revision = 0;
const eventOf = (type: ConsentEventType, minute: number, changes: Partial<ExplainedEvent> = {}): ExplainedEvent => ({
  revision: ++revision,
  eventId: `event-${revision}`,
  purpose: "news",
  type,
  recordedAt: time(minute),
  occurredAt: null,
  source: "API",
  method: null,
  actorType: "USER",
  reason: null,
  text: null,
  legalBasis: null,
  jurisdiction: null,
  grantedAt: null,
  expiresAt: null,
  receiptId: "receipt",
  ...changes,
});

describe("stateAt", () => {
  test.each<[ConsentEventType, boolean]>([
    ["GRANTED", true],
    ["RENEWED", true],
    ["DENIED", false],
    ["WITHDRAWN", false],
  ])("%s is valid: %s", (type, valid) => {
    expect(stateAt(eventOf(type, 0), time(50))).toMatchObject({ status: type, valid, updatedAt: time(0) });
  });

  test("a grant holds until the moment it ends, and ends by time alone", () => {
    const event = eventOf("GRANTED", 0, { expiresAt: time(10) });
    expect(stateAt(event, new Date(time(10).getTime() - 1))).toMatchObject({ status: "GRANTED", valid: true });
    expect(stateAt(event, time(10))).toMatchObject({ status: "EXPIRED", valid: false, updatedAt: time(10) });
  });

  test("what was withdrawn does not expire", () => {
    expect(stateAt(eventOf("WITHDRAWN", 0, { expiresAt: time(1) }), time(10)).status).toBe("WITHDRAWN");
  });
});

describe("historyOf", () => {
  const told = (events: readonly ExplainedEvent[], minute: number) =>
    historyOf(events.toReversed(), time(minute)).map(
      ({ type, purpose, at }) => `${type} ${purpose} ${at.getUTCMinutes()}`,
    );

  test("shows when a grant ran out, among what happened to other purposes", () => {
    const events = [
      eventOf("GRANTED", 0, { expiresAt: time(10) }),
      eventOf("GRANTED", 5, { purpose: "ads" }),
      eventOf("WITHDRAWN", 20, { purpose: "ads" }),
    ];
    expect(told(events, 30)).toEqual(["WITHDRAWN ads 20", "EXPIRED news 10", "GRANTED ads 5", "GRANTED news 0"]);
    expect(told(events.slice(0, 2), 9)).toEqual(["GRANTED ads 5", "GRANTED news 0"]);
  });

  test("a grant that was ended or renewed in time did not run out; one that was renewed too late did", () => {
    const grant = eventOf("GRANTED", 0, { expiresAt: time(10) });
    expect(told([grant, eventOf("WITHDRAWN", 9)], 30)).toEqual(["WITHDRAWN news 9", "GRANTED news 0"]);
    const renewed = eventOf("RENEWED", 9, { expiresAt: time(40) });
    expect(told([grant, renewed], 30)).toEqual(["RENEWED news 9", "GRANTED news 0"]);
    const late = eventOf("RENEWED", 10, { expiresAt: time(40) });
    expect(told([grant, late], 30)).toEqual(["RENEWED news 10", "EXPIRED news 10", "GRANTED news 0"]);
  });

  test("leaves out what is not wanted, but minds it", () => {
    const events = [eventOf("GRANTED", 0, { expiresAt: time(10) }), eventOf("DENIED", 5)];
    const shown = historyOf(events.toReversed(), time(30), ({ type }) => type === "GRANTED");
    expect(shown.map(({ type }) => type)).toEqual(["GRANTED"]);
  });
});

describe("expiryId", () => {
  test("is a UUID that follows from the grant alone", () => {
    expect(expiryId("a")).toBe(expiryId("a"));
    expect(expiryId("a")).not.toBe(expiryId("b"));
    expect(isUuid(expiryId("a"))).toBe(true);
    expect(expiryId("a")).toMatch(/^.{14}8.{4}[89ab]/);
  });
});
