import { readFileSync } from "node:fs";
import { create, type Font, type Path } from "@cantoo/fontkit";
import { LRUCache } from "lru-cache";
import { type OutlinedGlyph, type OutlinePoint, writeTrueType } from "./truetype.ts";

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

/**
 * The packages split each font into about a hundred files, read on first use in about 10 ms each. Caches the
 * character index and the most recently used files.
 */
export function createEastAsianFonts(): EastAsianFonts {
  const indexes = new Map<Region, ReadonlyMap<number, string>>();
  const characters = new Map<string, ReadonlySet<number>>();
  const slices = new LRUCache<string, Font>({ max: maxSlices });
  const indexOf = (region: Region): ReadonlyMap<number, string> => {
    const index = indexes.get(region) ?? readIndex(region);
    indexes.set(region, index);
    return index;
  };
  const read = (path: string): Font => {
    const slice = slices.get(path) ?? (create(readFileSync(new URL(path, folder))) as Font);
    slices.set(path, slice);
    return slice;
  };
  const charactersOf = (path: string): ReadonlySet<number> => {
    const known = characters.get(path) ?? new Set(read(path).characterSet);
    characters.set(path, known);
    return known;
  };
  const find = (codePoint: number, region: Region): string | undefined =>
    Array.from(new Set([region, ...regions]), (one) => indexOf(one).get(codePoint)).find(
      (path) => path !== undefined && charactersOf(path).has(codePoint),
    );
  return {
    has: (codePoint) => find(codePoint, "sc") !== undefined,
    fontOf: (codePoints, region, weight) => {
      // Grouped by file, so that each file is read once.
      const bySlice = Map.groupBy(new Set(codePoints), (codePoint) => find(codePoint, region));
      const glyphs = Array.from(bySlice).flatMap(([path, own]) => {
        const font = path === undefined ? undefined : read(path).getVariation({ wght: weight });
        return font === undefined ? [] : own.flatMap((codePoint) => outlineOf(font, codePoint));
      });
      return writeTrueType(glyphs, { family: eastAsianFamily, weight, ascender: 1160, descender: -288 });
    },
  };
}

const regions: readonly Region[] = ["sc", "jp", "kr"];

const folder = new URL("../../node_modules/@fontsource-variable/", import.meta.url);

/** Each takes about 3 MB. */
const maxSlices = 24;

/** The file of each character, from the package's index: `{"[21]": "U+4e00,U+4e10-4e14"}`. */
function readIndex(region: Region): ReadonlyMap<number, string> {
  const stated: unknown = JSON.parse(readFileSync(new URL(`noto-sans-${region}/unicode.json`, folder), "utf8"));
  const index = new Map<number, string>();
  for (const [name, ranges] of Object.entries(stated as Record<string, string>)) {
    const slice = name.replaceAll(/[[\]]/g, "");
    const path = `noto-sans-${region}/files/noto-sans-${region}-${slice}-wght-normal.woff2`;
    for (const range of ranges.split(",")) {
      const [first = 0, last = first] = range
        .slice(2)
        .split("-")
        .map((hex) => Number.parseInt(hex, 16));
      for (let code = first; code <= last; code += 1) index.set(code, path);
    }
  }
  return index;
}

function outlineOf(font: Font, codePoint: number): OutlinedGlyph[] {
  const glyph = font.glyphForCodePoint(codePoint);
  return glyph === null
    ? []
    : [{ codePoint, advance: Math.round(glyph.advanceWidth), contours: contoursOf(glyph.path) }];
}

/** TrueType outlines consist of lines and quadratic curves. */
function contoursOf(path: Path): OutlinePoint[][] {
  const contours: OutlinePoint[][] = [];
  for (const { command, args } of path.commands) {
    if (command === "moveTo") contours.push([]);
    const contour = contours.at(-1);
    for (let at = 0; at + 1 < args.length; at += 2) {
      const isOnCurve = at + 2 >= args.length;
      contour?.push({ x: Math.round(args[at] ?? 0), y: Math.round(args[at + 1] ?? 0), isOnCurve });
    }
  }
  return contours.map(withoutReturn).filter(({ length }) => length > 1);
}

/** A contour closes itself, so the closing point is dropped. */
function withoutReturn(contour: OutlinePoint[]): OutlinePoint[] {
  const [first] = contour;
  const last = contour.at(-1);
  const returns = contour.length > 1 && last?.isOnCurve === true && last.x === first?.x && last.y === first.y;
  return returns ? contour.slice(0, -1) : contour;
}
