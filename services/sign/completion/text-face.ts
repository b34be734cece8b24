import type { Font, GlyphRun } from "@cantoo/fontkit";
import type { PDFFont } from "pdf-lib";
import type { FontLibrary } from "./font-library.ts";
import { mayRunRightToLeft, visualOrder } from "./text-lines.ts";

/** A font of the document; `font` is missing for the standard 14 fonts. */
export interface EmbeddedFont {
  readonly embedded: PDFFont;
  readonly font?: Font;
}

/** A piece of a line in a single font. */
export interface FontPiece {
  readonly font: EmbeddedFont;
  readonly text: string;
  /** Glyphs from left to right; missing for the standard 14 fonts. */
  readonly shaped?: GlyphRun;
  /** At font size 1. */
  readonly width: number;
}

/** The fonts of one text. */
export interface TextFace {
  /** The text as drawn: characters that no font has are replaced. */
  readonly text: string;
  readonly isRightToLeft: boolean;
  /** The pieces of a line, from left to right. */
  piecesOf(line: string): readonly FontPiece[];
  widthOf(line: string, size: number): number;
  /** How far the letters lean to the right, for their height. */
  readonly slant: number;
  /** Of the tallest font, at size 1. */
  readonly height: number;
  readonly descent: number;
}

/** A text in one font that runs from left to right. */
export function plainFace(text: string, font: EmbeddedFont): TextFace {
  return faceOf(text, [font], false, (line) => (line === "" ? [] : [pieceOf(line, font)]));
}

/** A text in several fonts, or with right-to-left characters. */
export function mixedFace(
  text: string,
  fonts: ReadonlyMap<string, EmbeddedFont>,
  fontOf: (cluster: string) => string,
  library: FontLibrary,
): TextFace {
  const clusters = new Intl.Segmenter("und", { granularity: "grapheme" });
  // For characters that meet only without the direction marks between them; those that it lacks become a box.
  const [spare] = fonts.values();
  const split = (line: string, isRightToLeft: boolean): FontPiece[] => {
    const runs: { name: string; text: string }[] = [];
    for (const { segment } of clusters.segment(line.replaceAll(directionMarks, ""))) {
      const last = runs.at(-1);
      const name = fontOf(segment);
      if (last?.name === name) last.text += segment;
      else runs.push({ name, text: segment });
    }
    return runs.flatMap(({ name, text: run }) => {
      const font = fonts.get(name) ?? spare;
      if (font === undefined) return [];
      // Fonts reverse right-to-left letters themselves; spaces and brackets between them are reversed here.
      const isTurned = isRightToLeft && !mayRunRightToLeft(run);
      const text = isTurned
        ? Array.from(clusters.segment(run), ({ segment }) => segment)
            .reverse()
            .join("")
        : run;
      return [pieceOf(text, font)];
    });
  };
  const hasOrder = mayRunRightToLeft(text);
  const base = hasOrder ? directionOf(text) : "ltr";
  const piecesOf = (line: string): FontPiece[] => {
    if (!hasOrder) return split(line, false);
    return visualOrder(library.bidi(), line, base).flatMap(({ text: piece, isRightToLeft }) =>
      isRightToLeft ? split(piece, true).reverse() : split(piece, false),
    );
  };
  return faceOf(text, [...fonts.values()], base === "rtl", piecesOf);
}

/** Not needed any more once a line is in visual order. */
const directionMarks = /[\u061c\u200e\u200f\u2066-\u2069]/g;

/** UAX #9 rule P2: the first character with a strong direction decides. */
function directionOf(text: string): "ltr" | "rtl" {
  const first = /\p{L}/u.exec(withoutIsolates(text))?.[0] ?? "";
  return mayRunRightToLeft(first) ? "rtl" : "ltr";
}

/** Removes isolated text, which rule P2 ignores. */
const withoutIsolates = (text: string): string => text.replaceAll(/[\u2066-\u2068][^\u2069]{0,1000}\u2069/g, "");

function faceOf(
  text: string,
  fonts: readonly EmbeddedFont[],
  isRightToLeft: boolean,
  split: (line: string) => FontPiece[],
): TextFace {
  // Each line is first measured and later drawn, so the pieces are cached.
  const known = new Map<string, FontPiece[]>();
  const piecesOf = (line: string): FontPiece[] => {
    const pieces = known.get(line) ?? split(line);
    known.set(line, pieces);
    return pieces;
  };
  const height = Math.max(...fonts.map(({ embedded }) => embedded.heightAtSize(1)));
  const above = Math.max(...fonts.map(({ embedded }) => embedded.heightAtSize(1, { descender: false })));
  const widthOf = (line: string, size: number) => piecesOf(line).reduce((sum, { width }) => sum + width, 0) * size;
  return { text, isRightToLeft, piecesOf, widthOf, slant: 0, height, descent: height - above };
}

function pieceOf(text: string, font: EmbeddedFont): FontPiece {
  if (font.font === undefined) return { font, text, width: font.embedded.widthOfTextAtSize(text, 1) };
  const shaped = font.font.layout(text);
  const width = (shaped.positions ?? []).reduce((sum, { xAdvance }) => sum + xAdvance, 0) / font.font.unitsPerEm;
  return { font, text, shaped, width };
}
