import { PDFDocument } from "pdf-lib";
import { openDocument } from "./reading/read-graph.ts";

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

/** A PDF with one empty page. */
export const smallestPdf: Uint8Array = Buffer.from(`%PDF-1.4
1 0 obj
<</Type/Catalog/Pages 2 0 R>>
endobj
2 0 obj
<</Type/Pages/Kids[3 0 R]/Count 1>>
endobj
3 0 obj
<</Type/Page/Parent 2 0 R/MediaBox[0 0 100 100]>>
endobj
trailer
<</Size 4/Root 1 0 R>>
startxref
9
%%EOF
`);
