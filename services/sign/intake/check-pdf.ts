import { ParseSpeeds, PDFDocument } from "pdf-lib";
import { claimsOf } from "../completion/conformance.ts";
import type { DocumentWarning } from "../domain/document-warnings.ts";
import { refuseForbiddenContent } from "./forbidden-content.ts";
import { lastSection } from "./last-section.ts";
import type { PdfFacts } from "./messages.ts";
import { readPages } from "./page-tree.ts";
import { prescanPdf } from "./pdf-prescan.ts";
import { encryptedMessage, PdfProblem } from "./pdf-problem.ts";
import { readLocks } from "./signature-locks.ts";
import { isSignedPdf } from "./signed-fields.ts";
import { tryExtending, tryRewriting } from "./trial-save.ts";

/**
 * Reads what has to be known of a PDF. Throws when it cannot be part of an agreement: nothing that passes may fail when
 * fields are drawn on it and it is sealed. Takes as long and as much memory as the file wants: only for processes that
 * may be killed.
 */
export async function checkPdf(bytes: Buffer): Promise<PdfFacts> {
  prescanPdf(bytes);
  const document = await loadPdf(bytes, true);
  const { context } = document;
  refuseForbiddenContent(context.enumerateIndirectObjects().map(([, object]) => object));
  const pages = readPages(document);
  if (document.getPageCount() !== pages.length) throw new PdfProblem("The list of pages of the PDF is damaged.");
  const isSigned = isSignedPdf(document);
  const warnings = isSigned ? warningsOf(document) : [];
  await trySealing(bytes, document, isSigned);
  return { pages, isSigned, warnings };
}

/** Of a file that is signed. Throws a PdfProblem when its signatures permit nothing more. */
function warningsOf(document: PDFDocument): DocumentWarning[] {
  const { permission } = readLocks(document);
  const certified: readonly DocumentWarning[] = permission === undefined ? [] : [`CERTIFIED_P${permission}`];
  return claimsOf(document).isAccessible ? [...certified, "PDF_UA_CLAIM_DROPPED"] : [...certified];
}

/** As sealing does it: the file is extended, and only written anew when that cannot be done. */
async function trySealing(bytes: Buffer, document: PDFDocument, isSigned: boolean): Promise<void> {
  const section = lastSection(bytes);
  if (section === "broken" && !isSigned) return tryRewriting(await loadPdf(bytes));
  try {
    await tryExtending(document, section, isSigned);
  } catch (error) {
    if (isSigned) throw error;
    await tryRewriting(await loadPdf(bytes));
  }
}

export async function loadPdf(bytes: Buffer, forIncrementalUpdate = false): Promise<PDFDocument> {
  try {
    const document = await PDFDocument.load(bytes, {
      ignoreEncryption: true,
      updateMetadata: false,
      parseSpeed: ParseSpeeds.Fastest,
      forIncrementalUpdate,
    });
    if (document.context.trailerInfo.Encrypt !== undefined) throw new PdfProblem(encryptedMessage);
    return document;
  } catch (error) {
    // What is encrypted can hardly be parsed.
    if (bytes.includes("/Encrypt")) throw new PdfProblem(encryptedMessage);
    throw error;
  }
}
