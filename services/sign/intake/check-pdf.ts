import { type PDFDocument, PDFName } from "pdf-lib";
import { claimsOf } from "../completion/conformance.ts";
import type { DocumentWarning } from "../domain/document-warnings.ts";
import { cleanGraph, refuseUnclean } from "./clean/clean-graph.ts";
import type { CheckedPdf, PdfFacts } from "./messages.ts";
import { readPages } from "./page-tree.ts";
import { PdfProblem } from "./pdf-problem.ts";
import { documentOf, extensibleDocumentOf } from "./reading/open-document.ts";
import { readGraph } from "./reading/read-graph.ts";
import { readStrictly } from "./reading/read-strictly.ts";
import { writeGraph } from "./reading/write-graph.ts";
import { refuseOverwork } from "./refuse-overwork.ts";
import { readLocks } from "./signature-locks.ts";
import { refuseMalformedSignatures } from "./signature-ranges.ts";
import { isSignedPdf } from "./signed-fields.ts";
import { tryExtending } from "./trial-save.ts";
import { trySealing } from "./try-sealing.ts";

/**
 * Reads what has to be known of a PDF, by its cross-reference alone, and writes it anew: what is shown, searched, filled
 * and sealed from now on is exactly what was read here. Only a file that carries signatures stays as it is, and is taken
 * only when nobody can read it differently. Throws when a file cannot be part of an agreement: nothing that passes may fail
 * when fields are drawn on it and it is sealed. Takes as long and as much memory as the file wants: only for processes
 * that may be killed.
 */
export async function checkPdf(bytes: Buffer): Promise<CheckedPdf> {
  const graph = readGraph(bytes);
  refuseOverwork(graph);
  if (isSignedPdf(documentOf(graph))) return checkSigned(bytes);
  const unusual = cleanGraph(graph);
  const rewritten = await writeGraph(graph, bytes);
  const document = extensibleDocumentOf(readStrictly(bufferOf(rewritten)), rewritten);
  const pages = pagesOf(document);
  await tryExtending(document, { useObjectStreams: false, isSigned: false });
  if (unusual.length > 0) {
    await trySealing(bufferOf(rewritten), { isSigned: false, mayBeMarked: true, pages: unusual });
  }
  return { pages, isSigned: false, warnings: [], rewritten };
}

async function checkSigned(bytes: Buffer): Promise<CheckedPdf> {
  const graph = readStrictly(bytes);
  const unusual = refuseUnclean(graph);
  const document = extensibleDocumentOf(graph, bytes);
  // Before the trial adds a signature that is none yet.
  refuseMalformedSignatures(graph, document, bytes);
  const pages = pagesOf(document);
  const warnings = warningsOf(document);
  // Packing objects costs time, and is refused only to files whose metadata claim that they are PDF/A-1.
  const useObjectStreams = graph.sections[0]?.kind === "stream" && document.catalog.has(PDFName.of("Metadata"));
  await tryExtending(document, { useObjectStreams, isSigned: true });
  const mayBeMarked = !warnings.some((one) => one.startsWith("CERTIFIED"));
  await trySealing(bytes, { isSigned: true, mayBeMarked, pages: [...new Set([1, ...unusual])] });
  return { pages, isSigned: true, warnings };
}

function pagesOf(document: PDFDocument): PdfFacts["pages"] {
  const pages = readPages(document);
  if (document.getPageCount() !== pages.length) throw new PdfProblem("The list of pages of the PDF is damaged.");
  return pages;
}

/** Of a file that is signed. Throws a PdfProblem when its signatures permit nothing more. */
function warningsOf(document: PDFDocument): DocumentWarning[] {
  const { permission } = readLocks(document);
  const certified: readonly DocumentWarning[] = permission === undefined ? [] : [`CERTIFIED_P${permission}`];
  return claimsOf(document).isAccessible ? [...certified, "PDF_UA_CLAIM_DROPPED"] : [...certified];
}

const bufferOf = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength);
