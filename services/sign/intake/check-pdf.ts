import { PDFArray, PDFDict, type PDFDocument, PDFName, type PDFObject, StandardFonts } from "pdf-lib";
import type { DocumentWarning } from "../agreement/agreement.ts";
import type { PdfFields } from "../agreement/definition.ts";
import { claimsOf } from "../completion/conformance.ts";
import { createFontLibrary } from "../completion/font-library.ts";
import type { Mark } from "../completion/mark.ts";
import { addSignatureField, addSignaturePlaceholder, fieldNamesOf } from "../seal/signature-placeholder.ts";
import { compareFiles } from "../witness/compare-files.ts";
import { witnessedMark } from "../witness/messages.ts";
import { cleanGraph, refuseUnclean } from "./clean/clean-graph.ts";
import type { CheckedPdf, PdfFacts } from "./messages.ts";
import { readPages } from "./page-tree.ts";
import { maxAnnotations, maxFieldDepth, maxFields, PdfProblem, trackChanges } from "./pdf-limits.ts";
import { prepareSeal } from "./prepare-seal.ts";
import { documentOf, extensibleDocumentOf, type Graph, readGraph } from "./reading/read-graph.ts";
import { readStrictly } from "./reading/read-strictly.ts";
import { writeGraph } from "./reading/write-graph.ts";
import { isSignedPdf, readLocks } from "./signature-locks.ts";
import { refuseMalformedSignatures } from "./signature-ranges.ts";

/**
 * Checks a PDF by following only its cross-reference, and rewrites it, so that the file shown, searched, filled
 * in and sealed later is exactly what was checked here. A file with signatures cannot be rewritten; it is
 * accepted only when every reader must read it alike. Throws when the file cannot be part of an agreement: a
 * file that passes must not fail later, when fields are drawn or it is sealed. Time and memory depend on the
 * file, so run this only in a process that may be killed.
 */
export async function checkPdf(bytes: Buffer, pdfFields: PdfFields = "keep"): Promise<CheckedPdf> {
  const graph = readGraph(bytes);
  refuseOverwork(graph);
  if (isSignedPdf(documentOf(graph))) return checkSigned(bytes, pdfFields);
  const { unusual, tabs } = cleanGraph(graph, pdfFields);
  const rewritten = await writeGraph(graph, bytes);
  const document = extensibleDocumentOf(readStrictly(bufferOf(rewritten)), rewritten);
  const pages = pagesOf(document);
  await tryExtending(document, { useObjectStreams: false, isSigned: false });
  if (unusual.length > 0) {
    await trySealing(bufferOf(rewritten), { isSigned: false, mayBeMarked: true, pages: unusual });
  }
  return { pages, isSigned: false, warnings: [], rewritten, ...(tabs.length === 0 ? {} : { tabs }) };
}

async function checkSigned(bytes: Buffer, pdfFields: PdfFields): Promise<CheckedPdf> {
  const graph = readStrictly(bytes);
  const unusual = refuseUnclean(graph, pdfFields);
  const document = extensibleDocumentOf(graph, bytes);
  // Must run before the trial below adds a signature field of our own.
  refuseMalformedSignatures(graph, document, bytes);
  const pages = pagesOf(document);
  const warnings = warningsOf(document);
  // Packing objects takes time, and only PDF/A-1 forbids it, which a file claims in its metadata. So the trial
  // packs objects only when there is metadata.
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

/** Warnings about a signed file. Throws a PdfProblem when its signatures permit no further change. */
function warningsOf(document: PDFDocument): DocumentWarning[] {
  const { permission } = readLocks(document);
  const certified: readonly DocumentWarning[] = permission === undefined ? [] : [`CERTIFIED_P${permission}`];
  return claimsOf(document).isAccessible ? [...certified, "PDF_UA_CLAIM_DROPPED"] : [...certified];
}

const bufferOf = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength);

/**
 * Draws a text on these pages, reserves room for a seal and runs the comparison that precedes each seal. A file
 * that would be refused after people have signed is refused now instead. Costs several times as much as the
 * check itself.
 */
export async function trySealing(
  bytes: Buffer,
  trial: { readonly isSigned: boolean; readonly mayBeMarked: boolean; readonly pages: readonly number[] },
): Promise<void> {
  const marks = trial.mayBeMarked ? trial.pages.map(markOn) : [];
  const preparation = { bytes, isSigned: trial.isSigned, marks, statement };
  const { bytes: sealed } = await prepareSeal(preparation, fonts);
  const difference = await compareFiles({ shown: bytes, sealed, marks: marks.map(witnessedMark) }, trial.pages);
  if (difference === undefined) return;
  throw new PdfProblem(
    `The PDF cannot be sealed so that everyone sees the same (${difference}). Print it to a new PDF and retry.`,
  );
}

const fonts = createFontLibrary();
const statement = { name: "", reason: "", sealedAt: new Date(0) };
const style = {
  ...{ family: "sans" as const, size: 0, bold: false, italic: false, underline: false },
  color: [0, 0, 0] as const,
};
const markOn = (page: number): Mark => ({
  ...{ kind: "text", page, x: 0, y: 0, width: 100, height: 20 },
  ...{ text: "Trial", style },
});

/**
 * Makes the changes that sealing makes: a font and a drawing on each page (or a field when pages are signed), a
 * form and a signature placeholder; then writes the changed objects. Throws the errors that sealing would throw
 * later. Spoils the document.
 */
async function tryExtending(
  document: PDFDocument,
  { useObjectStreams, isSigned }: { readonly useObjectStreams: boolean; readonly isSigned: boolean },
): Promise<void> {
  const { context } = document;
  trackChanges(context);
  await change(document, isSigned);
  if (context.snapshot === undefined) throw new Error("the document was not opened for an increment");
  await document.saveIncremental(context.snapshot, { useObjectStreams, objectsPerTick });
}

/** No other work shares this process, so there is no need to yield. */
const objectsPerTick = Number.POSITIVE_INFINITY;

async function change(document: PDFDocument, isSigned: boolean): Promise<void> {
  const { context } = document;
  if (isSigned) {
    const names = fieldNamesOf(document, { isLocked: () => false });
    const entries = { AP: { N: context.register(context.stream("q Q")) }, Rect: [0, 0, 1, 1] };
    for (const page of document.getPages()) addSignatureField(document, page, { name: names.next("Mark"), entries });
    addSignaturePlaceholder(document, nobody, names);
    return;
  }
  const font = await document.embedFont(StandardFonts.Helvetica);
  const drawing = context.register(context.stream("q Q"));
  for (const { node } of document.getPages()) {
    node.newFontDictionary("Trial", font.ref);
    node.addContentStream(drawing);
  }
  document.catalog.getOrCreateAcroForm().dict.set(context.obj("Trial"), font.ref);
  addSignaturePlaceholder(document, nobody);
}

const nobody = { name: "", reason: "", sealedAt: new Date(0) };

/**
 * Refuses forms and annotations that would take unreasonable work, before doing that work. An object used in
 * several places counts once for each, because it is processed in each.
 */
function refuseOverwork({ context }: Graph): void {
  const catalog = context.lookup(context.trailerInfo.Root);
  const form = catalog instanceof PDFDict ? catalog.lookup(PDFName.of("AcroForm")) : undefined;
  if (form instanceof PDFDict) countFields(arrayOf(form, "Fields"));
  let annotations = 0;
  for (const [, object] of context.enumerateIndirectObjects()) {
    if (!(object instanceof PDFDict)) continue;
    const own = arrayOf(object, "Annots");
    annotations += own?.size() ?? 0;
    if (annotations > maxAnnotations) throw tooMany(maxAnnotations, "annotations");
    for (const link of own?.asArray() ?? []) refuseDeepField(context.lookup(link));
  }
}

/** Counts nested fields too, which need not appear on any page. */
function countFields(fields: PDFArray | undefined): void {
  const waiting = fields === undefined ? [] : [{ kids: fields, depth: 1 }];
  let [named, shown] = [0, 0];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { kids, depth } = next;
    if (depth > maxFieldDepth) throw tooDeep();
    for (let index = 0; index < kids.size(); index += 1) {
      const field = kids.lookup(index);
      const isField = field instanceof PDFDict && (field.has(PDFName.of("T")) || field.has(PDFName.of("Kids")));
      if (isField) named += 1;
      else shown += 1;
      if (named > maxFields) throw tooMany(maxFields, "form fields");
      if (shown > maxAnnotations) throw tooMany(maxAnnotations, "annotations");
      const own = field instanceof PDFDict ? arrayOf(field, "Kids") : undefined;
      if (own !== undefined) waiting.push({ kids: own, depth: depth + 1 });
    }
  }
}

/** Checks depth from the widget upwards, since a page may show fields that the form does not list. */
function refuseDeepField(annotation: PDFObject | undefined): void {
  if (!(annotation instanceof PDFDict) || annotation.lookup(PDFName.of("Subtype")) !== PDFName.of("Widget")) return;
  let parent = annotation.lookup(PDFName.Parent);
  for (let depth = 2; parent instanceof PDFDict; depth += 1) {
    if (depth > maxFieldDepth) throw tooDeep();
    parent = parent.lookup(PDFName.Parent);
  }
}

const arrayOf = (dictionary: PDFDict, name: string): PDFArray | undefined => {
  const value = dictionary.lookup(PDFName.of(name));
  return value instanceof PDFArray ? value : undefined;
};

const tooMany = (limit: number, what: string) =>
  new PdfProblem(`The PDF has more than ${limit.toLocaleString("en")} ${what}.`);

const tooDeep = () => new PdfProblem(`The form fields of the PDF are nested more than ${maxFieldDepth} deep.`);
