import { PDFArray, PDFDict, type PDFDocument, PDFName, type PDFObject } from "pdf-lib";

/** Whether a signature field of the PDF is filled, or the catalog names a signature that certifies it. */
export const isSignedPdf = (document: PDFDocument): boolean =>
  signedFields(document).length > 0 || certificationOf(document) !== undefined;

/** The signature that certifies the file. */
export function certificationOf({ catalog }: PDFDocument): PDFDict | undefined {
  const permissions = catalog.lookup(PDFName.of("Perms"));
  const found = permissions instanceof PDFDict ? permissions.lookup(PDFName.of("DocMDP")) : undefined;
  return found instanceof PDFDict ? found : undefined;
}

/** The signature fields that are filled. */
export function signedFields(document: PDFDocument): PDFDict[] {
  const form = document.catalog.lookup(PDFName.of("AcroForm"));
  const fields = form instanceof PDFDict ? form.lookup(PDFName.of("Fields")) : undefined;
  const signed: PDFDict[] = [];
  const seen = new Set<PDFObject>();
  const waiting: { link: PDFObject; isSignature: boolean }[] = [];
  const add = (links: PDFObject | undefined, isSignature: boolean) => {
    if (links instanceof PDFArray) for (const link of links.asArray()) waiting.push({ link, isSignature });
  };
  add(fields, false);
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const field = document.context.lookup(next.link);
    if (!(field instanceof PDFDict) || seen.has(field)) continue;
    seen.add(field);
    const type = field.lookup(PDFName.of("FT"));
    // Kinds of fields are inherited.
    const isSignature = type === undefined ? next.isSignature : type === PDFName.of("Sig");
    if (isSignature && field.lookup(PDFName.of("V")) instanceof PDFDict) signed.push(field);
    add(field.lookup(PDFName.of("Kids")), isSignature);
  }
  return signed;
}
