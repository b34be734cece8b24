import { PDFArray, PDFDict, type PDFDocument, PDFName, type PDFObject } from "pdf-lib";

/** Whether a signature field of the PDF is filled. */
export function isSignedPdf(document: PDFDocument): boolean {
  const form = document.catalog.lookup(PDFName.of("AcroForm"));
  const fields = form instanceof PDFDict ? form.lookup(PDFName.of("Fields")) : undefined;
  if (!(fields instanceof PDFArray)) return false;
  const seen = new Set<PDFObject>();
  const waiting: { link: PDFObject; isSignature: boolean }[] = [];
  const add = (links: PDFArray, isSignature: boolean) => {
    for (const link of links.asArray()) waiting.push({ link, isSignature });
  };
  add(fields, false);
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const field = document.context.lookup(next.link);
    if (!(field instanceof PDFDict) || seen.has(field)) continue;
    seen.add(field);
    const type = field.lookup(PDFName.of("FT"));
    // Kinds of fields are inherited.
    const isSignature = type === undefined ? next.isSignature : type === PDFName.of("Sig");
    if (isSignature && field.lookup(PDFName.of("V")) instanceof PDFDict) return true;
    const kids = field.lookup(PDFName.of("Kids"));
    if (kids instanceof PDFArray) add(kids, isSignature);
  }
  return false;
}
