import { PDFArray, type PDFContext, PDFDict, PDFHexString, PDFName, type PDFObject, PDFString } from "pdf-lib";
import { linksIn } from "./reading/read-graph.ts";

/**
 * Whether anything in the PDF is a signature: a filled signature field, or a dictionary of the shape of a signature,
 * wherever it stands, which some reader may take for one.
 */
export function isSigned(context: PDFContext): boolean {
  return isFieldFilled(context) || context.enumerateIndirectObjects().some(([, object]) => hasSignature(object));
}

function hasSignature(object: PDFObject): boolean {
  const waiting = [object];
  for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
    if (
      value instanceof PDFDict &&
      value.has(PDFName.of("ByteRange")) &&
      isText(value.lookup(PDFName.of("Contents")))
    ) {
      return true;
    }
    waiting.push(...linksIn(value));
  }
  return false;
}

const isText = (value: PDFObject | undefined): boolean => value instanceof PDFHexString || value instanceof PDFString;

/** Whether a signature field of the form is filled. */
function isFieldFilled(context: PDFContext): boolean {
  const catalog = context.lookup(context.trailerInfo.Root);
  const form = catalog instanceof PDFDict ? catalog.lookup(PDFName.of("AcroForm")) : undefined;
  const fields = form instanceof PDFDict ? form.lookup(PDFName.of("Fields")) : undefined;
  if (!(fields instanceof PDFArray)) return false;
  const seen = new Set<PDFObject>();
  const waiting: { link: PDFObject; isSignature: boolean }[] = [];
  const add = (links: PDFArray, isSignature: boolean) => {
    for (const link of links.asArray()) waiting.push({ link, isSignature });
  };
  add(fields, false);
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const field = context.lookup(next.link);
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
