import { PDFDocument } from "pdf-lib";
import { openDocument } from "./reading/open-document.ts";

/** Merges all pages of all files into one PDF, in order. */
export async function mergePdfs(files: readonly Uint8Array[]): Promise<Uint8Array> {
  const merged = await PDFDocument.create();
  for (const file of files) {
    const source = openDocument(Buffer.from(file.buffer, file.byteOffset, file.byteLength));
    const pages = await merged.copyPages(source, source.getPageIndices());
    for (const page of pages) merged.addPage(page);
  }
  return merged.save({
    updateFieldAppearances: false,
    addDefaultPage: false,
    objectsPerTick: Number.POSITIVE_INFINITY,
  });
}
