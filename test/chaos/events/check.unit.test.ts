import { describe, expect, test } from "@jest/globals";
import { checkEvents, type Observed } from "./check.ts";

const written = { committed: new Set(["a", "b"]), rolledBack: new Set(["x"]) };
const good: Observed = {
  consumer: "c",
  times: new Map([
    ["a", 1],
    ["b", 1],
  ]),
  inbox: new Set(["a", "b"]),
  total: 2,
  dead: [],
};
const check = (changes: Partial<Observed>, outbox = written.committed) =>
  checkEvents(written, outbox, [{ ...good, ...changes }]);
const twice = new Map([...good.times, ["b", 2] as const]);

describe("checkEvents", () => {
  test("finds nothing when every committed event took effect once", () => {
    expect(check({})).toEqual([]);
  });

  test.each<[string, string[], RegExp]>([
    ["an event that was lost", check({ times: new Map([["a", 1]]), inbox: new Set(["a"]), total: 1 }), /lacks b/],
    ["an event that took effect twice", check({ times: twice, total: 3 }), /applied b 2 times/],
    ["an effect that only the counter shows", check({ total: 3 }), /counted 3 in all, but 2/],
    [
      "an event that was taken back",
      check({ times: new Map([...good.times, ["x", 1]]), total: 3 }),
      /x, which was taken/,
    ],
    ["an effect without its inbox row", check({ inbox: new Set(["a"]) }), /inbox of c lacks b/],
    ["an event that was given up", check({ dead: ["a"] }), /gave a up/],
    ["a row of the outbox that is gone", check({}, new Set(["a"])), /outbox lacks b/],
  ])("finds %s", (_name, violations, expected) => {
    expect(violations.join("\n")).toMatch(expected);
  });
});
