import { ParseSpeeds, PDFDocument, PDFName } from "pdf-lib";
import { claimAccessible, claimsOf, dropAccessibleClaim } from "../completion/conformance.ts";
import { drawMarks } from "../completion/draw-marks.ts";
import type { FontLibrary } from "../completion/font-library.ts";
import { structureOf } from "../completion/structure.ts";
import { fixByteRange, type PreparedFile } from "../seal/byte-range.ts";
import { addSignaturePlaceholder, fieldNamesOf } from "../seal/signature-placeholder.ts";
import { lastSection, type Section } from "./last-section.ts";
import type { SealPreparation } from "./messages.ts";
import { packNatively } from "./pack-natively.ts";
import { PdfProblem } from "./pdf-problem.ts";
import { readLocks, type SignatureLocks } from "./signature-locks.ts";
import { trackChanges } from "./track-changes.ts";

/**
 * Draws the marks and makes room for the seal. What people have seen stays in the file byte for byte, and the rest is added
 * after it, so that signatures that are there stay valid; only a file whose own table of contents is broken is written
 * anew, since readers would not find what was added.
 */
export async function prepareSeal(preparation: SealPreparation, fonts: FontLibrary): Promise<PreparedFile> {
  const { bytes, isSigned } = preparation;
  const section = lastSection(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  if (section === "broken" && !isSigned) return rewrite(preparation, fonts);
  try {
    return await extend(preparation, fonts, section);
  } catch (error) {
    // Extending or, when that did not work, writing it anew was tried when it came.
    if (isSigned) throw error;
    return rewrite(preparation, fonts);
  }
}

async function extend(preparation: SealPreparation, fonts: FontLibrary, section: Section): Promise<PreparedFile> {
  const document = await open(preparation, fonts, true);
  // Not every reader follows a chain of tables of both kinds.
  return fixByteRange(await document.commit({ useObjectStreams: section === "stream", objectsPerTick }));
}

async function rewrite(preparation: SealPreparation, fonts: FontLibrary): Promise<PreparedFile> {
  const document = await open(preparation, fonts, false);
  const options = { useObjectStreams: false, updateFieldAppearances: false, addDefaultPage: false, objectsPerTick };
  return fixByteRange(await document.save(options));
}

/** Nobody else waits in the process. */
const objectsPerTick = Number.POSITIVE_INFINITY;

async function open(
  preparation: SealPreparation,
  fonts: FontLibrary,
  forIncrementalUpdate: boolean,
): Promise<PDFDocument> {
  const options = { ignoreEncryption: true, updateMetadata: false, parseSpeed: ParseSpeeds.Fastest };
  const document = await PDFDocument.load(preparation.bytes, { ...options, forIncrementalUpdate });
  trackChanges(document.context);
  packNatively(document.context);
  await (preparation.isSigned ? fillSigned : fill)(document, preparation, fonts);
  return document;
}

async function fill(
  document: PDFDocument,
  { marks, statement, isCertificate = false }: SealPreparation,
  fonts: FontLibrary,
): Promise<void> {
  if (isCertificate) claimAccessible(document);
  await drawMarks(document, marks, fonts);
  const page = document.getPage(0);
  const field = addSignaturePlaceholder(document, statement);
  const structure = structureOf(document);
  if (structure === undefined) return;
  structure.addAnnotation(field, { role: "Form", page: page.ref, alternative: statement.reason });
  // Whoever goes through the page by keyboard meets what is on it in the order of the structure.
  page.node.set(PDFName.of("Tabs"), PDFName.of("S"));
}

/** Nothing is placed on a file that forbids it; what people have signed before locks were known is sealed all the same. */
function locksOf(document: PDFDocument): Pick<SignatureLocks, "isLocked"> {
  try {
    return readLocks(document);
  } catch (error) {
    if (error instanceof PdfProblem) return { isLocked: () => false };
    throw error;
  }
}

/** Only what those who verify the earlier signatures permit: new signature fields. */
async function fillSigned(
  document: PDFDocument,
  { marks, statement }: SealPreparation,
  fonts: FontLibrary,
): Promise<void> {
  const names = fieldNamesOf(document, locksOf(document));
  if (marks.length > 0 && claimsOf(document).isAccessible) dropAccessibleClaim(document);
  await drawMarks(document, marks, fonts, names);
  addSignaturePlaceholder(document, statement, names);
}
