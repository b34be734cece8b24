import { PDFArray, type PDFContext, PDFDict, type PDFDocument, PDFName, type PDFObject, PDFRef } from "pdf-lib";
import type { PageSize } from "../domain/agreement.ts";
import { pageBoxOf, shownSize } from "./page-box.ts";
import { maxPageSide, maxPages, maxPageTreeDepth, minPageSide } from "./pdf-limits.ts";
import { PdfProblem } from "./pdf-problem.ts";

/** A page with its place among the objects. */
export interface FoundPage {
  readonly ref: PDFRef;
  readonly node: PDFDict;
  readonly size: PageSize;
}

/** The pages in their order, with their sizes as they are shown. Throws a PdfProblem. */
export const readPages = (document: PDFDocument): PageSize[] =>
  findPages(document.context, document.catalog).map(({ size }) => size);

/** The pages in their order. Throws a PdfProblem. */
export function findPages(context: PDFContext, catalog: PDFDict): FoundPage[] {
  const seen = new Set<PDFObject>();
  const found: FoundPage[] = [];
  const visit = (link: PDFObject, depth: number): void => {
    // Pages and their trees are known by their references; a page that stands twice would be filled twice.
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
