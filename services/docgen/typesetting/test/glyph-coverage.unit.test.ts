import { describe, expect, test } from "@jest/globals";
import { createEastAsianFonts } from "#platform/fonts/east-asian.ts";
import { loadFonts } from "../fonts.ts";
import { createGlyphText } from "../glyph-coverage.ts";

const { hasGlyph } = loadFonts();

describe("coverage", () => {
  test.each([..."aZ09ß€₹ĞřΩЖяअẾ→≤½№§“„–—\u00a0\u202fשعپก"])("the fonts have %s", (character) => {
    expect(hasGlyph(character.codePointAt(0) ?? 0)).toBe(true);
  });

  test.each([..."汉😀☐"])("they have no %s", (character) => {
    expect(hasGlyph(character.codePointAt(0) ?? 0)).toBe(false);
  });
});

describe("texts", () => {
  test("a character that no font has is written as its code, and told once", () => {
    const glyphs = createGlyphText(hasGlyph);
    expect(glyphs.drawable("a汉b汉")).toEqual([{ kind: "text", text: "a[U+6C49]b[U+6C49]" }]);
    expect(glyphs.line("😀")).toBe("[U+1F600]");
    expect(glyphs.warnings().map(({ code, char }) => [code, char])).toEqual([
      ["missing_glyph", "U+6C49"],
      ["missing_glyph", "U+1F600"],
    ]);
  });

  test("East Asian characters are gathered, for the font that the document gets", () => {
    const glyphs = createGlyphText(hasGlyph, createEastAsianFonts().has);
    expect(glyphs.drawable("a汉字😀")).toEqual([{ kind: "text", text: "a汉字[U+1F600]" }]);
    expect(String.fromCodePoint(...glyphs.eastAsian())).toBe("汉字");
  });

  test("at most 20 characters are told", () => {
    const glyphs = createGlyphText(() => false);
    glyphs.drawable("abcdefghijklmnopqrstuvwxyz");
    expect(glyphs.warnings()).toHaveLength(20);
  });

  test("boxes to tick are drawn and are no warning", () => {
    const glyphs = createGlyphText(hasGlyph);
    expect(glyphs.drawable("☐ no ☑\ufe0f")).toEqual([
      { kind: "symbol", symbol: "☐" },
      { kind: "text", text: " no " },
      { kind: "symbol", symbol: "☑" },
    ]);
    expect(glyphs.warnings()).toEqual([]);
  });

  test("joiners and selectors without a glyph mean nothing", () => {
    const glyphs = createGlyphText(hasGlyph);
    expect(glyphs.drawable("a\ufe0f")).toEqual([{ kind: "text", text: "a" }]);
    expect(glyphs.warnings()).toEqual([]);
  });
});
