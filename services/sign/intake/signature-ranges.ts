import { PDFArray, PDFDict, type PDFDocument, PDFHexString, PDFName, PDFNumber, type PDFObject } from "pdf-lib";
import { elementsIn, encodeIdentifier, oid, readElement, tags } from "../seal/cms.ts";
import { PdfProblem } from "./pdf-limits.ts";
import { placeOfContents } from "./reading/object-parser.ts";
import { linksIn } from "./reading/read-graph.ts";
import type { StrictGraph } from "./reading/read-strictly.ts";
import { certificationOf, signedFields } from "./signature-locks.ts";

/**
 * Refuses signatures whose coverage is unclear, in any revision: verifiers disagree about those, and some call
 * them valid (universal signature forgery). Whether the other signatures are genuine is left to verifiers.
 */
export function refuseMalformedSignatures(graph: StrictGraph, document: PDFDocument, bytes: Buffer): void {
  const signatures = new Set<PDFDict>(signatureShapes(graph.objects));
  for (const field of signedFields(document)) signatures.add(field.lookup(PDFName.of("V"), PDFDict));
  const certification = certificationOf(document);
  if (certification !== undefined) signatures.add(certification);
  for (const signature of signatures) {
    const problem = problemOf(signature, graph, bytes);
    if (problem !== undefined) {
      throw new PdfProblem(`The PDF carries a signature of which it cannot be told what it covers: ${problem}.`);
    }
  }
}

function signatureShapes(objects: readonly PDFObject[]): PDFDict[] {
  const found: PDFDict[] = [];
  const waiting = [...objects];
  for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
    if (value instanceof PDFDict && (value.has(rangeName) || signatureTypes.has(value.get(PDFName.Type)))) {
      found.push(value);
    }
    waiting.push(...linksIn(value));
  }
  return found;
}

const rangeName = PDFName.of("ByteRange");
const signatureTypes = new Set<PDFObject | undefined>([PDFName.of("Sig"), PDFName.of("DocTimeStamp")]);

function problemOf(signature: PDFDict, graph: StrictGraph, bytes: Buffer): string | undefined {
  // Some verifiers search the dictionary's bytes for both entries, so neither may appear anywhere else.
  const range = rangeOf(signature.get(rangeName));
  if (range === undefined) return "its ByteRange is missing, or is not four whole numbers";
  const contents = signature.get(PDFName.of("Contents"));
  if (!(contents instanceof PDFHexString)) return "its Contents are missing, or are not hexadecimal";
  const { start, before, after, end } = range;
  if (start !== 0) return "its ByteRange does not begin where the file begins";
  if (before >= after || after >= end || end > bytes.length) return "its ByteRange is not two parts of the file";
  const place = placeOfContents(contents);
  if (place?.bytes !== bytes || place.from !== before || place.to !== after) {
    return "its ByteRange leaves out something else than its Contents";
  }
  if (!endsRevision(graph, bytes, end)) return "its ByteRange ends where no revision of the file ends";
  return isSignature(Buffer.from(contents.asBytes()), signature) ? undefined : "its Contents are no signature (CMS)";
}

function rangeOf(value: PDFObject | undefined) {
  if (!(value instanceof PDFArray) || value.size() !== 4) return undefined;
  const numbers = value.asArray().map((one) => (one instanceof PDFNumber ? one.asNumber() : -1));
  if (!numbers.every((one) => Number.isSafeInteger(one) && one >= 0)) return undefined;
  const [start, before, after, length] = numbers as [number, number, number, number];
  return { start, before, after, end: after + length };
}

/** A line ending after `%%EOF` still belongs to the revision. */
function endsRevision({ revisions }: StrictGraph, bytes: Buffer, end: number): boolean {
  const last = revisions.findLast(({ to }) => to <= end);
  return last !== undefined && /^[\s\0]*$/.test(bytes.toString("latin1", last.to, end));
}

/** The padding after the signature is zeros. */
function isSignature(contents: Buffer, signature: PDFDict): boolean {
  try {
    const whole = readElement(contents);
    if (contents.subarray(whole.bytes.length).some((byte) => byte !== 0)) return false;
    // The oldest signature format stores its certificates in a separate entry.
    if (signature.get(PDFName.of("SubFilter")) === PDFName.of("adbe.x509.rsa_sha1")) return whole.tag === tags.octets;
    const [type, content] = whole.tag === tags.sequence ? elementsIn(whole) : [];
    return (
      type?.bytes.equals(encodeIdentifier(oid.signedData)) === true &&
      content?.tag === tags.context0 &&
      elementsIn(content)
        .map(({ tag }) => tag)
        .join() === String(tags.sequence)
    );
  } catch {
    return false;
  }
}
