import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { planLimits, rateNow, rateOf, windowSeconds, windowStart, windowsNow } from "../domain/usage.ts";

const plan = planLimits.gen_pro;
const at = (text: string) => new Date(text);

test("plans allow what was promised, in an hour and in a minute", () => {
  expect(planLimits).toEqual({
    gen_starter: { hour: 60, minute: 1 },
    gen_pro: { hour: 600, minute: 10 },
    gen_hoa: { hour: 600, minute: 10 },
    business: { hour: 1_200, minute: 20 },
    gen_payg: { hour: 6_000, minute: 100 },
  });
});

describe("the state of the rate", () => {
  test("is that of the window that has less left", () => {
    const now = at("2026-03-01T10:20:30.000Z");
    expect(rateNow(plan, { now, used: { hour: 5, minute: 5 } })).toEqual({
      limit: 10,
      remaining: 5,
      resetAt: Date.parse("2026-03-01T10:21:00Z") / 1000,
      retryAfterSeconds: 30,
      windowSeconds: 60,
    });
    expect(rateNow(plan, { now, used: { hour: 598, minute: 5 } })).toEqual({
      limit: 600,
      remaining: 2,
      resetAt: Date.parse("2026-03-01T11:00:00Z") / 1000,
      retryAfterSeconds: 2_370,
      windowSeconds: 3_600,
    });
  });

  test("is that of the hour when both have the same left", () => {
    const now = at("2026-03-01T10:20:30.000Z");
    expect(rateNow(plan, { now, used: { hour: 595, minute: 5 } }).windowSeconds).toBe(3_600);
    expect(rateNow(plan, { now, used: { hour: 600, minute: 10 } }).windowSeconds).toBe(3_600);
  });

  test("has nothing left, and not less, after the plan became smaller", () => {
    const now = at("2026-03-01T10:20:30.000Z");
    expect(rateNow(planLimits.gen_starter, { now, used: { hour: 61, minute: 100 } }).remaining).toBe(0);
  });

  test("says at least a second until the reset, and never less than is left", () => {
    const lastMs = { now: at("2026-03-01T10:20:59.999Z"), used: { hour: 0, minute: 0 } };
    expect(rateOf("minute", plan, lastMs).retryAfterSeconds).toBe(1);
    const firstMs = { now: at("2026-03-01T10:21:00.000Z"), used: { hour: 0, minute: 0 } };
    expect(rateOf("minute", plan, firstMs).retryAfterSeconds).toBe(60);
    const secondMs = { now: at("2026-03-01T10:21:00.001Z"), used: { hour: 0, minute: 0 } };
    expect(rateOf("minute", plan, secondMs).retryAfterSeconds).toBe(60);
  });
});

test("windows begin at multiples of their length since the epoch and hold every time until the next", () => {
  fc.assert(
    fc.property(fc.date({ min: new Date(0), max: new Date("2200-01-01"), noInvalidDate: true }), (now) => {
      for (const name of ["hour", "minute"] as const) {
        const start = windowStart(name, now).getTime();
        const end = windowsNow(plan, { now, used: { hour: 0, minute: 0 } })[name].resetAt * 1000;
        expect([start % (windowSeconds[name] * 1000), end - start]).toEqual([0, windowSeconds[name] * 1000]);
        expect(start <= now.getTime() && now.getTime() < end).toBe(true);
      }
    }),
  );
});
