import { type PDFDocument, StandardFonts } from "pdf-lib";
import { addSignatureField, addSignaturePlaceholder, fieldNamesOf } from "../seal/signature-placeholder.ts";
import { trackChanges } from "./track-changes.ts";

/**
 * Does what sealing does to a file: adds a font and a drawing to every page, or a field where the pages are signed, a form,
 * and the place of a seal; then writes what has changed. Throws what those would throw later, when people have signed
 * already. What is not changed is not written then either. Spoils the document.
 */
export async function tryExtending(
  document: PDFDocument,
  { useObjectStreams, isSigned }: { readonly useObjectStreams: boolean; readonly isSigned: boolean },
): Promise<void> {
  const { context } = document;
  trackChanges(context);
  await change(document, isSigned);
  if (context.snapshot === undefined) throw new Error("the document was not opened for an increment");
  await document.saveIncremental(context.snapshot, { useObjectStreams, objectsPerTick });
}

/** Nobody else waits in the process. */
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
