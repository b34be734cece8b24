import { describe, expect, test } from "@jest/globals";
import { canonicalLocale, isSameLocale, parseLocale } from "../locale.ts";

describe("parseLocale", () => {
  test.each([
    ["en", "en"],
    ["EN-us", "en-US"],
    ["zh-hant-tw", "zh-Hant-TW"],
    ["iw", "he"],
    ["sr-LATN", "sr-Latn"],
    ["de-1996", "de-1996"],
  ])("stores %j as %j", (tag, locale) => {
    expect(parseLocale("locale", tag, "CLICK_VALIDATION_FAILED")).toBe(locale);
  });

  test.each(["", "e", "en_US", "english language", "en-", "x", "en\u0000"])("refuses %j", (tag) => {
    expect(() => parseLocale("locale", tag, "CLICK_VALIDATION_FAILED")).toThrow(
      expect.objectContaining({
        code: "CLICK_VALIDATION_FAILED",
        details: [expect.objectContaining({ field: "locale", code: "INVALID_LOCALE" })],
      }),
    );
  });
});

describe("isSameLocale", () => {
  test("ignores case and form", () => {
    expect(isSameLocale("pt-br", "PT-BR")).toBe(true);
    expect(isSameLocale("iw", "he")).toBe(true);
    expect(isSameLocale("pt-BR", "pt")).toBe(false);
  });

  test("compares what is no locale by its letters", () => {
    expect(isSameLocale("x_Y", "X_y")).toBe(true);
  });
});

test("what was asked for before has the same answer, also after many others", () => {
  const tags = ["EN-us", "iw", "en_US", "x"];
  const answers = tags.map(canonicalLocale);
  expect(tags.map(canonicalLocale)).toEqual(answers);
  for (let n = 0; n < 2_500; n += 1) expect(canonicalLocale(`EN-x-${n}`)).toBe(`en-x-${n}`);
  expect(tags.map(canonicalLocale)).toEqual(answers);
});
