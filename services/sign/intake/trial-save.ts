import { type PDFDocument, StandardFonts } from "pdf-lib";
import { addSignaturePlaceholder } from "../seal/signature-placeholder.ts";

/**
 * Does what sealing does: adds a font and a drawing to every page, a form, and the place of a seal; then writes the file, as an increment when
 * it is signed. Throws what those would throw later, when people have signed already. Spoils the document.
 */
export async function trySaving(document: PDFDocument, isSigned: boolean): Promise<void> {
  const { context } = document;
  const snapshot = isSigned ? document.takeSnapshot() : undefined;
  const font = await document.embedFont(StandardFonts.Helvetica);
  const drawing = context.register(context.stream("q Q"));
  for (const { node } of document.getPages()) {
    node.newFontDictionary("Trial", font.ref);
    node.addContentStream(drawing);
  }
  document.catalog.getOrCreateAcroForm().dict.set(context.obj("Trial"), font.ref);
  addSignaturePlaceholder(document, { name: "", reason: "", sealedAt: new Date(0) });
  if (snapshot === undefined)
    await document.save({ ...saveOptions, updateFieldAppearances: false, addDefaultPage: false });
  else await document.saveIncremental(snapshot, saveOptions);
}

/** Packing objects costs time and cannot fail; nobody else waits in the process. */
const saveOptions = { useObjectStreams: false, objectsPerTick: Number.POSITIVE_INFINITY };
