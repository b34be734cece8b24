import {
  beginMarkedContent,
  concatTransformationMatrix,
  decodePDFRawStream,
  degrees,
  drawEllipse,
  drawObject,
  endMarkedContent,
  drawImage as imageOperators,
  drawLine as lineOperators,
  type PDFDocument,
  PDFHexString,
  type PDFImage,
  PDFName,
  PDFNumber,
  type PDFPage,
  PDFRawStream,
  popGraphicsState,
  pushGraphicsState,
  rgb,
} from "pdf-lib";
import { pageBoxOf } from "../intake/page-tree.ts";
import { addSignatureField, type FieldNames } from "../seal/signature-placeholder.ts";
import { type Claims, claimsOf } from "./conformance.ts";
import { drawLine } from "./draw-line.ts";
import type { FontLibrary } from "./font-library.ts";
import type { Box, Mark } from "./mark.ts";
import { createMarkCanvas, type MarkCanvas, type MarkForm } from "./mark-canvas.ts";
import { createMarkFonts, type MarkFonts } from "./mark-fonts.ts";
import { structureOf } from "./structure.ts";
import type { TextFace } from "./text-face.ts";
import { lineHeight, setText } from "./text-lines.ts";

/** Marked-content tag around each mark, which tells our marks from the page's own content. */
const markTag = "AssentMark";

/**
 * Draws marks onto the pages of a document. Marks on pages that do not exist are skipped. With field names, the
 * page content stays untouched because an earlier signature covers it: each mark becomes the appearance of a
 * new signature field that nobody can fill in. Verifiers of the earlier signature permit no other addition.
 */
export async function drawMarks(
  document: PDFDocument,
  marks: readonly Mark[],
  library: FontLibrary,
  fieldNames?: FieldNames,
): Promise<void> {
  const claims = claimsOf(document);
  const mustEmbed = claims.archive > 0 || claims.isAccessible;
  const fonts = createMarkFonts(document, library, marks.flatMap(textsOf), mustEmbed);
  const pages = document.getPages();
  const structure = fieldNames === undefined ? structureOf(document) : undefined;
  const isArchived = claims.archive > 0;
  for (const [number, onPage] of Map.groupBy(marks, ({ page }) => page)) {
    const page = pages[number - 1];
    if (page === undefined) continue;
    const matrix = shownToUser(page);
    for (const mark of onPage) {
      const pen: Pen = { canvas: createMarkCanvas(document, mark), fonts, claims };
      await drawMark(pen, mark);
      if (fieldNames !== undefined) {
        addMarkField(document, page, pen.canvas.toForm({ matrix, isArchived }), mark, fieldNames);
        continue;
      }
      const element = structure && { role: mark.kind === "text" ? "P" : "Figure", page: page.ref };
      const form = pen.canvas.toForm({ role: element?.role, isArchived });
      if (element !== undefined) structure?.addForm(form, { ...element, alternative: alternativeOf(mark) });
      const key = page.node.newXObject(markTag, form.ref);
      page.pushOperators(
        beginMarkedContent(markTag),
        pushGraphicsState(),
        concatTransformationMatrix(...matrix),
        drawObject(key),
        popGraphicsState(),
        endMarkedContent(),
      );
    }
  }
}

/** The alternative text; for a text mark it is the text itself. */
function alternativeOf(mark: Mark): string | undefined {
  if (mark.kind === "text") return undefined;
  return mark.kind === "check" ? "checked" : `${mark.text} (${mark.caption})`;
}

/** Printed, locked and read-only. */
const shownOnly = { F: 4 + 64 + 128, Ff: 1 };

function addMarkField(
  document: PDFDocument,
  page: PDFPage,
  { ref, edges }: MarkForm,
  mark: Mark,
  fieldNames: FieldNames,
): void {
  const [a, b, c, d, e, f] = shownToUser(page);
  const across = [edges.left, edges.right].flatMap((x) => [edges.bottom, edges.top].map((y) => a * x + c * y + e));
  const upward = [edges.left, edges.right].flatMap((x) => [edges.bottom, edges.top].map((y) => b * x + d * y + f));
  const text = PDFHexString.fromText(alternativeOf(mark) ?? (mark.kind === "text" ? mark.text : ""));
  addSignatureField(document, page, {
    name: fieldNames.next("Mark"),
    entries: {
      ...shownOnly,
      Rect: [Math.min(...across), Math.min(...upward), Math.max(...across), Math.max(...upward)],
      AP: { N: ref },
      TU: text,
      Contents: text,
    },
  });
}

function textsOf(mark: Mark): string[] {
  if (mark.kind === "check") return [];
  return mark.kind === "text" ? [mark.text] : [mark.text, mark.caption];
}

/**
 * The matrix from points on the displayed page (x right, y up, origin at the upper left corner) to page
 * coordinates (ISO 32000-2 §8.3.3), since a page may be rotated or cropped. Read in the same way as at upload,
 * so marks appear where people saw them however the boxes are written.
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

interface Pen {
  readonly canvas: MarkCanvas;
  readonly fonts: MarkFonts;
  readonly claims: Claims;
}

async function drawMark(pen: Pen, mark: Mark): Promise<void> {
  const { canvas, fonts, claims } = pen;
  switch (mark.kind) {
    case "text":
      return drawText(pen, mark);
    case "signature": {
      const box = await drawCaption(pen, mark, mark.caption);
      return drawFitting(canvas, box, await fonts.forSignature(mark.text, mark.font));
    }
    case "image": {
      const box = await drawCaption(pen, mark, mark.caption);
      const image = await readDrawing(canvas.document, mark.png, !claims.isOpaque);
      if (image !== undefined) return drawImage(canvas, box, image);
      return drawFitting(canvas, box, await fonts.forSignature(mark.text, mark.font));
    }
    case "check":
      return drawCheck(canvas, mark, mark.isRound);
  }
}

const usualSize = 10;
const ink = rgb(0, 0, 0.35);

async function drawText({ canvas, fonts }: Pen, mark: Mark & { kind: "text" }): Promise<void> {
  const { style } = mark;
  const face = await fonts.forText(mark.text.replaceAll("\t", " "), style);
  const wanted = style.size > 0 ? style.size : Math.max(6, Math.min(usualSize, mark.height * 0.75));
  const { lines, size } = setText(face.text, mark, wanted, face.widthOf);
  const color = rgb(...style.color);
  for (const [index, line] of lines.entries()) {
    // A single line is centred vertically, as it was in the signing page.
    const top = lines.length === 1 ? mark.y + (mark.height - size) / 2 : mark.y;
    const y = -(top + size * 0.85 + index * size * lineHeight);
    const width = face.widthOf(line, size);
    const isAtRight = face.isRightToLeft && lines.length > 1;
    const x = isAtRight ? mark.x + Math.max(2, mark.width - 2 - width) : mark.x + 2;
    drawLine(canvas, face.piecesOf(line), { x, y, size, color });
    if (style.underline) {
      const below = y - 1.5;
      canvas.push(...lineOperators({ start: { x, y: below }, end: { x: x + width, y: below }, thickness: 0.5, color }));
    }
  }
}

/** What is smaller cannot be read on paper. */
const smallestCaption = 5;
const smallestName = 7;

/** A small caption below a signature that names the signer, in several lines if need be. Returns the remaining box. */
async function drawCaption({ canvas, fonts }: Pen, box: Box, caption: string): Promise<Box> {
  const face = await fonts.forText(caption, { family: "sans", bold: false, italic: false });
  const lines = linesOf(face, box.width, smallestCaption);
  const step = smallestCaption * 1.1;
  // A name that would take the place of the signature goes on below it.
  const inside = Math.min(lines.length, Math.max(1, Math.floor((box.height * 0.5) / step)));
  const height = smallestCaption + (inside - 1) * step;
  const bottom = box.y + box.height;
  const y = -(bottom - height - 1.5);
  const ends = { start: { x: box.x, y }, end: { x: box.x + box.width, y } };
  canvas.push(...lineOperators({ ...ends, thickness: 0.4, color: rgb(0.5, 0.5, 0.5) }));
  for (const [index, line] of lines.entries()) {
    const place = { x: box.x, y: -(bottom - 0.5 - (inside - 1 - index) * step), size: smallestCaption };
    drawLine(canvas, face.piecesOf(line), { ...place, color: rgb(0.35, 0.35, 0.35) });
  }
  return { ...box, height: box.height - height - 2 };
}

/** The text in lines that are no wider than this; what has no blanks breaks between its letters. */
function linesOf(face: TextFace, width: number, size: number): readonly string[] {
  if (face.widthOf(face.text, size) <= width) return [face.text];
  const words = face.text
    .split(" ")
    .map((word) => (face.widthOf(word, size) > width ? divided(face, word, width, size) : word));
  return setText(words.join(" "), { width, height: Number.POSITIVE_INFINITY }, size, face.widthOf).lines;
}

/** The pieces of a word that is too long for a line, each on a line of its own. */
function divided(face: TextFace, word: string, width: number, size: number): string {
  const pieces: string[] = [];
  for (const { segment } of new Intl.Segmenter("und", { granularity: "grapheme" }).segment(word)) {
    const longer = (pieces.at(-1) ?? "") + segment;
    if (pieces.length > 0 && face.widthOf(longer, size) <= width) pieces[pieces.length - 1] = longer;
    else pieces.push(segment);
  }
  return pieces.join("\n");
}

/** Draws a name as large as the box allows: in one line, or in several where one could not be read. */
function drawFitting(canvas: MarkCanvas, box: Box, face: TextFace): void {
  const widthAtOne = face.widthOf(face.text, 1) + overhangOf(face);
  const single = Math.min(box.height / face.height, widthAtOne === 0 ? box.height : (box.width - 2) / widthAtOne);
  const { lines, size } = single >= smallestName ? { lines: [face.text], size: single } : severalLines(box, face);
  const step = face.height * size;
  const slack = Math.max(0, (box.height - step * lines.length) / 2);
  for (const [index, line] of lines.entries()) {
    const y = -(box.y + slack + step * (index + 1) - face.descent * size);
    drawLine(canvas, face.piecesOf(line), { x: box.x + 1, y, size, color: ink, slant: face.slant });
  }
}

/** How far the top of the last letter leans beyond the end of the line, at size 1. */
const overhangOf = ({ slant, height, descent }: TextFace): number => slant * (height - descent);

/** Whatever does not fit at the smallest size goes on below the box, so that nobody's name is cut. */
function severalLines(box: Box, face: TextFace): { readonly lines: readonly string[]; readonly size: number } {
  const width = box.width - 2;
  for (let size = box.height / face.height; size > smallestName; size -= 0.5) {
    const lines = linesOf(face, width - overhangOf(face) * size, size);
    if (lines.length * size * face.height <= box.height) return { lines, size };
  }
  return { lines: linesOf(face, width - overhangOf(face) * smallestName, smallestName), size: smallestName };
}

function drawImage(canvas: MarkCanvas, box: Box, image: PDFImage): void {
  const { width, height } = image.scaleToFit(box.width, box.height);
  const place = { x: box.x, y: -(box.y + box.height), width, height };
  canvas.push(...imageOperators(canvas.imageKey(image.ref), { ...place, ...straight }));
}

const straight = { rotate: degrees(0), xSkew: degrees(0), ySkew: degrees(0) };

function drawCheck(canvas: MarkCanvas, box: Box, isRound: boolean): void {
  const size = Math.min(box.width, box.height);
  if (isRound) {
    const [radius, center] = [size * 0.28, { x: box.x + size / 2, y: -(box.y + size / 2) }];
    const look = { color: ink, borderColor: undefined, borderWidth: 0 };
    canvas.push(...drawEllipse({ ...center, xScale: radius, yScale: radius, ...look }));
    return;
  }
  const at = (right: number, down: number) => ({ x: box.x + right * size, y: -(box.y + down * size) });
  const line = { thickness: size * 0.13, color: ink };
  canvas.push(...lineOperators({ start: at(0.18, 0.55), end: at(0.42, 0.8), ...line }));
  canvas.push(...lineOperators({ start: at(0.42, 0.8), end: at(0.85, 0.2), ...line }));
}

/** More than any signature pad produces; each pixel takes four bytes in memory. */
const maxPixels = 4_000_000;

/**
 * Reads a drawn signature; undefined when it is not a PNG that can be shown. The caller then falls back to
 * text, so that no signature is lost.
 */
async function readDrawing(
  document: PDFDocument,
  base64: string,
  mayBeTransparent: boolean,
): Promise<PDFImage | undefined> {
  const png = Buffer.from(base64, "base64");
  if (!isOfSaneSize(png)) return undefined;
  try {
    const image = await document.embedPng(png);
    if (!mayBeTransparent) await cutOut(document, image);
    return image;
  } catch {
    return undefined;
  }
}

const pngStart = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/**
 * Checks the dimensions in the header, which comes first (ISO/IEC 15948 §11.2.2), before anything is
 * decompressed.
 */
function isOfSaneSize(png: Buffer): boolean {
  if (png.length < 33 || !png.subarray(0, 8).equals(pngStart) || png.toString("latin1", 12, 16) !== "IHDR")
    return false;
  const pixels = png.readUInt32BE(16) * png.readUInt32BE(20);
  return pixels > 0 && pixels <= maxPixels;
}

/** For standards that forbid transparency: a one-bit mask in which each pixel is either drawn or not. */
async function cutOut({ context }: PDFDocument, image: PDFImage): Promise<void> {
  await image.embed();
  const picture = context.lookup(image.ref);
  const soft = picture instanceof PDFRawStream ? picture.dict.lookup(PDFName.of("SMask")) : undefined;
  if (!(picture instanceof PDFRawStream) || !(soft instanceof PDFRawStream)) return;
  const [width, height] = [image.width, image.height];
  const opacity = decodePDFRawStream(soft).decode();
  const bytesPerRow = Math.ceil(width / 8);
  const bits = new Uint8Array(bytesPerRow * height);
  for (let at = 0; at < width * height; at += 1) {
    if ((opacity[at] ?? 0) < 128) continue;
    const [x, y] = [at % width, Math.floor(at / width)];
    const byte = y * bytesPerRow + (x >> 3);
    bits[byte] = (bits[byte] ?? 0) | (0x80 >> (x & 7));
  }
  const look = { Type: "XObject", Subtype: "Image", Width: width, Height: height, ImageMask: true };
  const mask = context.flateStream(bits, { ...look, BitsPerComponent: 1, Decode: [1, 0] });
  picture.dict.delete(PDFName.of("SMask"));
  picture.dict.set(PDFName.of("Mask"), context.register(mask));
  picture.dict.set(PDFName.of("BitsPerComponent"), PDFNumber.of(8));
}
