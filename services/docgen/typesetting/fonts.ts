import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { eastAsianFamily } from "#platform/fonts/east-asian.ts";
import type { FontFamily } from "../domain/page.ts";
import { readCodePoints } from "./font-cmap.ts";
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

/** Reads the fonts from their packages. */
export function loadFonts(): Fonts {
  const { resolve } = createRequire(import.meta.url);
  const families = packages.map(({ name, prefix, faces }) =>
    faces.map((face) => readFileSync(resolve(`@expo-google-fonts/${name}/${face}/${prefix}_${face}.ttf`))),
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
