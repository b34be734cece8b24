import { describe, expect, test } from "@jest/globals";
import { visibleText } from "../visible-text.ts";

describe("what a text shows to others", () => {
  test.each([
    ["invoice\u202efdp.exe", "invoice[U+202E]fdp.exe"],
    ["\u2066Ann\u2069", "[U+2066]Ann[U+2069]"],
    ["Ann\u200bExample", "Ann[U+200B]Example"],
    ["\ufeffAnn\u2060", "[U+FEFF]Ann[U+2060]"],
    ["Ann\u200dExample", "Ann[U+200D]Example"],
    ["\u200cAnn", "[U+200C]Ann"],
    ["1\u200d2", "1[U+200D]2"],
    ["Ann\u0007\r", "Ann[U+0007]\r"],
    ["one\u2028two\u0085", "one[U+2028]two[U+0085]"],
    ["half \ud800", "half [U+D800]"],
    ["soft\u00adhyphen", "soft[U+00AD]hyphen"],
  ])("%j is %j", (text, shown) => {
    expect(visibleText(text)).toBe(shown);
  });

  test.each([
    ["Persian with a non-joiner", "می\u200cخواهم"],
    ["Hindi with a joiner after a virama", "क्\u200dष"],
    ["Hebrew with marks of direction", "שלום\u200f (ACME\u200e)"],
    ["a family of pictures", "👩\u200d👩\u200d👧"],
    ["a picture with a tone and a joiner", "👩🏽\u200d🚀"],
    ["a heart with a variant", "👁️\u200d🗨️ ❤️"],
    ["German, Greek, Russian, Chinese", "Grüße Ωμέγα Привет 你好"],
    ["combined letters", "e\u0301"],
    ["lines and tabs", "one\n\ttwo"],
  ])("%s stays as it is", (_name, text) => {
    expect(visibleText(text)).toBe(text);
  });

  test("a long text takes time that grows with its length only", () => {
    const start = performance.now();
    visibleText("\u200d\u0301".repeat(50_000));
    expect(performance.now() - start).toBeLessThan(5_000);
  });
});
