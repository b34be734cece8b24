import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { advance, type Cursor, type Look, startOfOutbox } from "../cursor.ts";
import { findDifference, type Known, messageIdOf } from "../epochs.ts";

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

describe("findDifference", () => {
  const mark = { service: "shop", epoch: "1-a", position: 9, eventId: "e9" };
  const known: Known = { epoch: "1-a", former: undefined, position: 9, marked: "e9" };

  test.each<[string, Partial<Known>, Parameters<typeof findDifference>[1]]>([
    ["a bus that knows nothing of it", {}, "unknown"],
    ["a bus that is new, and nothing was published", { position: 0 }, "nothing"],
    ["the first relay of a database", { epoch: undefined, position: 9 }, "nothing"],
    ["the same position and event", {}, mark],
    ["a row that is no longer kept", { marked: undefined }, mark],
    ["an event whose row was no longer kept then", {}, { ...mark, eventId: "" }],
    ["what was published and not noted", { position: 7 }, mark],
    ["a new epoch of which nothing was published", { epoch: "2-b", former: "1-a", position: 0 }, mark],
  ])("finds nothing wrong with %s", (_name, change, newest) => {
    expect(findDifference({ ...known, ...change }, newest)).toBeUndefined();
  });

  test.each<[string, Partial<Known>, Parameters<typeof findDifference>[1], RegExp]>([
    ["an event that the database does not have", { position: 7, marked: undefined }, mark, /database has lost/],
    ["another event in its place", { marked: "other" }, mark, /database has lost/],
    ["a database without an epoch", { epoch: undefined, position: 0, marked: undefined }, mark, /another epoch/],
    ["a database before another restore", {}, { ...mark, epoch: "2-b" }, /another epoch/],
    ["a bus that is behind", { position: 10 }, mark, /bus has lost/],
    ["a bus before the epoch", { epoch: "2-b", former: "1-a" }, mark, /another epoch/],
    ["a bus that never had what was published", {}, "nothing", /bus has nothing/],
  ])("finds %s", (_name, change, newest, expected) => {
    expect(findDifference({ ...known, ...change }, newest)).toMatch(expected);
  });

  test("message ids are those of the events until something went back in time", () => {
    expect(messageIdOf("e", "1-a")).toBe("e");
    expect(messageIdOf("e", "1-a", "c")).toBe("e.1-a.c");
    expect(messageIdOf("e", "2-b")).toBe("e.2-b");
  });
});
