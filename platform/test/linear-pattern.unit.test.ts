import { createContext, Script } from "node:vm";
import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { compileLinearPattern, maxMatchedCharacters, newPatternWork, refusalOfPattern } from "../linear-pattern.ts";
import { createTurns } from "../turns.ts";

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
    expect(refusalOfPattern(source)).toBe(expected);
  });

  test("a text beyond the bound never matches", () => {
    expect(matches("a*", "a".repeat(maxMatchedCharacters))).toBe(true);
    expect(matches("a*", "a".repeat(maxMatchedCharacters + 1))).toBe(false);
    expect(matches("🙂*", "🙂".repeat(maxMatchedCharacters))).toBe(true);
  });

  const worst = ["(a+)+b", "(a*)*b", "(a|a)*b", "(?:.*){60}b", "(.*.*.*.*)*b", "(?:.?){500}b", "a{0,300}a{300}b"];

  test.each(worst)("%s ends with the work that is allowed for the text that is worst for it", (source) => {
    const work = newPatternWork();
    const allowed = work.left;
    const pattern = compileLinearPattern(source);
    if (pattern.kind === "refused") throw new Error(pattern.reason);
    for (let round = 0; round < 24; round += 1) {
      expect(pattern.matches("a".repeat(maxMatchedCharacters), work)).toBe(false);
    }
    // Each step takes some nanoseconds; backtracking would need longer than the universe has.
    expect(work.left).toBeGreaterThan(-allowed / 10);
    const fastest = Math.min(...Array.from({ length: 5 }, () => timeOf(() => matches(source, "a".repeat(500)))));
    expect(fastest).toBeLessThan(10);
  });

  test("what a usual pattern takes is far below what is allowed", () => {
    const usual = [
      ["[A-Z]{2}\\d{6}", "AB123456"],
      [".{0,500}", "x".repeat(500)],
      ["(?:\\p{Lu}\\p{L}+ ?)+", "Änne Müller"],
    ] as const;
    const work = newPatternWork();
    const allowed = work.left;
    for (const [source, text] of usual) {
      const pattern = compileLinearPattern(source);
      expect(pattern.kind === "pattern" && pattern.matches(text, work)).toBe(true);
    }
    expect(allowed - work.left).toBeLessThan(allowed / 50);
  });

  test("the loop goes on between the pieces of work of a batch", async () => {
    const turns = createTurns();
    const pattern = compileLinearPattern("(?:.?){500}b");
    let ticks = 0;
    const ticking = setInterval(() => {
      ticks += 1;
    }, 0);
    const piece = () => pattern.kind === "pattern" && pattern.matches("a".repeat(500));
    const failing = turns(() => {
      throw new Error("one of them fails");
    });
    const answers = Promise.all(Array.from({ length: 24 }, () => turns(piece)));
    await expect(failing).rejects.toThrow("one of them fails");
    expect(await answers).toEqual(Array.from({ length: 24 }, () => false));
    clearInterval(ticking);
    expect(ticks).toBeGreaterThan(3);
  });

  test.each([
    "[\\d-x]",
    "[a-\\d]",
    "[\\b]",
    "[\\0]",
    "[\\01]",
    "[\\cA]",
    "[\\x41-\\x43]",
    "[\\ud83d\\ude42]",
    "[\\ud83d]",
    "[\\u{110000}]",
    "[\\u{1F642}]",
    "[\\p{Script=Greek}]",
    "[\\P{L}]",
    "[^\\W_]",
    "[\\p{Nonsense}]",
    "[-a]",
    "[a-]",
    "[^-]",
    "[\\-a]",
    "[\\e]",
    "[^]",
    "[^^]",
    "[\\]]",
    "[.]",
    "[a\\-c]",
    "[--a]",
    "[b-a]",
    "[\\s\\S]",
    "\\s",
    "\\S",
    "\\w",
    "\\D",
    "\\p{Lu}",
    "\\P{Lu}",
    ".",
  ])("reads the class %s as JavaScript does", (source) => {
    const texts = [
      "a",
      "b",
      "c",
      "-",
      "1",
      "A",
      "B",
      "_",
      "\b",
      "\0",
      "\u0001",
      "🙂",
      "\ud83d",
      "α",
      "é",
      "]",
      "^",
      ".",
      "\ufeff",
    ];
    const candidates = [...texts, "\u2028", "\u00a0", "\u180e", "\n", " "];
    let reference: RegExp | undefined;
    try {
      reference = new RegExp(`^(?:${source})$`, "u");
    } catch {}
    const compiled = compileLinearPattern(source);
    expect(compiled.kind).toBe(reference === undefined ? "refused" : "pattern");
    if (compiled.kind === "refused") return;
    for (const text of candidates) expect([text, compiled.matches(text)]).toEqual([text, reference?.test(text)]);
  });

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
        const expected = referenceAnswers(source, texts);
        if (expected !== undefined) expect(texts.map((candidate) => compiled.matches(candidate))).toEqual(expected);
      }),
      { numRuns: 2000 },
    );
  });
});

const referenceScript = new Script(
  "(() => { const pattern = new RegExp(source, 'u'); return texts.map((text) => pattern.test(text)); })()",
);
const referenceContext = createContext({});
const patienceMs = 1_000;

/** What JavaScript answers; undefined for the few patterns of whose backtracking nobody sees the end. */
function referenceAnswers(source: string, texts: readonly string[]): boolean[] | undefined {
  try {
    Object.assign(referenceContext, { source: `^(?:${source})$`, texts });
    return [...(referenceScript.runInContext(referenceContext, { timeout: patienceMs }) as boolean[])];
  } catch (error) {
    if ((error as { code?: string }).code === "ERR_SCRIPT_EXECUTION_TIMEOUT") return undefined;
    throw error;
  }
}

/** Of the processor, which others may be using as well. */
function timeOf(work: () => void): number {
  const from = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(from);
  return (user + system) / 1_000;
}
