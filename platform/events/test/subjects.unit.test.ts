import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { coveringPattern, readMark, subjectMatches } from "../marks.ts";

describe("subjectMatches", () => {
  test.each([
    ["a.b.c", "a.b.c", true],
    ["a.b.c", "a.b", false],
    ["a.b", "a.b.c", false],
    ["a.*.c", "a.b.c", true],
    ["a.*.c", "a.b.d", false],
    ["a.*", "a.b.c", false],
    ["a.>", "a.b.c", true],
    ["a.>", "a", false],
    [">", "a", true],
  ])("%s and %s: %s", (pattern, subject, expected) => {
    expect(subjectMatches(pattern, subject)).toBe(expected);
  });
});

describe("coveringPattern", () => {
  test.each([
    [["a.b.c"], "a.b.c"],
    [["a.b.c", "a.b.c"], "a.b.c"],
    [["a.b.c", "a.b.d"], "a.b.>"],
    [["a.b.>", "a.c.>"], "a.>"],
    [["a.b.>", "a.b.c"], "a.b.>"],
    [["a.b", "c.d"], ">"],
    [["a.b.c", "a.b"], "a.>"],
  ])("%j is covered by %s", (patterns, expected) => {
    expect(coveringPattern(patterns)).toBe(expected);
  });

  test("every subject that one of the patterns matches is matched", () => {
    const token = fc.constantFrom("a", "b", "c");
    const subject = fc.array(token, { minLength: 1, maxLength: 4 }).map((tokens) => tokens.join("."));
    const pattern = fc
      .tuple(fc.array(fc.oneof(token, fc.constant("*")), { minLength: 1, maxLength: 4 }), fc.boolean())
      .map(([tokens, open]) => [...tokens, ...(open ? [">"] : [])].join("."));
    fc.assert(
      fc.property(fc.array(pattern, { minLength: 1, maxLength: 3 }), subject, (patterns, name) => {
        fc.pre(patterns.some((one) => subjectMatches(one, name)));
        expect(subjectMatches(coveringPattern(patterns), name)).toBe(true);
      }),
    );
  });
});

test.each([
  ["1-aa 7 event", { service: "click", epoch: "1-aa", position: 7, eventId: "event" }],
  ["1-aa 7", { service: "click", epoch: "1-aa", position: 7, eventId: "" }],
  [`1-aa ${"9".repeat(30)} event`, undefined],
  [`${"9".repeat(22)}-aa 7 event`, undefined],
])("the mark %s is read only if its numbers can be counted on", (text, mark) => {
  expect(readMark("click", text)).toEqual(mark);
});
