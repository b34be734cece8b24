import {
  PDFArray,
  type PDFContext,
  PDFDict,
  type PDFDocument,
  PDFName,
  PDFNumber,
  type PDFObject,
  PDFRef,
} from "pdf-lib";
import type { PageSize } from "../agreement/agreement.ts";
import { maxPageSide, maxPages, maxPageTreeDepth, minPageSide, PdfProblem } from "./pdf-limits.ts";

/** A page and its reference. */
export interface FoundPage {
  readonly ref: PDFRef;
  readonly node: PDFDict;
  readonly size: PageSize;
}

/** The pages in order, with their displayed sizes. Throws a PdfProblem. */
export const readPages = (document: PDFDocument): PageSize[] =>
  findPages(document.context, document.catalog).map(({ size }) => size);

/** The pages in order. Throws a PdfProblem. */
export function findPages(context: PDFContext, catalog: PDFDict): FoundPage[] {
  const seen = new Set<PDFObject>();
  const found: FoundPage[] = [];
  const visit = (link: PDFObject, depth: number): void => {
    // Pages and tree nodes are identified by reference; a page that appears twice would be filled in twice.
    const key = link instanceof PDFRef ? link : undefined;
    const node = context.lookup(link);
    if (key === undefined || !(node instanceof PDFDict)) throw brokenTree();
    if (seen.has(key)) throw new PdfProblem("A page of the PDF stands in it twice or contains itself.");
    if (depth > maxPageTreeDepth) throw new PdfProblem("The pages of the PDF are nested too deeply.");
    seen.add(key);
    const kids = node.lookup(kidsName);
    if (kids instanceof PDFArray) for (const kid of kids.asArray()) visit(kid, depth + 1);
    else found.push({ ref: key, node, size: sizeOf(node) });
    if (found.length > maxPages) throw new PdfProblem(`The PDF has more than ${maxPages.toLocaleString("en")} pages.`);
  };
  const root = catalog.get(pagesName);
  if (root === undefined) throw brokenTree();
  visit(root, 0);
  if (found.length === 0) throw new PdfProblem("The PDF has no pages.");
  return found;
}

const kidsName = PDFName.of("Kids");
const pagesName = PDFName.of("Pages");

const brokenTree = () => new PdfProblem("The list of pages of the PDF is damaged. Save it again and retry.");

function sizeOf(page: PDFDict): PageSize {
  const size = shownSize(pageBoxOf(page));
  const sides = [size.width, size.height];
  if (sides.some((side) => side > maxPageSide)) throw new PdfProblem("A page of the PDF is larger than 200 inches.");
  if (sides.some((side) => side < minPageSide)) throw new PdfProblem("A page of the PDF is too small to be seen.");
  return size;
}

/** The visible part of a page in its own coordinates, and its clockwise rotation. */
export interface PageBox {
  readonly left: number;
  readonly bottom: number;
  readonly width: number;
  readonly height: number;
  readonly rotation: 0 | 90 | 180 | 270;
}

/** The page box as viewers show it: the crop box within the media box, as pdf.js does. */
export function pageBoxOf(page: PDFDict): PageBox {
  const media = boxOf(inherited(page, "MediaBox")) ?? letter;
  const crop = boxOf(inherited(page, "CropBox"));
  const [left, bottom, right, top] = (crop === undefined ? undefined : intersection(media, crop)) ?? media;
  return { left, bottom, width: right - left, height: top - bottom, rotation: rotationOf(inherited(page, "Rotate")) };
}

/** The size of a page as displayed. */
const shownSize = ({ width, height, rotation }: PageBox): { width: number; height: number } =>
  rotation % 180 === 0 ? { width, height } : { width: height, height: width };

/** Converts a point of the page to points from the upper left corner of the page as displayed. */
export function shownPoint(box: PageBox, x: number, y: number): { x: number; y: number } {
  const right = x - box.left;
  const up = y - box.bottom;
  switch (box.rotation) {
    case 0:
      return { x: right, y: box.height - up };
    case 90:
      return { x: up, y: right };
    case 180:
      return { x: box.width - right, y: up };
    case 270:
      return { x: box.height - up, y: box.width - right };
  }
}

type Corners = readonly [left: number, bottom: number, right: number, top: number];

/** The default of pdf.js for a page without a box. */
const letter: Corners = [0, 0, 612, 792];

export function inherited(page: PDFDict, name: string): PDFObject | undefined {
  let node: PDFObject | undefined = page;
  for (let depth = 0; node instanceof PDFDict && depth <= maxPageTreeDepth; depth += 1) {
    const value = node.lookup(PDFName.of(name));
    if (value !== undefined) return value;
    node = node.lookup(PDFName.Parent);
  }
  return undefined;
}

function boxOf(value: PDFObject | undefined): Corners | undefined {
  if (!(value instanceof PDFArray) || value.size() !== 4) return undefined;
  const [a = 0, b = 0, c = 0, d = 0] = [0, 1, 2, 3].map((index) => numberOf(value.lookup(index)));
  const corners: Corners = [Math.min(a, c), Math.min(b, d), Math.max(a, c), Math.max(b, d)];
  return corners.every(Number.isFinite) && corners[0] < corners[2] && corners[1] < corners[3] ? corners : undefined;
}

const numberOf = (value: PDFObject | undefined): number => (value instanceof PDFNumber ? value.asNumber() : Number.NaN);

function intersection(a: Corners, b: Corners): Corners | undefined {
  const [left, bottom] = [Math.max(a[0], b[0]), Math.max(a[1], b[1])];
  const [right, top] = [Math.min(a[2], b[2]), Math.min(a[3], b[3])];
  return left < right && bottom < top ? [left, bottom, right, top] : undefined;
}

function rotationOf(value: PDFObject | undefined): PageBox["rotation"] {
  const degrees = numberOf(value);
  const turned = ((degrees % 360) + 360) % 360;
  return turned === 90 || turned === 180 || turned === 270 ? turned : 0;
}
