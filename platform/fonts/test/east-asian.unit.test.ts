import { create, type Font } from "@cantoo/fontkit";
import { describe, expect, test } from "@jest/globals";
import { createEastAsianFonts, regionOf } from "../east-asian.ts";

const fonts = createEastAsianFonts();
const codePointsOf = (text: string): number[] => Array.from(text, (character) => character.codePointAt(0) ?? 0);
const fontOf = (text: string, weight: 400 | 700 = 400): Buffer => fonts.fontOf(codePointsOf(text), "sc", weight);

describe("fonts of East Asian characters", () => {
  test("have the characters that were asked for, each once, with the outlines of the packages", () => {
    const text = "汉漢字さク홍𠮷，髙";
    const font = create(fontOf(`${text}${text}😀`)) as Font;
    expect(font.characterSet.toSorted()).toEqual(codePointsOf(text).toSorted());
    for (const { id, advanceWidth, path } of font.layout(text).glyphs) {
      expect([id > 0, advanceWidth > 500, path.commands.length > 5]).toEqual([true, true, true]);
    }
  });

  test("are bolder when that is asked for, and the same bytes for the same characters in any order", () => {
    const widthOf = (bytes: Buffer) => (create(bytes) as Font).layout("一").glyphs[0]?.bbox.height ?? 0;
    expect(widthOf(fontOf("一", 700))).toBeGreaterThan(widthOf(fontOf("一")));
    expect(fontOf("字汉")).toEqual(fontOf("汉字"));
    expect(fontOf("")).toBeInstanceOf(Buffer);
  });

  test("have no emoji and nothing that they do not show", () => {
    expect(["汉", "さ", "홍", "😀", "ش"].map((one) => fonts.has(one.codePointAt(0) ?? 0))).toEqual([
      ...[true, true, true],
      ...[false, false],
    ]);
  });

  test("take the forms of the language, as far as a text shows it", () => {
    expect(["直", "直す", "직 直"].map((text) => regionOf(text))).toEqual(["sc", "jp", "kr"]);
    expect([regionOf("直", "ja"), regionOf("直す", "zh"), regionOf("直す", "de")]).toEqual(["jp", "sc", "jp"]);
  });
});
