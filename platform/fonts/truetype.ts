import { readFileSync } from "node:fs";
import { create, type Font, type Path } from "@cantoo/fontkit";
import { LRUCache } from "lru-cache";

/** A glyph as an outline, in units of 1/1000 em. */
export interface OutlinedGlyph {
  readonly codePoint: number;
  readonly advance: number;
  readonly contours: readonly (readonly OutlinePoint[])[];
}

export interface OutlinePoint {
  readonly x: number;
  readonly y: number;
  readonly isOnCurve: boolean;
}

export interface FontFacts {
  readonly family: string;
  /** 400 is regular. */
  readonly weight: number;
  readonly ascender: number;
  readonly descender: number;
}

/**
 * Writes a TrueType font of these glyphs (https://learn.microsoft.com/typography/opentype/spec/otff), with just
 * the tables needed to lay out and embed scripts without joining or reordering. The glyphs must be sorted by
 * code point.
 */
export function writeTrueType(glyphs: readonly OutlinedGlyph[], facts: FontFacts): Buffer {
  const sorted = glyphs.toSorted((one, other) => one.codePoint - other.codePoint);
  const outlines = [missingGlyph, ...sorted].map(glyphData);
  const bounds = outlines.reduce<Bounds>((all, { bounds: own }) => union(all, own), noBounds);
  const advances = [missingGlyph, ...sorted].map(({ advance }) => advance);
  const mostPoints = Math.max(...sorted.map(({ contours }) => contours.flat().length), 0);
  const mostContours = Math.max(...sorted.map(({ contours }) => contours.length), 0);
  return assemble([
    ["OS/2", os2Table(sorted, facts)],
    ["cmap", cmapTable(sorted)],
    ["glyf", Buffer.concat(outlines.map(({ data }) => data))],
    ["head", headTable(bounds, facts)],
    ["hhea", hheaTable(facts, outlines.length, Math.max(...advances))],
    ["hmtx", Buffer.concat(outlines.map(({ bounds: own }, index) => words(advances[index] ?? 0, own.left)))],
    ["loca", locaTable(outlines.map(({ data }) => data.length))],
    ["maxp", words(1, 0, outlines.length, mostPoints, mostContours, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0)],
    ["name", nameTable(facts)],
    ["post", Buffer.concat([words(3, 0, 0, 0, -100, 50), Buffer.alloc(20)])],
  ]);
}

/** Comes first: readers show it for missing characters. */
const missingGlyph: OutlinedGlyph = { codePoint: 0, advance: 1000, contours: [] };

/** 16-bit numbers, which most of a font consists of. */
function words(...values: readonly number[]): Buffer {
  const buffer = Buffer.alloc(values.length * 2);
  for (const [index, value] of values.entries()) buffer.writeUInt16BE(value & 0xffff, index * 2);
  return buffer;
}

function longs(...values: readonly number[]): Buffer {
  const buffer = Buffer.alloc(values.length * 4);
  for (const [index, value] of values.entries()) buffer.writeUInt32BE(value >>> 0, index * 4);
  return buffer;
}

interface Bounds {
  readonly left: number;
  readonly bottom: number;
  readonly right: number;
  readonly top: number;
}

const noBounds: Bounds = { left: 0, bottom: 0, right: 0, top: 0 };

const union = (one: Bounds, other: Bounds): Bounds => ({
  left: Math.min(one.left, other.left),
  bottom: Math.min(one.bottom, other.bottom),
  right: Math.max(one.right, other.right),
  top: Math.max(one.top, other.top),
});

function glyphData({ contours }: OutlinedGlyph): { readonly data: Buffer; readonly bounds: Bounds } {
  const points = contours.flat();
  if (points.length === 0) return { data: Buffer.alloc(0), bounds: noBounds };
  const across = points.map(({ x }) => x);
  const upward = points.map(({ y }) => y);
  const left = Math.min(...across);
  const bottom = Math.min(...upward);
  const bounds = { left, bottom, right: Math.max(...across), top: Math.max(...upward) };
  let last = -1;
  const ends = contours.map((contour) => {
    last += contour.length;
    return last;
  });
  const data = Buffer.concat([
    words(contours.length, bounds.left, bounds.bottom, bounds.right, bounds.top, ...ends, 0),
    Buffer.from(points.map(({ isOnCurve }) => (isOnCurve ? 1 : 0))),
    words(...differences(across), ...differences(upward)),
  ]);
  return { data: Buffer.concat([data, Buffer.alloc(-data.length & 3)]), bounds };
}

const differences = (values: readonly number[]): number[] =>
  values.map((value, index) => value - (values[index - 1] ?? 0));

function locaTable(lengths: readonly number[]): Buffer {
  let offset = 0;
  return longs(0, ...lengths.map((length) => (offset += length)));
}

/** Only format 12, which covers all planes. */
function cmapTable(glyphs: readonly OutlinedGlyph[]): Buffer {
  const groups = glyphs.map(({ codePoint }, index) => longs(codePoint, codePoint, index + 1));
  return Buffer.concat([
    words(0, 1, 3, 10),
    longs(12),
    words(12, 0),
    longs(16 + groups.length * 12, 0, groups.length),
    ...groups,
  ]);
}

const unitsPerEm = 1000;
const isBold = ({ weight }: FontFacts): boolean => weight >= 600;

const headTable = ({ left, bottom, right, top }: Bounds, facts: FontFacts): Buffer =>
  Buffer.concat([
    // The checksum of the whole file, at byte 8, is filled in at the end.
    words(1, 0, 1, 0),
    longs(0, 0x5f0f3cf5),
    words(0b11, unitsPerEm),
    Buffer.alloc(16),
    words(left, bottom, right, top, isBold(facts) ? 1 : 0, 8, 2, 1, 0),
  ]);

const hheaTable = ({ ascender, descender }: FontFacts, glyphs: number, widest: number): Buffer =>
  words(1, 0, ascender, descender, 0, widest, 0, 0, widest, 1, 0, 0, 0, 0, 0, 0, 0, glyphs);

function os2Table(glyphs: readonly OutlinedGlyph[], facts: FontFacts): Buffer {
  const first = Math.min(glyphs[0]?.codePoint ?? 0, 0xffff);
  const last = Math.min(glyphs.at(-1)?.codePoint ?? 0, 0xffff);
  const { ascender, descender, weight } = facts;
  return Buffer.concat([
    // fsType 0: embedding is allowed without restrictions.
    words(4, 1000, weight, 5, 0, 650, 600, 0, 75, 650, 600, 0, 350, 50, 325, 0),
    Buffer.alloc(10 + 16),
    Buffer.from("ASNT", "latin1"),
    words(isBold(facts) ? 0x20 : 0x40, first, last, 880, -120, 0, ascender, -descender),
    Buffer.alloc(8),
    words(543, 733, 0, 32, 1),
  ]);
}

function nameTable(facts: FontFacts): Buffer {
  const { family } = facts;
  const style = isBold(facts) ? "Bold" : "Regular";
  const postScript = `${family.replaceAll(" ", "")}-${style}`;
  const names: readonly (readonly [number, string])[] = [
    [1, family],
    [2, style],
    [3, postScript],
    [4, `${family} ${style}`],
    [6, postScript],
  ];
  const texts = names.map(([, text]) => Buffer.from(text, "utf16le").swap16());
  let offset = 0;
  const records = names.map(([id], index) => {
    const length = texts[index]?.length ?? 0;
    offset += length;
    return words(3, 1, 0x409, id, length, offset - length);
  });
  return Buffer.concat([words(0, names.length, 6 + names.length * 12), ...records, ...texts]);
}

function assemble(tables: readonly (readonly [string, Buffer])[]): Buffer {
  const power = Math.floor(Math.log2(tables.length));
  const header = Buffer.concat([
    longs(0x0001_0000),
    words(tables.length, 16 << power, power, (tables.length - (1 << power)) * 16),
  ]);
  let offset = header.length + tables.length * 16;
  const padded = tables.map(([, data]) => Buffer.concat([data, Buffer.alloc(-data.length & 3)]));
  let head = 0;
  const records = tables.map(([tag, data], index) => {
    const whole = padded[index] ?? data;
    if (tag === "head") head = offset;
    const record = Buffer.concat([Buffer.from(tag, "latin1"), longs(checksum(whole), offset, data.length)]);
    offset += whole.length;
    return record;
  });
  const font = Buffer.concat([header, ...records, ...padded]);
  font.writeUInt32BE((0xb1b0afba - checksum(font)) >>> 0, head + 8);
  return font;
}

function checksum(data: Buffer): number {
  let sum = 0;
  for (let at = 0; at < data.length; at += 4) sum = (sum + data.readUInt32BE(at)) >>> 0;
  return sum;
}

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
