import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { isSlug, numberedSlug, parseSlug, slugFromName } from "../slug.ts";
import { anyCharacter } from "./code-points.ts";

describe("slugFromName", () => {
  test.each([
    ["Terms of Service", "terms-of-service"],
    ["  Privacy -- Policy (2026)! ", "privacy-policy-2026"],
    ["Bob's Terms & Conditions", "bobs-terms-conditions"],
    ["Datenschutzerklärung für Straßen", "datenschutzerklarung-fur-strassen"],
    ["Łódź Œuvre Ærø", "lodz-oeuvre-aero"],
    ["ﬁne ①", "fine-1"],
    ["İstanbul", "istanbul"],
    ["利用規約", "template"],
    ["利用規約 2026", "2026"],
    ["🙂", "template"],
    ["---", "template"],
  ])("turns %j into %j", (name, slug) => {
    expect(slugFromName(name)).toBe(slug);
  });

  test("always gives a slug, whatever the name and the number", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: anyCharacter, minLength: 1, maxLength: 255 }),
        fc.integer({ min: 1, max: 99_999 }),
        (name, number) => isSlug(slugFromName(name)) && isSlug(numberedSlug(slugFromName(name), number)),
      ),
    );
  });
});

describe("numberedSlug", () => {
  test("appends the number from the second on", () => {
    expect([1, 2, 12].map((number) => numberedSlug("terms", number))).toEqual(["terms", "terms-2", "terms-12"]);
  });

  test("shortens a long slug and leaves no hyphen before the number", () => {
    const long = `${"a".repeat(97)}-bc`;
    expect(numberedSlug(long, 2)).toBe(`${"a".repeat(97)}-2`);
    expect(numberedSlug("a".repeat(100), 10)).toBe(`${"a".repeat(97)}-10`);
  });
});

describe("parseSlug", () => {
  test.each(["", "Terms", "a--b", "-a", "a-", "a b", "ä", "a_b", "a".repeat(101), "a\n"])("refuses %j", (text) => {
    expect(() => parseSlug(text, "CLICK_VALIDATION_FAILED")).toThrow(
      expect.objectContaining({ code: "CLICK_VALIDATION_FAILED" }),
    );
  });

  test.each(["a", "0", "terms-of-service-2", "a".repeat(100)])("takes %j", (text) => {
    expect(parseSlug(text, "CLICK_VALIDATION_FAILED")).toBe(text);
  });

  test("answers at once for a long text", () => {
    const start = performance.now();
    expect(isSlug(`${"a-".repeat(500_000)}!`)).toBe(false);
    expect(performance.now() - start).toBeLessThan(10_000);
  });
});
