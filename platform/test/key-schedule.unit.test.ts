import { describe, expect, test } from "@jest/globals";
import {
  activeKey,
  leadMs,
  neverSigns,
  plannedKey,
  type ScheduledKey,
  signedAt,
  takeoverOf,
  toleranceMs,
  validityOf,
} from "../key-schedule.ts";

const start = Date.parse("2026-11-20T12:00:00Z");
const at = (ms: number) => new Date(start + ms);
const key = (generation: number, ms: number, revokedMs?: number): ScheduledKey => ({
  generation,
  signsFrom: at(ms),
  revokedAt: revokedMs === undefined ? null : at(revokedMs),
});
const dayMs = 86_400_000;
const year = 365 * dayMs;
const revocationSpreadMs = 60_000;

describe("the schedule of keys", () => {
  test("the first key signs at once, also for a clock that is behind", () => {
    expect(plannedKey([], at(0), year)).toEqual({ generation: 1, signsFrom: at(0) });
    expect(activeKey([key(1, 0)], at(-30_000))).toEqual(key(1, 0));
    expect(plannedKey([key(1, 0)], at(-dayMs), year)).toBeUndefined();
  });

  test("a successor is stored a day ahead, and the last one's signatures stay good", () => {
    const keys = [key(1, 0)];
    expect(plannedKey(keys, at(year - leadMs - 1), year)).toBeUndefined();
    expect(plannedKey(keys, at(year - leadMs), year)).toEqual({ generation: 2, signsFrom: at(year) });
    // Nobody called for long: the new key is announced a day ahead all the same.
    expect(plannedKey(keys, at(2 * year), year)).toEqual({ generation: 2, signsFrom: at(2 * year + leadMs) });
    const two = [key(1, 0), key(2, year)];
    expect([activeKey(two, at(year - 1))?.generation, activeKey(two, at(year))?.generation]).toEqual([1, 2]);
    expect(validityOf(two, key(1, 0))).toEqual({ from: at(-toleranceMs), until: at(year + toleranceMs) });
    expect(signedAt(two, key(1, 0), at(year + toleranceMs - 1))).toBe(true);
    expect(signedAt(two, key(1, 0), at(year + toleranceMs))).toBe(false);
    expect(signedAt(two, key(2, year), at(year - toleranceMs - 1))).toBe(false);
  });

  test("when the key that signs is revoked a new one takes over at once, although another one is planned", () => {
    const keys = [key(1, 0, 1_000), key(2, dayMs)];
    expect(plannedKey(keys, at(500), year)).toEqual({ generation: 3, signsFrom: at(500) });
    const three = [...keys, key(3, 500)];
    expect(activeKey(three, at(500))?.generation).toBe(3);
    expect(activeKey(three, at(400))?.generation).not.toBe(1);
    expect(activeKey(three, at(2 * dayMs))?.generation).toBe(3);
    expect(neverSigns(three, key(2, dayMs))).toBe(true);
    expect(takeoverOf(three, key(1, 0, 1_000))).toEqual(at(500));
    expect(plannedKey(three, at(500), year)).toBeUndefined();
  });

  test("what a revoked key signed before stays good, and nothing from then on does", () => {
    const keys = [key(1, 0, 5_000), key(2, 4_000)];
    expect(signedAt(keys, key(1, 0, 5_000), at(4_999))).toBe(true);
    expect(signedAt(keys, key(1, 0, 5_000), at(5_000))).toBe(false);
  });

  test("a key that is revoked before its turn takes over from nobody", () => {
    const keys = [key(1, 0), key(2, dayMs, 60_000)];
    expect(activeKey(keys, at(2 * dayMs))?.generation).toBe(1);
    expect(takeoverOf(keys, key(1, 0))).toBeNull();
    expect(neverSigns(keys, key(2, dayMs, 60_000))).toBe(true);
    expect(plannedKey(keys, at(year - leadMs), year)).toEqual({ generation: 3, signsFrom: at(year) });
  });

  test("without any key that is not revoked there is none to sign with, and a new one to be made", () => {
    expect(activeKey([key(1, 0, 1_000)], at(2_000))).toBeUndefined();
    expect(plannedKey([key(1, 0, 1_000)], at(2_000), year)).toEqual({ generation: 2, signsFrom: at(2_000) });
  });

  test.each([1, 2, 3, 4, 5])("whatever operators do, a good key signs at any time (%i)", (seed) => {
    const random = randomNumbers(seed);
    let keys: ScheduledKey[] = [];
    let now = 0;
    const read = () => {
      const planned = plannedKey(keys, at(now), 30 * dayMs);
      if (planned !== undefined) keys = [...keys, { ...planned, revokedAt: null }];
    };
    const actions = [
      () => {
        now += Math.floor(random() * 20 * dayMs);
      },
      () => {
        now += Math.floor(random() * 120_000);
      },
      () => {
        keys = [...keys, key(keys.length + 1, now)];
      },
      () => {
        const one = Math.floor(random() * keys.length);
        const revokedAt = at(now + revocationSpreadMs);
        keys = keys.map((other, index) =>
          index === one && other.revokedAt === null ? { ...other, revokedAt } : other,
        );
      },
    ];
    for (let step = 0; step < 400; step += 1) {
      actions[Math.floor(random() * actions.length)]?.();
      read();
      const active = activeKey(keys, at(now));
      expect(active?.revokedAt).toBeNull();
      expect(signedAt(keys, active as ScheduledKey, at(now))).toBe(true);
      expect(neverSigns(keys, active as ScheduledKey)).toBe(false);
      expect(plannedKey(keys, at(now), 30 * dayMs)).toBeUndefined();
    }
    expect(keys.length).toBeGreaterThan(100);
  });
});

/** Park and Miller's generator: the same numbers on every run. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}
