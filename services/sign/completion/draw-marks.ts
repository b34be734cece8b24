import {
  concatTransformationMatrix,
  type PDFDocument,
  type PDFImage,
  type PDFPage,
  popGraphicsState,
  pushGraphicsState,
  rgb,
} from "pdf-lib";
import { pageBoxOf } from "../intake/page-box.ts";
import { drawLine, type PageWithFonts } from "./draw-line.ts";
import { readDrawing } from "./drawing.ts";
import type { FontLibrary } from "./font-library.ts";
import type { Box, Mark } from "./mark.ts";
import { createMarkFonts, type MarkFonts } from "./mark-fonts.ts";
import type { TextFace } from "./text-face.ts";
import { lineHeight, setText } from "./text-lines.ts";

/** Draws marks onto the pages of a document. Marks on pages that it has not are left out. */
export async function drawMarks(document: PDFDocument, marks: readonly Mark[], library: FontLibrary): Promise<void> {
  const fonts = createMarkFonts(document, library, marks.flatMap(textsOf));
  const pages = document.getPages();
  for (const [number, onPage] of Map.groupBy(marks, ({ page }) => page)) {
    const page = pages[number - 1];
    if (page === undefined) continue;
    page.pushOperators(pushGraphicsState(), concatTransformationMatrix(...shownToUser(page)));
    const canvas = { document, page, fonts, fontKeys: new Map() };
    for (const mark of onPage) await drawMark(canvas, mark);
    page.pushOperators(popGraphicsState());
  }
}

function textsOf(mark: Mark): string[] {
  if (mark.kind === "check") return [];
  return mark.kind === "text" ? [mark.text] : [mark.text, mark.caption];
}

/**
 * From points of the page as it is shown, right and up from its upper left corner, to those of the file (ISO 32000-2
 * §8.3.3): the page may be turned, and only a part of it shown. Read as when the file came, so that marks stand where
 * people have seen them, however the boxes are written.
 */
function shownToUser(page: PDFPage): [number, number, number, number, number, number] {
  const { left, bottom, width, height, rotation } = pageBoxOf(page.node);
  switch (rotation) {
    case 0:
      return [1, 0, 0, 1, left, bottom + height];
    case 90:
      return [0, 1, -1, 0, left, bottom];
    case 180:
      return [-1, 0, 0, -1, left + width, bottom];
    case 270:
      return [0, -1, 1, 0, left + width, bottom + height];
  }
}

interface Canvas extends PageWithFonts {
  readonly document: PDFDocument;
  readonly fonts: MarkFonts;
}

async function drawMark(canvas: Canvas, mark: Mark): Promise<void> {
  switch (mark.kind) {
    case "text":
      return drawText(canvas, mark);
    case "signature": {
      const box = await drawCaption(canvas, mark, mark.caption);
      return drawFitting(canvas, box, await canvas.fonts.forSignature(mark.text, mark.font));
    }
    case "image": {
      const box = await drawCaption(canvas, mark, mark.caption);
      const image = await readDrawing(canvas.document, mark.png);
      if (image !== undefined) return drawImage(canvas, box, image);
      return drawFitting(canvas, box, await canvas.fonts.forSignature(mark.text, mark.font));
    }
    case "check":
      return drawCheck(canvas, mark, mark.isRound);
  }
}

const usualSize = 10;
const ink = rgb(0, 0, 0.35);

async function drawText(canvas: Canvas, mark: Mark & { kind: "text" }): Promise<void> {
  const { page, fonts } = canvas;
  const { style } = mark;
  const face = await fonts.forText(mark.text.replaceAll("\t", " "), style);
  const wanted = style.size > 0 ? style.size : Math.max(6, Math.min(usualSize, mark.height * 0.75));
  const { lines, size } = setText(face.text, mark, wanted, face.widthOf);
  const color = rgb(...style.color);
  for (const [index, line] of lines.entries()) {
    // A single line stands in the middle of its box, as it was seen when it was filled in.
    const top = lines.length === 1 ? mark.y + (mark.height - size) / 2 : mark.y;
    const y = -(top + size * 0.85 + index * size * lineHeight);
    const width = face.widthOf(line, size);
    const isAtRight = face.isRightToLeft && lines.length > 1;
    const x = isAtRight ? mark.x + Math.max(2, mark.width - 2 - width) : mark.x + 2;
    drawLine(canvas, face.piecesOf(line), { x, y, size, color });
    if (style.underline) {
      page.drawLine({ start: { x, y: y - 1.5 }, end: { x: x + width, y: y - 1.5 }, thickness: 0.5, color });
    }
  }
}

const captionSize = 5;

/** A small line under a signature that says whose it is; what is left of the box. */
async function drawCaption(canvas: Canvas, box: Box, caption: string): Promise<Box> {
  const { page, fonts } = canvas;
  const face = await fonts.forText(caption, { family: "sans", bold: false, italic: false });
  const size = Math.min(captionSize, (captionSize * box.width) / Math.max(1, face.widthOf(face.text, captionSize)));
  const bottom = box.y + box.height;
  page.drawLine({
    start: { x: box.x, y: -(bottom - captionSize - 1.5) },
    end: { x: box.x + box.width, y: -(bottom - captionSize - 1.5) },
    thickness: 0.4,
    color: rgb(0.5, 0.5, 0.5),
  });
  drawLine(canvas, face.piecesOf(face.text), { x: box.x, y: -(bottom - 0.5), size, color: rgb(0.35, 0.35, 0.35) });
  return { ...box, height: box.height - captionSize - 2 };
}

/** As large as the box allows. */
function drawFitting(canvas: Canvas, box: Box, face: TextFace): void {
  const widthAtOne = face.widthOf(face.text, 1);
  const size = Math.min(box.height / face.height, widthAtOne === 0 ? box.height : (box.width - 2) / widthAtOne);
  const slack = (box.height - face.height * size) / 2;
  const y = -(box.y + box.height - slack - face.descent * size);
  drawLine(canvas, face.piecesOf(face.text), { x: box.x + 1, y, size, color: ink });
}

function drawImage({ page }: Canvas, box: Box, image: PDFImage): void {
  const { width, height } = image.scaleToFit(box.width, box.height);
  page.drawImage(image, { x: box.x, y: -(box.y + box.height), width, height });
}

function drawCheck({ page }: Canvas, box: Box, isRound: boolean): void {
  const size = Math.min(box.width, box.height);
  if (isRound) {
    page.drawCircle({ x: box.x + size / 2, y: -(box.y + size / 2), size: size * 0.28, color: ink });
    return;
  }
  const at = (right: number, down: number) => ({ x: box.x + right * size, y: -(box.y + down * size) });
  const line = { thickness: size * 0.13, color: ink };
  page.drawLine({ start: at(0.18, 0.55), end: at(0.42, 0.8), ...line });
  page.drawLine({ start: at(0.42, 0.8), end: at(0.85, 0.2), ...line });
}
