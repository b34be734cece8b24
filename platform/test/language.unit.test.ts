import { describe, expect, test } from "@jest/globals";
import { acceptedLanguages, directionOf, languageFor } from "../language.ts";

const spoken = ["en", "de", "pt-BR", "pt-PT", "zh-Hans", "he"] as const;

describe("languageFor", () => {
  test.each([
    [["de-CH"], "de"],
    [["de_AT"], "de"],
    [["fr", "de"], "de"],
    [["pt"], "pt-BR"],
    [["pt-PT"], "pt-PT"],
    [["pt-AO"], "pt-PT"],
    [["zh"], "zh-Hans"],
    [["zh-CN"], "zh-Hans"],
    [["zh-SG", "en"], "zh-Hans"],
    [["zh-TW", "en"], "en"],
    [["iw"], "he"],
    [["", "*", "not a tag", "x".repeat(1_000), "en-US"], "en"],
    [["tlh", "nl"], undefined],
    [[], undefined],
  ])("%j is %s", (wanted, tag) => {
    expect(languageFor(wanted, spoken)).toBe(tag);
  });
});

test("accepted languages are in the order of their weight, without those that are not", () => {
  expect(acceptedLanguages("en;q=0.5, ar , de-CH;q=0.9, fr;q=0, *;q=0.1")).toEqual(["ar", "de-CH", "en", "*"]);
  expect(acceptedLanguages(undefined)).toEqual([""]);
});

test("Arabic, Hebrew, Persian and Urdu run from right to left", () => {
  expect(["ar-EG", "he", "fa", "ur-PK", "en", "ja", "arn"].map(directionOf)).toEqual([
    ...["rtl", "rtl", "rtl", "rtl", "ltr", "ltr", "ltr"],
  ]);
});
