import { readFileSync } from "node:fs";
import { eastAsianFamily } from "#platform/fonts/east-asian.ts";
import type { FontFamily } from "../domain/page.ts";
import type { HasGlyph } from "./glyph-coverage.ts";

export interface Fonts {
  /** The files, in the form that the compiler takes them. */
  readonly blobs: readonly Buffer[];
  readonly hasGlyph: HasGlyph;
}

/**
 * The families that a text is set in, one after the other for what the one before lacks. They are all that is ever
 * used: the compiler also knows the fonts of the machine and its own, so it is told never to fall back on others, and
 * every face that document.typ asks for is among ours, which come first.
 */
export const familiesOf = (font: FontFamily, hasEastAsian: boolean): readonly string[] => [
  ...(font === "serif" ? ["Noto Serif", "Noto Sans"] : ["Noto Sans", "Noto Serif"]),
  ...["Noto Sans Mono", "Noto Sans Hebrew", "IBM Plex Sans Arabic", "Noto Sans Thai"],
  ...(hasEastAsian ? [eastAsianFamily] : []),
];

const folder = new URL("../../../node_modules/@expo-google-fonts/", import.meta.url);

/** Reads the fonts from their packages. */
export function loadFonts(): Fonts {
  const families = packages.map(({ name, prefix, faces }) =>
    faces.map((face) => readFileSync(new URL(`${name}/${face}/${prefix}_${face}.ttf`, folder))),
  );
  // A family has what all of its faces have.
  const codePoints = new Set(families.flatMap((faces) => commonCodePoints(faces)));
  return { blobs: families.flat(), hasGlyph: (codePoint) => codePoints.has(codePoint) };
}

function commonCodePoints(faces: readonly Buffer[]): number[] {
  const [first = new Set<number>(), ...others] = faces.map(readCodePoints);
  return [...first].filter((codePoint) => others.every((face) => face.has(codePoint)));
}

const upright = ["400Regular", "600SemiBold", "700Bold"];
const italic = upright.map((face) => `${face}_Italic`);

const packages = [
  { name: "noto-sans", prefix: "NotoSans", faces: [...upright, ...italic] },
  { name: "noto-serif", prefix: "NotoSerif", faces: [...upright, ...italic] },
  { name: "noto-sans-mono", prefix: "NotoSansMono", faces: upright },
  { name: "noto-sans-hebrew", prefix: "NotoSansHebrew", faces: upright },
  { name: "ibm-plex-sans-arabic", prefix: "IBMPlexSansArabic", faces: upright },
  // Marks over bold letters are moved apart from them, and what is copied then has them twice.
  { name: "noto-sans-thai", prefix: "NotoSansThai", faces: ["400Regular"] },
];

/**
 * The code points that a TrueType font has glyphs for. Reads the formats 4 and 12 of the table `cmap`
 * (https://learn.microsoft.com/typography/opentype/spec/cmap), which every current font has.
 */
function readCodePoints(font: Uint8Array): ReadonlySet<number> {
  const view = new DataView(font.buffer, font.byteOffset, font.byteLength);
  const cmap = findTable(view, "cmap");
  const codePoints = new Set<number>();
  const subtables = view.getUint16(cmap + 2);
  for (let index = 0; index < subtables; index += 1) {
    const record = cmap + 4 + index * 8;
    if (!isUnicode(view.getUint16(record), view.getUint16(record + 2))) continue;
    const subtable = cmap + view.getUint32(record + 4);
    const format = view.getUint16(subtable);
    if (format === 4) addSegments(view, subtable, codePoints);
    else if (format === 12) addGroups(view, subtable, codePoints);
  }
  return codePoints;
}

function findTable(view: DataView, tag: string): number {
  const wanted = Buffer.from(tag, "latin1").readUInt32BE();
  const tables = view.getUint16(4);
  for (let index = 0; index < tables; index += 1) {
    const record = 12 + index * 16;
    if (view.getUint32(record) === wanted) return view.getUint32(record + 8);
  }
  throw new RangeError(`the font has no table ${tag}`);
}

const isUnicode = (platform: number, encoding: number): boolean =>
  platform === 0 || (platform === 3 && (encoding === 1 || encoding === 10));

/** Format 4: segments of the basic plane, whose glyphs are computed from a delta or looked up. */
function addSegments(view: DataView, subtable: number, codePoints: Set<number>): void {
  const bytes = view.getUint16(subtable + 6);
  const ends = subtable + 14;
  const starts = ends + bytes + 2;
  for (let segment = 0; segment < bytes; segment += 2) {
    const start = view.getUint16(starts + segment);
    const end = view.getUint16(ends + segment);
    const delta = view.getUint16(starts + bytes + segment);
    const rangeAt = starts + 2 * bytes + segment;
    const range = view.getUint16(rangeAt);
    for (let code = start; code <= end && code !== 0xffff; code += 1) {
      const found = range === 0 ? code : view.getUint16(rangeAt + range + 2 * (code - start));
      // Glyph 0 is the box of what is missing.
      if (found !== 0 && ((found + delta) & 0xffff) !== 0) codePoints.add(code);
    }
  }
}

/** Format 12: groups of all planes with consecutive glyphs. */
function addGroups(view: DataView, subtable: number, codePoints: Set<number>): void {
  const groups = view.getUint32(subtable + 12);
  for (let index = 0; index < groups; index += 1) {
    const group = subtable + 16 + index * 12;
    const start = view.getUint32(group);
    const end = view.getUint32(group + 4);
    const glyph = view.getUint32(group + 8);
    for (let code = start; code <= end; code += 1) if (glyph + code - start !== 0) codePoints.add(code);
  }
}
