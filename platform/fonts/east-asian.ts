import { createSliceCache, createSlicedFont, type SlicedFont, writeTrueType } from "./truetype.ts";

/** Chinese, Japanese and Korean glyphs. Each document gets a font with just the characters it uses. */
export interface EastAsianFonts {
  has(codePoint: number): boolean;
  /** A TrueType font with those of the characters that exist. */
  fontOf(codePoints: Iterable<number>, region: Region, weight: 400 | 700): Buffer;
}

/** Which region's glyph forms to use for shared characters. */
export type Region = "sc" | "jp" | "kr";

export const eastAsianFamily = "Noto Sans East Asian";

/**
 * Kana imply Japanese and Hangul implies Korean; everything else counts as Chinese unless the language says
 * otherwise.
 */
export function regionOf(text: string, language = ""): Region {
  const stated = languages.get(language);
  if (stated !== undefined) return stated;
  if (/[\u3041-\u30fa\u31f0-\u31ff\uff66-\uff9f]/.test(text)) return "jp";
  return /[\u1100-\u11ff\u3131-\u318e\uac00-\ud7a3]/.test(text) ? "kr" : "sc";
}

const languages: ReadonlyMap<string, Region> = new Map([
  ["ja", "jp"],
  ["ko", "kr"],
  ["zh", "sc"],
]);

/** Caches the character indexes and the most recently used files. */
export function createEastAsianFonts(): EastAsianFonts {
  const slices = createSliceCache();
  const fontOf = (region: Region): SlicedFont =>
    createSlicedFont(`@fontsource-variable/noto-sans-${region}`, "wght-normal", slices);
  const fonts: Readonly<Record<Region, SlicedFont>> = { sc: fontOf("sc"), jp: fontOf("jp"), kr: fontOf("kr") };
  const find = (codePoint: number, region: Region): Region | undefined =>
    [region, ...regions].find((one) => fonts[one].has(codePoint));
  return {
    has: (codePoint) => find(codePoint, "sc") !== undefined,
    fontOf: (codePoints, region, weight) => {
      const byRegion = Map.groupBy(new Set(codePoints), (codePoint) => find(codePoint, region));
      const glyphs = Array.from(byRegion).flatMap(([one, own]) =>
        one === undefined ? [] : fonts[one].outlinesOf(own, weight),
      );
      return writeTrueType(glyphs, { family: eastAsianFamily, weight, ascender: 1160, descender: -288 });
    },
  };
}

const regions: readonly Region[] = ["sc", "jp", "kr"];
