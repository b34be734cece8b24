import { describe, expect, test } from "@jest/globals";
import { activeKey, leadMs, plannedKey, type ScheduledKey } from "#platform/key-schedule.ts";
import { publishedKeys, retentionMs, retiredKeys, rotationMs } from "../domain/signing-key.ts";

const start = Date.UTC(2026, 0, 1);
const at = (ms: number): Date => new Date(start + ms);
const generations = (keys: readonly ScheduledKey[]): number[] => keys.map((key) => key.generation);
const first: ScheduledKey = { generation: 1, signsFrom: at(0) };
const second: ScheduledKey = { generation: 2, signsFrom: at(rotationMs) };

describe("plannedKey", () => {
  test("the first key signs at once", () => {
    expect(plannedKey([], at(0), rotationMs)).toEqual(first);
  });

  test("the next key is made a day before it takes over, not earlier and not twice", () => {
    expect(plannedKey([first], at(rotationMs - leadMs - 1), rotationMs)).toBeUndefined();
    expect(plannedKey([first], at(rotationMs - leadMs), rotationMs)).toEqual(second);
    expect(plannedKey([first, second], at(rotationMs - leadMs), rotationMs)).toBeUndefined();
    expect(plannedKey([first, second], at(rotationMs), rotationMs)).toBeUndefined();
  });

  test("after a long standstill the next key is still published for a day before it signs", () => {
    const late = rotationMs * 3;
    expect(plannedKey([first], at(late), rotationMs)).toEqual({ generation: 2, signsFrom: at(late + leadMs) });
  });

  test("a clock that is behind makes no second first key", () => {
    expect(plannedKey([first], at(-5_000), rotationMs)).toBeUndefined();
  });
});

describe("activeKey", () => {
  test("the newest key that has taken over signs", () => {
    expect(activeKey([first, second], at(rotationMs - 1))).toBe(first);
    expect(activeKey([first, second], at(rotationMs))).toBe(second);
  });

  test("the first key signs for a clock that is behind", () => {
    expect(activeKey([first], at(-5_000))).toBe(first);
    expect(activeKey([], at(0))).toBeUndefined();
  });
});

describe("publishedKeys", () => {
  test("the next key is published before it signs, the old one until its last token has expired and an hour more", () => {
    expect(generations(publishedKeys([first, second], at(rotationMs - leadMs)))).toEqual([1, 2]);
    expect(generations(publishedKeys([first, second], at(rotationMs + retentionMs - 1)))).toEqual([1, 2]);
    expect(generations(publishedKeys([first, second], at(rotationMs + retentionMs)))).toEqual([2]);
  });

  test("what is not published any more is retired, and the newest key never is", () => {
    expect(retiredKeys([first, second], at(rotationMs + retentionMs - 1))).toEqual([]);
    expect(generations(retiredKeys([first, second], at(rotationMs * 100)))).toEqual([1]);
  });

  test("the active key is published at every hour of ten years", () => {
    const keys: ScheduledKey[] = [];
    const hour = 60 * 60 * 1000;
    const without: number[] = [];
    for (let ms = 0; ms < 10 * 365 * 24 * hour; ms += hour) {
      const planned = plannedKey(keys, at(ms), rotationMs);
      if (planned !== undefined) keys.push(planned);
      const active = activeKey(keys, at(ms));
      if (active === undefined || !publishedKeys(keys, at(ms)).includes(active)) without.push(ms);
    }
    expect(without).toEqual([]);
    expect(keys.length).toBe(122);
  });
});
