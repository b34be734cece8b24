import type { GlyphRun } from "@cantoo/fontkit";
import {
  beginText,
  type Color,
  endText,
  type PDFFont,
  type PDFName,
  PDFOperator,
  PDFOperatorNames,
  type PDFPage,
  setFillingColor,
  setFontAndSize,
  setTextMatrix,
  setTextRise,
} from "pdf-lib";
import type { FontPiece } from "./text-face.ts";

export interface LineLook {
  readonly x: number;
  /** Of the line that letters stand on. */
  readonly y: number;
  readonly size: number;
  readonly color: Color;
}

export interface PageWithFonts {
  readonly page: PDFPage;
  /** The names that fonts have on the page. */
  readonly fontKeys: Map<PDFFont, PDFName>;
}

/** Writes the pieces of a line one after the other. */
export function drawLine({ page, fontKeys }: PageWithFonts, pieces: readonly FontPiece[], look: LineLook): void {
  let { x } = look;
  const keyOf = (font: PDFFont): PDFName => {
    const key = fontKeys.get(font) ?? page.node.newFontDictionary(font.name, font.ref);
    fontKeys.set(font, key);
    return key;
  };
  for (const piece of pieces) {
    if (piece.shaped === undefined) page.drawText(piece.text, { ...look, x, font: piece.font.embedded });
    else page.pushOperators(...shapedOperators(keyOf(piece.font.embedded), piece, piece.shaped, { ...look, x }));
    x += piece.width * look.size;
  }
}

function shapedOperators(
  fontKey: PDFName,
  { text, font }: FontPiece,
  shaped: GlyphRun,
  { x, y, size, color }: LineLook,
): PDFOperator[] {
  // Readers turn around what runs to the left, and do so with a text that is told them, too: it would be turned twice.
  const isPlain = shaped.direction === "rtl" || meaningOf(shaped) === text;
  return [
    ...(isPlain ? [] : [PDFOperator.of(PDFOperatorNames.BeginMarkedContentSequence, ["/Span", actualText(text)])]),
    beginText(),
    setFillingColor(color),
    setFontAndSize(fontKey, size),
    setTextMatrix(1, 0, 0, 1, x, y),
    ...showGlyphs(codesOf(font.embedded.encodeText(text).asString()), shaped, size, font.font?.unitsPerEm ?? 1000),
    endText(),
    ...(isPlain ? [] : [PDFOperator.of(PDFOperatorNames.EndMarkedContent)]),
  ];
}

/** What readers make of the glyphs alone. */
const meaningOf = ({ glyphs }: GlyphRun): string =>
  glyphs.map(({ codePoints }) => String.fromCodePoint(...codePoints)).join("");

/** What is copied and searched where letters have become others by standing together (ISO 32000-2 §14.9.4). */
const actualText = (text: string): string =>
  `<</ActualText <FEFF${Buffer.from(text, "utf16le").swap16().toString("hex")}>>>`;

const codesOf = (hex: string): readonly string[] => hex.match(/.{4}/g) ?? [];

/**
 * Shows glyphs where the font wants them: letters closer together, marks above and below. Without shifts a glyph stands
 * where the one before ends (ISO 32000-2 §9.4.3); shifts are told in thousandths of the size, to the left.
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
