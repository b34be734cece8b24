import { PDFArray, PDFDict, type PDFDocument, PDFName, type PDFObject, PDFRef } from "pdf-lib";
import type { PageSize } from "../domain/agreement.ts";
import { pageBoxOf, shownSize } from "./page-box.ts";
import { maxPageSide, maxPages, maxPageTreeDepth, minPageSide } from "./pdf-limits.ts";
import { PdfProblem } from "./pdf-problem.ts";

/** The pages in their order, with their sizes as they are shown. Throws a PdfProblem. */
export function readPages(document: PDFDocument): PageSize[] {
  const { context } = document;
  const seen = new Set<PDFObject>();
  const sizes: PageSize[] = [];
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
    else sizes.push(sizeOf(node));
    if (sizes.length > maxPages) throw new PdfProblem(`The PDF has more than ${maxPages.toLocaleString("en")} pages.`);
  };
  const root = document.catalog.get(pagesName);
  if (root === undefined) throw brokenTree();
  visit(root, 0);
  if (sizes.length === 0) throw new PdfProblem("The PDF has no pages.");
  return sizes;
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
