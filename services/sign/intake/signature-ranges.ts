import { PDFArray, PDFDict, type PDFDocument, PDFHexString, PDFName, PDFNumber, type PDFObject } from "pdf-lib";
import { ambiguous } from "./pdf-problem.ts";
import { linksIn } from "./reading/read-graph.ts";
import { certificationOf, signedFields } from "./signed-fields.ts";

/**
 * Refuses signatures of which it cannot be told what they cover: readers differ in what they say of these. Whether they
 * are true is for those to say who verify them.
 */
export function refuseUnclearSignatures(document: PDFDocument, bytes: Buffer): void {
  const signatures = new Set<PDFDict>(withRange(document));
  for (const field of signedFields(document)) signatures.add(field.lookup(PDFName.of("V"), PDFDict));
  const certification = certificationOf(document);
  if (certification !== undefined) signatures.add(certification);
  for (const signature of signatures) {
    if (!coversAllAround(signature, bytes)) throw ambiguous("it does not say clearly what a signature in it covers");
  }
}

function withRange({ context }: PDFDocument): PDFDict[] {
  const found: PDFDict[] = [];
  const waiting: PDFObject[] = context.enumerateIndirectObjects().map(([, object]) => object);
  for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
    if (value instanceof PDFDict && value.has(PDFName.of("ByteRange"))) found.push(value);
    waiting.push(...linksIn(value));
  }
  return found;
}

/** Everything from the beginning of the file but its own digits. */
function coversAllAround(signature: PDFDict, bytes: Buffer): boolean {
  const range = signature.lookup(PDFName.of("ByteRange"));
  const contents = signature.lookup(PDFName.of("Contents"));
  if (!(range instanceof PDFArray) || range.size() !== 4 || !(contents instanceof PDFHexString)) return false;
  const numbers = range.asArray().map((one) => (one instanceof PDFNumber ? one.asNumber() : Number.NaN));
  const [start = -1, before = -1, after = -1, length = -1] = numbers;
  if (!numbers.every((one) => Number.isInteger(one) && one >= 0) || start !== 0) return false;
  const isInside = before > 0 && after > before && length > 0 && after + length <= bytes.length;
  const digits = contents.asString();
  return isInside && /[1-9A-Fa-f]/.test(digits) && bytes.toString("latin1", before, after) === `<${digits}>`;
}
