import { PDFArray, PDFDict, type PDFDocument, PDFHexString, PDFName, type PDFObject, PDFString } from "pdf-lib";
import { linksIn } from "./reading/read-graph.ts";

/**
 * Whether anything in the PDF is a signature: a filled signature field, one that certifies it, or a dictionary of the shape
 * of a signature, wherever it stands, which some reader may take for one.
 */
export const isSignedPdf = (document: PDFDocument): boolean =>
  signedFields(document).length > 0 ||
  certificationOf(document) !== undefined ||
  document.context.enumerateIndirectObjects().some(([, object]) => hasSignature(object));

function hasSignature(object: PDFObject): boolean {
  const waiting = [object];
  for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
    if (value instanceof PDFDict && value.has(rangeName) && isText(value.lookup(PDFName.of("Contents")))) return true;
    waiting.push(...linksIn(value));
  }
  return false;
}

const rangeName = PDFName.of("ByteRange");

const isText = (value: PDFObject | undefined): boolean => value instanceof PDFHexString || value instanceof PDFString;

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
