import { describe, expect, test } from "@jest/globals";
import { planErasure, plannedReceipt, portionsOf } from "../erasure-rules.ts";

const now = new Date("2026-11-20T12:00:00.000Z");
const days = (n: number) => new Date(now.getTime() + n * 86_400_000);
const receipt = (since: Date, retentionDays: number, restrictedUntil: Date | null = null) =>
  plannedReceipt({ receiptId: "r", since, retentionDays, restrictedUntil });
const planOne = (...[since, retentionDays, restrictedUntil]: Parameters<typeof receipt>) => {
  const { erase, restrict, restricted } = planErasure([receipt(since, retentionDays, restrictedUntil)], now, 10);
  return { erase: erase.length, restrict: restrict[0]?.until, restricted: restricted[0]?.until };
};
const nothing = { erase: 0, restrict: undefined, restricted: undefined };

describe("planning an erasure", () => {
  test("erases what need not be kept, or not any longer", () => {
    const erased = { ...nothing, erase: 1 };
    expect(planOne(now, 0)).toEqual(erased);
    expect(planOne(days(-3), 3)).toEqual(erased);
    expect(planOne(days(-3), 2)).toEqual(erased);
  });

  test("restricts what must be kept, to the millisecond", () => {
    const almost = new Date(days(-3).getTime() + 1);
    expect(planOne(almost, 3)).toEqual({ ...nothing, restrict: new Date(now.getTime() + 1) });
    expect(planOne(now, 36_525)).toEqual({ ...nothing, restrict: days(36_525) });
  });

  test("leaves what is restricted as it is until its time is over, whatever would hold today", () => {
    expect(planOne(now, 0, days(1))).toEqual({ ...nothing, restricted: days(1) });
    expect(planOne(now, 30, days(1))).toEqual({ ...nothing, restricted: days(1) });
    expect(planOne(now, 30, now)).toEqual({ ...nothing, erase: 1 });
  });

  test("restricts longer what belongs to something that must be kept longer", () => {
    const session = { recordId: "s", keepUntil: days(9), restrictedUntil: days(3) };
    expect(planErasure([session], now, 1).restrict).toEqual([{ recordId: "s", until: days(9) }]);
  });

  test("takes no more than there is room for, and says so", () => {
    const free = { keepUntil: null, restrictedUntil: null };
    const kept = { keepUntil: days(1), restrictedUntil: null };
    const held = { keepUntil: days(1), restrictedUntil: days(1) };
    const records = [free, kept, held, free, kept].map((one, n) => ({ ...one, recordId: `${n}` }));
    const sizes = [0, 1, 2, 3, 4].map((room) => {
      const { erase, restrict, restricted, complete } = planErasure(records, now, room);
      return [erase.length, restrict.length, restricted.length, complete];
    });
    expect(sizes).toEqual([
      [0, 0, 1, false],
      [1, 0, 1, false],
      [2, 0, 1, false],
      [2, 1, 1, false],
      [2, 2, 1, true],
    ]);
  });
});

describe("the names of an erasure", () => {
  test("are all in portions of a size, each once", () => {
    const ids = (prefix: string, n: number) => Array.from({ length: n }, (_, index) => `${prefix}${index}`);
    const names = { receipts: ids("r", 5), sessions: ids("s", 2), restricted: ids("k", 4) };
    const portions = portionsOf(names, 3);
    expect(portions.map((one) => one.receipts.length + one.sessions.length + one.restricted.length)).toEqual([
      3, 3, 3, 2,
    ]);
    for (const list of ["receipts", "sessions", "restricted"] as const) {
      expect(portions.flatMap((one) => one[list])).toEqual(names[list]);
    }
    expect(portionsOf({ receipts: [], sessions: [], restricted: [] })).toEqual([]);
  });
});
