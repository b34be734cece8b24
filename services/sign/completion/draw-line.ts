import type { GlyphRun } from "@cantoo/fontkit";
import {
  beginText,
  type Color,
  degrees,
  drawText,
  endText,
  type PDFName,
  PDFOperator,
  PDFOperatorNames,
  setFillingColor,
  setFontAndSize,
  setTextMatrix,
  setTextRise,
} from "pdf-lib";
import type { MarkCanvas } from "./mark-canvas.ts";
import type { FontPiece } from "./text-face.ts";

export interface LineLook {
  readonly x: number;
  /** The y position of the baseline. */
  readonly y: number;
  readonly size: number;
  readonly color: Color;
  /** How far letters lean to the right, for their height; upright when absent. */
  readonly slant?: number;
}

/** Draws the pieces of a line one after the other. */
export function drawLine(canvas: MarkCanvas, pieces: readonly FontPiece[], look: LineLook): void {
  let { x } = look;
  const { y, size, color, slant = 0 } = look;
  for (const piece of pieces) {
    const { embedded } = piece.font;
    const font = canvas.fontKey(embedded);
    if (piece.shaped === undefined) {
      canvas.push(...drawText(embedded.encodeText(piece.text), { color, font, size, ...straight, x, y }));
    } else canvas.push(...shapedOperators(font, piece, piece.shaped, { ...look, x }));
    x += piece.width * size;
  }
  // Extends to the font's full height, accents included.
  canvas.reach({
    left: Math.min(x, look.x) - size * (0.25 + slant * 0.6),
    right: x + size * (0.25 + slant * 1.4),
    bottom: y - size * 0.6,
    top: y + size * 1.4,
  });
}

const straight = { rotate: degrees(0), xSkew: degrees(0), ySkew: degrees(0) };

function shapedOperators(
  fontKey: PDFName,
  { text, font }: FontPiece,
  shaped: GlyphRun,
  { x, y, size, color, slant = 0 }: LineLook,
): PDFOperator[] {
  // Readers reverse right-to-left text themselves, and would reverse an ActualText as well, so right-to-left
  // pieces get none.
  const isPlain = shaped.direction === "rtl" || meaningOf(shaped) === text;
  return [
    ...(isPlain ? [] : [PDFOperator.of(PDFOperatorNames.BeginMarkedContentSequence, ["/Span", actualText(text)])]),
    beginText(),
    setFillingColor(color),
    setFontAndSize(fontKey, size),
    setTextMatrix(1, 0, slant, 1, x, y),
    ...showGlyphs(codesOf(font.embedded.encodeText(text).asString()), shaped, size, font.font?.unitsPerEm ?? 1000),
    endText(),
    ...(isPlain ? [] : [PDFOperator.of(PDFOperatorNames.EndMarkedContent)]),
  ];
}

/** The text that a reader derives from the glyphs alone. */
const meaningOf = ({ glyphs }: GlyphRun): string =>
  glyphs.map(({ codePoints }) => String.fromCodePoint(...codePoints)).join("");

/** ActualText for copying and searching where ligatures replaced the letters (ISO 32000-2 §14.9.4). */
const actualText = (text: string): string =>
  `<</ActualText <FEFF${Buffer.from(text, "utf16le").swap16().toString("hex")}>>>`;

const codesOf = (hex: string): readonly string[] => hex.match(/.{4}/g) ?? [];

/**
 * Draws glyphs with the font's kerning and mark positions. Without adjustments each glyph follows the one
 * before (ISO 32000-2 §9.4.3); adjustments are in thousandths of the font size, to the left.
 */
function showGlyphs(codes: readonly string[], shaped: GlyphRun, size: number, unitsPerEm: number): PDFOperator[] {
  const operators: PDFOperator[] = [];
  let rise = 0;
  let shown = "";
  const flush = () => {
    if (shown !== "") operators.push(PDFOperator.of(PDFOperatorNames.ShowTextAdjusted, [`[${shown}]`]));
    shown = "";
  };
  const shift = (units: number) => {
    const thousandths = Math.round((units * 1000) / unitsPerEm);
    if (thousandths !== 0) shown += ` ${-thousandths} `;
  };
  for (const [index, code] of codes.entries()) {
    const glyph = shaped.glyphs[index];
    const position = shaped.positions?.[index];
    if (glyph === undefined || position === undefined) continue;
    if (position.yOffset !== rise) {
      flush();
      rise = position.yOffset;
      operators.push(setTextRise((rise / unitsPerEm) * size));
    }
    shift(position.xOffset);
    shown += `<${code}>`;
    shift(position.xAdvance - position.xOffset - glyph.advanceWidth);
  }
  flush();
  return rise === 0 ? operators : [...operators, setTextRise(0)];
}
