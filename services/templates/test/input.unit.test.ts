import { describe, expect, test } from "@jest/globals";
import { metadataProblems } from "../domain/new-template.ts";
import { unstorableTexts } from "../domain/text.ts";
import { purposeTextProblems } from "../domain/version.ts";
import { fitPage } from "../rpc/templates.ts";

const fields = (problems: readonly { field: string; code: string }[]) => problems.map((p) => `${p.field} ${p.code}`);
const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, "v"]));

describe("metadataProblems", () => {
  test("takes 50 keys with 500 characters each, counted as people count", () => {
    expect(metadataProblems({ ...many(49), ["🙂".repeat(500)]: "🙂".repeat(500) })).toEqual([]);
  });

  test("refuses more", () => {
    expect(fields(metadataProblems(many(51)))).toEqual(["metadata TOO_MANY_KEYS"]);
    expect(fields(metadataProblems({ ["k".repeat(501)]: "v" }))).toEqual(["metadata TOO_LONG"]);
    expect(fields(metadataProblems({ a: "v".repeat(501), b: "v" }))).toEqual(["metadata.a TOO_LONG"]);
  });
});

describe("purposeTextProblems", () => {
  test("takes 20 purposes with 2,000 characters each", () => {
    expect(purposeTextProblems({ ...many(19), marketing_email: "x".repeat(2000) })).toEqual([]);
  });

  test("refuses more, and keys that are no purpose keys", () => {
    expect(fields(purposeTextProblems(many(21)))).toEqual(["purposeTexts TOO_MANY_KEYS"]);
    expect(fields(purposeTextProblems({ a: "x".repeat(2001) }))).toEqual(["purposeTexts.a TOO_LONG"]);
    expect(fields(purposeTextProblems({ Marketing: "x" }))).toEqual(["purposeTexts INVALID_KEY"]);
  });
});

describe("unstorableTexts", () => {
  test("finds U+0000 and lone surrogates wherever they are, in keys too", () => {
    const value = {
      name: "a\u0000",
      list: [{ deep: "\ud800" }],
      "k\u0000": 1,
      fine: "🙂",
      time: new Date(0),
      none: null,
    };
    expect(fields(unstorableTexts("", value))).toEqual([
      "name INVALID_TEXT",
      "list[0].deep INVALID_TEXT",
      " INVALID_TEXT",
    ]);
    expect(unstorableTexts("changeSummary", undefined)).toEqual([]);
  });
});

describe("fitPage", () => {
  const items = (...bytes: number[]) => bytes.map((b) => ({ bytes: b }));

  test("takes what fits and always the first", () => {
    expect(fitPage(items(4, 4, 4), 10)).toHaveLength(2);
    expect(fitPage(items(4, 4, 2), 10)).toHaveLength(3);
    expect(fitPage(items(11, 1), 10)).toHaveLength(1);
    expect(fitPage([], 10)).toEqual([]);
  });
});
