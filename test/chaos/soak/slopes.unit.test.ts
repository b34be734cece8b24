import { expect, test } from "@jest/globals";
import { createRandom } from "../accept-history/random.ts";
import { isFlat, type Series, slopePerSecond, verdictOf } from "./slopes.ts";

const random = createRandom(7);
/** Every 15 s for ten minutes, give or take 2. */
const heap = (at: (seconds: number) => number): Series => ({
  ...{ name: "click", unit: "heap MB" },
  points: Array.from({ length: 40 }, (_, n) => ({ at: n * 15, value: at(n * 15) + random.between(-2, 2) })),
});
const isKept = (series: Series): boolean => verdictOf(series).rise <= verdictOf(series).allowed;

test("a heap that goes up and down is kept, and one that a peak disturbs", () => {
  expect(isKept(heap(() => 80))).toBe(true);
  expect(isKept(heap((at) => (at === 300 ? 400 : 80)))).toBe(true);
});

test("a heap that only grows is found", () => {
  const leaking = heap((at) => 80 + at * 0.03);
  expect(slopePerSecond(leaking.points)).toBeCloseTo(0.03, 2);
  expect(isKept(leaking)).toBe(false);
});

test("a latency that rises is found, one that a bad moment disturbs is flat", () => {
  const points = (value: (minute: number) => number) =>
    Array.from({ length: 12 }, (_, n) => ({ at: n * 60, value: value(n) }));
  expect(isFlat(points(() => 40))).toBe(true);
  expect(isFlat(points((minute) => (minute === 10 ? 2_000 : 40)))).toBe(true);
  expect(isFlat(points((minute) => 40 + minute * 40))).toBe(false);
});
