import { deflateSync } from "node:zlib";
import { type PDFContext, type PDFDocument, PDFName } from "pdf-lib";
import { claimAccessible, claimsOf, dropAccessibleClaim } from "../completion/conformance.ts";
import { drawMarks } from "../completion/draw-marks.ts";
import type { FontLibrary } from "../completion/font-library.ts";
import { structureOf } from "../completion/structure.ts";
import { fixByteRange, type PreparedFile } from "../seal/byte-range.ts";
import { addSignaturePlaceholder, fieldNamesOf } from "../seal/signature-placeholder.ts";
import type { SealPreparation } from "./messages.ts";
import { PdfProblem, trackChanges } from "./pdf-limits.ts";
import { extensibleDocumentOf, type Graph, readGraph } from "./reading/read-graph.ts";
import { readStrictly } from "./reading/read-strictly.ts";
import { writeGraph } from "./reading/write-graph.ts";
import { readLocks, type SignatureLocks } from "./signature-locks.ts";

/**
 * Draws the marks and adds a signature placeholder as an incremental update: the bytes that people saw stay as
 * they are, so existing signatures remain valid.
 */
export async function prepareSeal(preparation: SealPreparation, fonts: FontLibrary): Promise<PreparedFile> {
  const bytes = Buffer.from(preparation.bytes.buffer, preparation.bytes.byteOffset, preparation.bytes.byteLength);
  try {
    return await extend(readStrictly(bytes), bytes, preparation, fonts);
  } catch {
    // The file was accepted before uploads were rewritten or checked for ambiguity. What people saw is what its
    // cross-reference leads to.
    const graph = readGraph(bytes);
    if (preparation.isSigned) return extend(graph, bytes, preparation, fonts);
    const rewritten = Buffer.from(await writeGraph(graph, bytes));
    return extend(readStrictly(rewritten), rewritten, preparation, fonts);
  }
}

async function extend(
  graph: Graph,
  bytes: Buffer,
  preparation: SealPreparation,
  fonts: FontLibrary,
): Promise<PreparedFile> {
  const document = extensibleDocumentOf(graph, bytes);
  trackChanges(document.context);
  packNatively(document.context);
  await (preparation.isSigned ? fillSigned : fill)(document, preparation, fonts);
  // Not every reader follows a chain that mixes cross-reference tables and streams.
  const useObjectStreams = graph.sections[0]?.kind === "stream";
  return fixByteRange(await document.commit({ useObjectStreams, objectsPerTick: Number.POSITIVE_INFINITY }));
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
  // Tab order follows the structure, for people who navigate by keyboard.
  page.node.set(PDFName.of("Tabs"), PDFName.of("S"));
}

/**
 * Nothing is placed on a file whose lock forbids it. Agreements signed before we checked for locks are sealed
 * anyway.
 */
function locksOf(document: PDFDocument): Pick<SignatureLocks, "isLocked"> {
  try {
    return readLocks(document);
  } catch (error) {
    if (error instanceof PdfProblem) return { isLocked: () => false };
    throw error;
  }
}

/** Adds only what verifiers of the existing signatures permit: new signature fields. */
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

/** Makes embedded fonts compress with Node's zlib; pdf-lib's own code is several times slower. */
function packNatively(context: PDFContext): void {
  context.flateStream = (contents, dictionary = {}) => {
    const bytes = typeof contents === "string" ? Buffer.from(contents, "latin1") : contents;
    return context.stream(deflateSync(bytes), { ...dictionary, Filter: "FlateDecode" });
  };
}
