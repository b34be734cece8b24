import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { advance, type Cursor, type Look, startOfOutbox } from "../outbox-reader.ts";

const look = (positions: readonly number[], more: Partial<Look> = {}): Look => ({
  positions,
  isCut: false,
  oldestRunning: "100",
  nextId: "100",
  now: 0,
  ...more,
});
const ranges = ({ gaps }: Cursor) => gaps.map(({ from, to }) => [from, to]);

describe("advance", () => {
  test("notes what was passed over, and splits a gap at what comes later", () => {
    const first = advance(startOfOutbox, look([2, 3, 9]));
    expect([first.position, ranges(first)]).toEqual([
      9,
      [
        [1, 1],
        [4, 8],
      ],
    ]);
    const second = advance(first, look([1, 6, 11]));
    expect([second.position, ranges(second)]).toEqual([
      11,
      [
        [4, 5],
        [7, 8],
        [10, 10],
      ],
    ]);
  });

  test("a gap closes when a minute has passed and no transaction of its time is under way", () => {
    const cursor = advance(startOfOutbox, look([2], { nextId: "50" }));
    const closes = (more: Partial<Look>) => ranges(advance(cursor, look([], more))).length === 0;
    expect(closes({ now: 59_000, oldestRunning: "50" })).toBe(false);
    expect(closes({ now: 61_000, oldestRunning: "49" })).toBe(false);
    expect(closes({ now: 61_000, oldestRunning: "50" })).toBe(true);
    expect(closes({ now: 25 * 3_600_000, oldestRunning: "3" })).toBe(true);
  });

  test("a gap that lies beyond what a cut look has seen stays open", () => {
    const cursor = advance(startOfOutbox, look([5], { nextId: "50" }));
    expect(ranges(advance(cursor, look([1, 2], { isCut: true, now: 61_000, oldestRunning: "50" })))).toEqual([[3, 4]]);
  });

  test("whatever the order in which rows appear, each is looked for until it was published, and none twice", () => {
    fc.assert(
      fc.property(
        fc.shuffledSubarray(
          Array.from({ length: 40 }, (_, index) => index + 1),
          { minLength: 1 },
        ),
        fc.integer({ min: 1, max: 7 }),
        (appearing, limit) => {
          let cursor = startOfOutbox;
          const there = new Set<number>();
          const published: number[] = [];
          const publish = () => {
            const wanted = [...there]
              .filter((p) => p > cursor.position || cursor.gaps.some(({ from, to }) => from <= p && p <= to))
              .sort((a, b) => a - b)
              .slice(0, limit);
            published.push(...wanted);
            cursor = advance(cursor, look(wanted, { isCut: wanted.length === limit }));
          };
          for (const position of appearing) {
            there.add(position);
            if (position % 3 !== 0) publish();
          }
          for (let round = 0; round < 41; round += 1) publish();
          expect([...published].sort((a, b) => a - b)).toEqual([...appearing].sort((a, b) => a - b));
        },
      ),
    );
  });
});
