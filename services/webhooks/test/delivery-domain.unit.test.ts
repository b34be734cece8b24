import { expect, test } from "@jest/globals";
import { agreementReceiverId } from "../consumers/fan-out.ts";
import { connectDelayAfter, delayAfter } from "../domain/delivery.ts";
import { type Asked, errorText, outcomeOf, parseRetryAfter } from "../domain/outcome.ts";
import { answered, failed } from "./receivers.ts";

const now = new Date("2026-05-04T10:00:00.000Z");
const hour = 3_600_000;
const healthy: Asked = { kind: "standard", failingSince: undefined, isEnabled: true };
const facts = { step: 0, asked: healthy, random: 0.5, now };
const waitOf = (dueAt: Date | undefined): number => (dueAt?.getTime() ?? Number.NaN) - now.getTime();

test("there are ten attempts over about three days, each delay at most a fifth shorter or longer", () => {
  const planned = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400].map((seconds) => seconds * 1_000);
  const steps = [...planned.keys()];
  expect(steps.map((step) => delayAfter(step, 0.5))).toEqual(planned);
  expect(steps.map((step) => delayAfter(step, 0))).toEqual(planned.map((ms) => ms * 0.8));
  expect(delayAfter(0, 0.999_999)).toBe(6_000);
  expect(delayAfter(9, 0.5)).toBeUndefined();
  expect([connectDelayAfter(0), connectDelayAfter(8), connectDelayAfter(9)]).toEqual([24 * hour, 24 * hour, undefined]);
});

test("Retry-After is read as seconds and as a date, and nothing else", () => {
  expect(parseRetryAfter("120", now)).toBe(120_000);
  expect(parseRetryAfter("Mon, 04 May 2026 10:00:07 GMT", now)).toBe(7_000);
  expect(parseRetryAfter("Mon, 04 May 2026 09:00:00 GMT", now)).toBe(0);
  for (const text of ["", "-1", "1.5", "1e3", "soon", "2026-05-04", "9".repeat(65)]) {
    expect(parseRetryAfter(text, now)).toBeUndefined();
  }
});

test("a receiver that is busy may ask for up to twice the delay, and never for less", () => {
  const waits = (status: number, retryAfter?: string) =>
    waitOf(outcomeOf({ ...facts, result: answered(status, retryAfter) }).dueAt);
  expect(waits(429, "8")).toBe(8_000);
  expect(waits(503, "8")).toBe(8_000);
  expect(waits(429, "1")).toBe(5_000);
  expect(waits(429, "99999999999999999999")).toBe(10_000);
  expect(waits(500, "8")).toBe(5_000);
  expect(waits(429, "later")).toBe(5_000);
});

test("only statuses from 200 to 299 are a success", () => {
  for (const status of [200, 204, 299]) {
    expect(outcomeOf({ ...facts, result: answered(status) })).toEqual({ status: "delivered" });
  }
  for (const status of [199, 300, 301, 307, 400, 404, 500]) {
    expect(outcomeOf({ ...facts, result: answered(status) })).toMatchObject({ status: "failed", failingSince: now });
  }
  expect(outcomeOf({ ...facts, step: 9, result: answered(500) })).toMatchObject({ status: "dead", disable: undefined });
});

test("410 disables an endpoint at once, and five days of failures do", () => {
  expect(outcomeOf({ ...facts, result: answered(410) })).toMatchObject({ status: "dead", disable: "gone" });
  const since = (ms: number): Asked => ({ ...healthy, failingSince: new Date(now.getTime() - ms) }) as Asked;
  const after = (ms: number) => outcomeOf({ ...facts, asked: since(ms), result: failed("timeout") });
  expect(after(120 * hour)).toMatchObject({ status: "failed", disable: undefined });
  expect(after(120 * hour + 1)).toMatchObject({ status: "dead", disable: "failing" });
  expect(outcomeOf({ ...facts, asked: since(121 * hour), result: answered(200) })).toEqual({ status: "delivered" });
  const switchedOff: Asked = { kind: "standard", failingSince: undefined, isEnabled: false };
  expect(outcomeOf({ ...facts, asked: switchedOff, result: answered(410) })).toMatchObject({
    status: "dead",
    disable: undefined,
  });
});

test("what the address before answers says nothing of the one that the endpoint has by now", () => {
  const moved: Asked = { kind: "standard", failingSince: undefined, isEnabled: true, isMoved: true };
  for (const result of [answered(410), answered(500), failed("timeout")]) {
    const outcome = outcomeOf({ ...facts, asked: moved, result });
    expect(outcome).toMatchObject({ status: "failed", failingSince: undefined, disable: undefined });
    expect(waitOf(outcome.dueAt)).toBe(5_000);
  }
});

test("receivers of the compatible interface are asked again daily when they acknowledge, else never", () => {
  const connect = (requiresAcknowledgement: boolean, step: number, status: number) =>
    outcomeOf({
      ...{ ...facts, step, result: answered(status) },
      asked: { kind: "connect", requiresAcknowledgement, isEnabled: true },
    });
  expect(waitOf(connect(true, 0, 500).dueAt)).toBe(24 * hour);
  expect(connect(true, 9, 500)).toMatchObject({ status: "dead" });
  expect(connect(true, 0, 410)).toMatchObject({ status: "failed", disable: undefined });
  expect(connect(false, 0, 500)).toMatchObject({ status: "dead", disable: undefined });
  expect(connect(false, 0, 204)).toEqual({ status: "delivered" });
});

test("the customer is told what went wrong", () => {
  expect(errorText(answered(204), 15_000)).toBe("");
  expect(errorText(answered(500), 15_000)).toBe("The receiver answered 500.");
  expect(errorText(failed("timeout"), 15_000)).toBe("The attempt timed out after 15 s.");
  expect(errorText(failed("connection"), 15_000)).toBe("The connection failed.");
});

test("the receivers of an agreement have ids of their own, always the same", () => {
  const id = agreementReceiverId("0198f3a1-7c00-7000-8000-000000000001", 0);
  expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(agreementReceiverId("0198f3a1-7c00-7000-8000-000000000001", 0)).toBe(id);
  expect(agreementReceiverId("0198f3a1-7c00-7000-8000-000000000001", 1)).not.toBe(id);
});
