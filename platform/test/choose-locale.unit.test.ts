import { describe, expect, test } from "@jest/globals";
import { canonicalLocale, chooseByLocale } from "#platform/locale.ts";

const published = (...locales: string[]) => locales.map((locale) => ({ locale }));
const choose = (locales: string[], wanted: string | undefined, defaultLocale = "en") =>
  chooseByLocale(published(...locales), wanted, defaultLocale)?.locale;

describe("chooseByLocale", () => {
  test("takes exactly what is wanted, whatever its case", () => {
    expect(choose(["en", "de-AT", "de"], "DE-at")).toBe("de-AT");
  });
  test("drops subtags from the end", () => {
    expect(choose(["en", "de"], "de-AT")).toBe("de");
    expect(choose(["en", "zh-Hant", "zh"], "zh-Hant-TW")).toBe("zh-Hant");
    expect(choose(["en", "de"], "de-x-private")).toBe("de");
  });
  test("does not take another region of the language", () => {
    expect(choose(["en", "de-AT"], "de")).toBe("en");
  });
  test("falls back to the default locale, then to the only one that is published", () => {
    expect(choose(["fr", "en"], "it")).toBe("en");
    expect(choose(["fr", "en"], undefined)).toBe("en");
    expect(choose(["fr"], "it")).toBe("fr");
  });
  test("finds nothing among several when none fits", () => {
    expect(choose(["fr", "de"], "it")).toBeUndefined();
    expect(choose([], "en")).toBeUndefined();
  });
});

describe("canonicalLocale", () => {
  test("brings tags into one form and refuses what is none", () => {
    expect(canonicalLocale("EN-us")).toBe("en-US");
    expect(canonicalLocale("no such tag")).toBeUndefined();
  });
});
