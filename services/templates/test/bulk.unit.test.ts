import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { copyName, defaultNamePattern, distinctIds } from "../rpc/bulk.ts";

describe("copyName", () => {
  test.each([
    [defaultNamePattern, "Terms", "Terms (copy)"],
    ["{name} and {name}", "A", "A and A"],
    ["no placeholder", "A", "no placeholder"],
    ["{name}", "{name}", "{name}"],
    ["{name}-{name}", "$& $1 {name}", "$& $1 {name}-$& $1 {name}"],
    ["{NAME} {name }", "A", "{NAME} {name }"],
    ["{{name}}", "A", "{A}"],
    [defaultNamePattern, "n".repeat(255), `${"n".repeat(248)} (copy)`],
    ["{name}{name}", "🙂".repeat(200), "🙂".repeat(254)],
    ["{name}".repeat(42), "abcdefgh", "abcdef".repeat(42)],
  ])("%s of %s", (pattern, name, expected) => {
    expect(copyName(pattern, name)).toBe(expected);
  });

  test("always fits and always keeps the pattern", () => {
    const text = (maxLength: number) => fc.string({ unit: "grapheme-composite", minLength: 1, maxLength });
    const pattern = fc
      .array(fc.oneof(text(60), fc.constant("{name}")), { minLength: 1, maxLength: 8 })
      .map((parts) => Array.from(parts.join("")).slice(0, 255).join(""));
    fc.assert(
      fc.property(pattern, text(255), (given, name) => {
        const copy = copyName(given, name);
        expect(Array.from(copy).length).toBeLessThanOrEqual(255);
        const pieces = given.split("{name}");
        expect(copy.startsWith(pieces[0] ?? "") && copy.endsWith(pieces.at(-1) ?? "")).toBe(true);
        const whole = pieces.join(name);
        if (Array.from(whole).length <= 255) expect(copy).toBe(whole);
      }),
    );
  });
});

describe("distinctIds", () => {
  test("keeps the order of the first mention and ignores case", () => {
    expect(distinctIds(["B", "a", "b", "A", "c"])).toEqual(["b", "a", "c"]);
  });
});
