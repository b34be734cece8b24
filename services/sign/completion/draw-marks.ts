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
import { readDrawing } from "./drawing.ts";
import type { Box, Mark } from "./mark.ts";
import { createMarkFonts, type DrawnText, type FontLibrary, type MarkFonts } from "./mark-fonts.ts";
import { lineHeight, setText } from "./text-lines.ts";

/** Draws marks onto the pages of a document. Marks on pages that it has not are left out. */
export async function drawMarks(document: PDFDocument, marks: readonly Mark[], library: FontLibrary): Promise<void> {
  const fonts = createMarkFonts(document, library);
  const pages = document.getPages();
  for (const [number, onPage] of Map.groupBy(marks, ({ page }) => page)) {
    const page = pages[number - 1];
    if (page === undefined) continue;
    page.pushOperators(pushGraphicsState(), concatTransformationMatrix(...shownToUser(page)));
    for (const mark of onPage) await drawMark({ document, page, fonts }, mark);
    page.pushOperators(popGraphicsState());
  }
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

interface Canvas {
  readonly document: PDFDocument;
  readonly page: PDFPage;
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

async function drawText({ page, fonts }: Canvas, mark: Mark & { kind: "text" }): Promise<void> {
  const { style } = mark;
  const { font, text } = await fonts.forText(mark.text.replaceAll("\t", " "), style);
  const wanted = style.size > 0 ? style.size : Math.max(6, Math.min(usualSize, mark.height * 0.75));
  const { lines, size } = setText(text, mark, wanted, (piece, at) => font.widthOfTextAtSize(piece, at));
  const [red, green, blue] = style.color;
  for (const [index, line] of lines.entries()) {
    // A single line stands in the middle of its box, as it was seen when it was filled in.
    const top = lines.length === 1 ? mark.y + (mark.height - size) / 2 : mark.y;
    const y = -(top + size * 0.85 + index * size * lineHeight);
    page.drawText(line, { x: mark.x + 2, y, size, font, color: rgb(red, green, blue) });
    if (style.underline) {
      const end = { x: mark.x + 2 + font.widthOfTextAtSize(line, size), y: y - 1.5 };
      page.drawLine({ start: { x: mark.x + 2, y: y - 1.5 }, end, thickness: 0.5, color: rgb(red, green, blue) });
    }
  }
}

const captionSize = 5;

/** A small line under a signature that says whose it is; what is left of the box. */
async function drawCaption({ page, fonts }: Canvas, box: Box, caption: string): Promise<Box> {
  const { font, text } = await fonts.forText(caption, { family: "sans", bold: false, italic: false });
  const size = Math.min(
    captionSize,
    (captionSize * box.width) / Math.max(1, font.widthOfTextAtSize(text, captionSize)),
  );
  const bottom = box.y + box.height;
  page.drawLine({
    start: { x: box.x, y: -(bottom - captionSize - 1.5) },
    end: { x: box.x + box.width, y: -(bottom - captionSize - 1.5) },
    thickness: 0.4,
    color: rgb(0.5, 0.5, 0.5),
  });
  page.drawText(text, { x: box.x, y: -(bottom - 0.5), size, font, color: rgb(0.35, 0.35, 0.35) });
  return { ...box, height: box.height - captionSize - 2 };
}

/** As large as the box allows. */
async function drawFitting({ page }: Canvas, box: Box, { font, text }: DrawnText): Promise<void> {
  const widthAtOne = font.widthOfTextAtSize(text, 1);
  const heightAtOne = font.heightAtSize(1);
  const size = Math.min(box.height / heightAtOne, widthAtOne === 0 ? box.height : (box.width - 2) / widthAtOne);
  const descent = (heightAtOne - font.heightAtSize(1, { descender: false })) * size;
  const slack = (box.height - heightAtOne * size) / 2;
  page.drawText(text, { x: box.x + 1, y: -(box.y + box.height - slack - descent), size, font, color: ink });
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
