import { readFileSync } from "node:fs";
import { create, type Font, type Path } from "@cantoo/fontkit";
import { LRUCache } from "lru-cache";
import type { OutlinedGlyph, OutlinePoint } from "./truetype.ts";

/** A font that its package splits into about a hundred files, which are read on first use in about 10 ms each. */
export interface SlicedFont {
  has(codePoint: number): boolean;
  /** Of those characters that it has. */
  outlinesOf(codePoints: Iterable<number>, weight?: number): OutlinedGlyph[];
}

/** The most recently used files of all fonts; each takes about 3 MB. */
export type SliceCache = LRUCache<string, Font>;
export const createSliceCache = (): SliceCache => new LRUCache({ max: 24 });

/** `fileEnd` is what follows the number of the part in the names of the package's files. */
export function createSlicedFont(packageName: string, fileEnd: string, slices: SliceCache): SlicedFont {
  const folder = new URL(`../../node_modules/${packageName}/`, import.meta.url);
  const characters = new Map<string, ReadonlySet<number>>();
  let index: ReadonlyMap<number, string> | undefined;
  const read = (slice: string): Font => {
    const file = `files/${packageName.split("/")[1]}-${slice}-${fileEnd}.woff2`;
    const key = `${packageName}/${file}`;
    const font = slices.get(key) ?? (create(readFileSync(new URL(file, folder))) as Font);
    slices.set(key, font);
    return font;
  };
  const charactersOf = (slice: string): ReadonlySet<number> => {
    const known = characters.get(slice) ?? new Set(read(slice).characterSet);
    characters.set(slice, known);
    return known;
  };
  const sliceOf = (codePoint: number): string | undefined => {
    index ??= readIndex(new URL("unicode.json", folder));
    const slice = index.get(codePoint);
    return slice !== undefined && charactersOf(slice).has(codePoint) ? slice : undefined;
  };
  return {
    has: (codePoint) => sliceOf(codePoint) !== undefined,
    outlinesOf: (codePoints, weight) => {
      // Grouped by file, so that each file is read once.
      const bySlice = Map.groupBy(new Set(codePoints), sliceOf);
      return Array.from(bySlice).flatMap(([slice, own]) => {
        if (slice === undefined) return [];
        const font = weight === undefined ? read(slice) : read(slice).getVariation({ wght: weight });
        return own.flatMap((codePoint) => outlineOf(font, codePoint));
      });
    },
  };
}

/** The file of each character, from the package's index: `{"[21]": "U+4e00,U+4e10-4e14"}`. */
function readIndex(path: URL): ReadonlyMap<number, string> {
  const stated: unknown = JSON.parse(readFileSync(path, "utf8"));
  const index = new Map<number, string>();
  for (const [name, ranges] of Object.entries(stated as Record<string, string>)) {
    const slice = name.replaceAll(/[[\]]/g, "");
    for (const range of ranges.split(",")) {
      const [first = 0, last = first] = range
        .slice(2)
        .split("-")
        .map((hex) => Number.parseInt(hex, 16));
      for (let code = first; code <= last; code += 1) index.set(code, slice);
    }
  }
  return index;
}

function outlineOf(font: Font, codePoint: number): OutlinedGlyph[] {
  const glyph = font.glyphForCodePoint(codePoint);
  const scale = 1000 / font.unitsPerEm;
  return glyph === null
    ? []
    : [{ codePoint, advance: Math.round(glyph.advanceWidth * scale), contours: contoursOf(glyph.path, scale) }];
}

/** TrueType outlines consist of lines and quadratic curves. */
function contoursOf(path: Path, scale: number): OutlinePoint[][] {
  const contours: OutlinePoint[][] = [];
  for (const { command, args } of path.commands) {
    if (command === "moveTo") contours.push([]);
    const contour = contours.at(-1);
    for (let at = 0; at + 1 < args.length; at += 2) {
      const isOnCurve = at + 2 >= args.length;
      contour?.push({
        x: Math.round((args[at] ?? 0) * scale),
        y: Math.round((args[at + 1] ?? 0) * scale),
        isOnCurve,
      });
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
