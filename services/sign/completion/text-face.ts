import type { Font, GlyphRun } from "@cantoo/fontkit";
import type { PDFFont } from "pdf-lib";
import type { FontLibrary } from "./font-library.ts";
import { mayRunRightToLeft, visualOrder } from "./text-lines.ts";

/** A font of the document; `font` is missing for those that every reader has. */
export interface EmbeddedFont {
  readonly embedded: PDFFont;
  readonly font?: Font;
}

/** A piece of a line in one font. */
export interface FontPiece {
  readonly font: EmbeddedFont;
  readonly text: string;
  /** Of the glyphs from left to right; missing for the fonts that every reader has. */
  readonly shaped?: GlyphRun;
  /** At size 1. */
  readonly width: number;
}

/** How one text is written. */
export interface TextFace {
  /** As it is drawn: characters that no font has are replaced. */
  readonly text: string;
  readonly isRightToLeft: boolean;
  /** The pieces of a line of the text from left to right. */
  piecesOf(line: string): readonly FontPiece[];
  widthOf(line: string, size: number): number;
  /** At size 1, of the tallest of the fonts. */
  readonly height: number;
  readonly descent: number;
}

/** A text in one font, whose characters stand in the order of reading. */
export function plainFace(text: string, font: EmbeddedFont): TextFace {
  return faceOf(text, [font], false, (line) => (line === "" ? [] : [pieceOf(line, font)]));
}

/** A text whose characters are in several fonts, or run to the left. */
export function mixedFace(
  text: string,
  fonts: ReadonlyMap<string, EmbeddedFont>,
  fontOf: (cluster: string) => string,
  library: FontLibrary,
): TextFace {
  const clusters = new Intl.Segmenter("und", { granularity: "grapheme" });
  // Of letters that come together only when the marks between them are gone; what it has not it shows as a box.
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
      // Fonts turn around what has letters that run to the left; blanks and brackets between them are turned here.
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

/** They have done their work when a line is in order. */
const directionMarks = /[\u061c\u200e\u200f\u2066-\u2069]/g;

/** Rule P2: the first letter that has a direction decides. */
function directionOf(text: string): "ltr" | "rtl" {
  const first = /\p{L}/u.exec(withoutIsolates(text))?.[0] ?? "";
  return mayRunRightToLeft(first) ? "rtl" : "ltr";
}

/** What stands between isolating marks does not count. */
const withoutIsolates = (text: string): string => text.replaceAll(/[\u2066-\u2068][^\u2069]{0,1000}\u2069/g, "");

function faceOf(
  text: string,
  fonts: readonly EmbeddedFont[],
  isRightToLeft: boolean,
  split: (line: string) => FontPiece[],
): TextFace {
  // Lines are measured, and then drawn.
  const known = new Map<string, FontPiece[]>();
  const piecesOf = (line: string): FontPiece[] => {
    const pieces = known.get(line) ?? split(line);
    known.set(line, pieces);
    return pieces;
  };
  const height = Math.max(...fonts.map(({ embedded }) => embedded.heightAtSize(1)));
  const above = Math.max(...fonts.map(({ embedded }) => embedded.heightAtSize(1, { descender: false })));
  const widthOf = (line: string, size: number) => piecesOf(line).reduce((sum, { width }) => sum + width, 0) * size;
  return { text, isRightToLeft, piecesOf, widthOf, height, descent: height - above };
}

function pieceOf(text: string, font: EmbeddedFont): FontPiece {
  if (font.font === undefined) return { font, text, width: font.embedded.widthOfTextAtSize(text, 1) };
  const shaped = font.font.layout(text);
  const width = (shaped.positions ?? []).reduce((sum, { xAdvance }) => sum + xAdvance, 0) / font.font.unitsPerEm;
  return { font, text, shaped, width };
}
