import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { compileLinearPattern, maxMatchedCharacters } from "../linear-pattern.ts";

function matches(source: string, text: string): boolean {
  const pattern = compileLinearPattern(source);
  if (pattern.kind === "refused") throw new Error(`${source}: ${pattern.reason}`);
  return pattern.matches(text);
}

const reason = (source: string): string | undefined => {
  const pattern = compileLinearPattern(source);
  return pattern.kind === "refused" ? pattern.reason : undefined;
};

describe("compileLinearPattern", () => {
  test.each([
    ["[A-Z]{2}\\d{6}", ["AB123456"], ["AB12345", "ab123456", "AB1234567", ""]],
    ["^\\d{4}-\\d{2}-\\d{2}$", ["2026-11-20"], ["2026-11-20\n", "x2026-11-20"]],
    ["Mr|Ms|Dr\\.?", ["Mr", "Dr", "Dr."], ["Mrs", "M", ""]],
    ["(?:\\p{Lu}\\p{L}+ ?)+", ["Änne Müller"], ["anne", "Änne  Müller"]],
    ["[^@\\s]+@[^@\\s]+\\.[a-z]{2,}", ["ann@mail.example"], ["ann@mail", "a b@mail.example"]],
    ["a{0,2}b{3,}?c{1}", ["bbbc", "aabbbbbc"], ["aaabbbc", "bbc"]],
    [".", ["🙂", "a"], ["\n", "ab"]],
    ["[🙂-🙆]+", ["🙂🙃"], ["x"]],
    ["\\u00e4\\-\\/\\t", ["ä-/\t"], ["ä-/"]],
    ["", [""], ["a"]],
    ["()*|a", ["", "a"], ["aa"]],
    ["[]", [], ["", "a"]],
  ])("%s matches whole texts", (source, good, bad) => {
    expect(good.filter((text) => !matches(source, text))).toEqual([]);
    expect(bad.filter((text) => matches(source, text))).toEqual([]);
  });

  test.each([
    ["(a", "ends too early at character 3"],
    ["a)", "has an unexpected ')' at character 2"],
    ["a**", "has an unexpected '*' at character 3"],
    ["*", "has an unexpected '*' at character 1"],
    ["a{2", "ends too early at character 4"],
    ["a{,2}", "has an unexpected ',' at character 3"],
    ["a{3,2}", "has numbers out of order at character 7"],
    ["a{99999}", "has a number that is too high at character 8"],
    ["[z-a]", "has a class that is not valid before what stands at character 6"],
    ["[a", "ends too early at character 3"],
    ["[\\", "ends too early at character 4"],
    ["(a)\\1", "has an escape that is not supported at character 4"],
    ["\\bword", "has an escape that is not supported at character 1"],
    ["\\ud83d\\ude42", "has an escape that is not supported at character 1"],
    ["(?=a)", "has a group of a kind that is not supported at character 3"],
    ["(?<name>a)", "has a group of a kind that is not supported at character 3"],
    ["a^b", "has '^', which may only stand at the ends, at character 2"],
    ["a$b", "has '$', which may only stand at the ends, at character 2"],
    ["(?:a{9999}){9999}", "repeats too much; use lower numbers in {}"],
    ["((a{0,99}){99}){99}", "repeats too much; use lower numbers in {}"],
    ["a".repeat(201), "must have at most 200 characters"],
  ])("refuses %s", (source, expected) => {
    expect(reason(source)).toBe(expected);
  });

  test("a text beyond the bound never matches", () => {
    expect(matches("a*", "a".repeat(maxMatchedCharacters))).toBe(true);
    expect(matches("a*", "a".repeat(maxMatchedCharacters + 1))).toBe(false);
    expect(matches("🙂*", "🙂".repeat(maxMatchedCharacters))).toBe(true);
  });

  test.each(["(a+)+b", "(a*)*b", "(a|a)*b", "(?:.*){60}b", "(.*.*.*.*)*b", "(?:.?){500}b", "a{0,300}a{300}b"])(
    "%s is answered at once for the text that is worst for it",
    (source) => {
      const start = performance.now();
      expect(matches(source, "a".repeat(maxMatchedCharacters))).toBe(false);
      // Backtracking would need longer than the universe has; the bound leaves room for a busy machine.
      expect(performance.now() - start).toBeLessThan(1000);
    },
  );

  test("agrees with JavaScript's own regular expressions", () => {
    const atom = fc.constantFrom("a", "b", "é", ".", "[ab]", "[^a]", "\\d", "\\w", "\\p{L}", "-");
    const range = fc.constantFrom("", "", "*", "+", "?", "{2}", "{0,2}", "{1,}", "*?");
    const { pattern } = fc.letrec<{ pattern: string; part: string; sequence: string }>((tie) => ({
      part: fc.oneof(
        { maxDepth: 3 },
        atom,
        fc.tuple(tie("pattern"), fc.boolean()).map(([p, c]) => (c ? `(${p})` : `(?:${p})`)),
      ),
      sequence: fc.array(fc.tuple(tie("part"), range), { maxLength: 3 }).map((parts) => parts.flat().join("")),
      pattern: fc.array(tie("sequence"), { minLength: 1, maxLength: 2 }).map((parts) => parts.join("|")),
    }));
    const text = fc.string({ unit: fc.constantFrom("a", "b", "é", "1", "-", "🙂"), maxLength: 6 });
    fc.assert(
      fc.property(pattern, fc.array(text, { minLength: 1, maxLength: 8 }), (source, texts) => {
        const compiled = compileLinearPattern(source);
        if (compiled.kind === "refused") return;
        const reference = new RegExp(`^(?:${source})$`, "u");
        for (const candidate of texts)
          expect([candidate, compiled.matches(candidate)]).toEqual([candidate, reference.test(candidate)]);
      }),
      { numRuns: 2000 },
    );
  });
});
