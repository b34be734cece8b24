import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { acceptTimeBucket, acceptTimeQuantile } from "../template-stats.ts";

const bucketsOf = (times: readonly number[]) => times.map((ms) => ({ bucket: acceptTimeBucket(ms), acceptances: 1 }));

describe("acceptTimeQuantile", () => {
  test("is null without acceptances", () => {
    expect(acceptTimeQuantile([], 0.5)).toBeNull();
  });

  test("is at most 5 % off the real one", () => {
    const times = fc.array(fc.integer({ min: 100, max: 100_000_000 }), { minLength: 1, maxLength: 50 });
    fc.assert(
      fc.property(times, fc.constantFrom(0.5, 0.9), (all, part) => {
        const real = all.toSorted((a, b) => a - b)[Math.ceil(all.length * part) - 1] as number;
        const read = acceptTimeQuantile(bucketsOf(all), part) as number;
        expect(Math.abs(read - real) / real).toBeLessThan(0.05);
      }),
    );
  });

  test("takes times that are no times", () => {
    expect(acceptTimeQuantile(bucketsOf([-5, 0, 0.5]), 0.9)).toBe(0);
    expect(acceptTimeBucket(Number.MAX_SAFE_INTEGER)).toBeLessThan(32_767);
  });
});
