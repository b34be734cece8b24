import type { PDFDocument, PDFImage } from "pdf-lib";

/** More than any pad draws; unpacked it has four bytes for each. */
const maxPixels = 4_000_000;

/** A drawn signature; undefined when it is not a PNG that can be shown: nobody shall have signed in vain for that. */
export async function readDrawing(document: PDFDocument, base64: string): Promise<PDFImage | undefined> {
  const png = Buffer.from(base64, "base64");
  if (!isOfSaneSize(png)) return undefined;
  try {
    return await document.embedPng(png);
  } catch {
    return undefined;
  }
}

const pngStart = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** The header comes first and says how large the picture is (ISO/IEC 15948 §11.2.2). */
function isOfSaneSize(png: Buffer): boolean {
  if (png.length < 33 || !png.subarray(0, 8).equals(pngStart) || png.toString("latin1", 12, 16) !== "IHDR")
    return false;
  const pixels = png.readUInt32BE(16) * png.readUInt32BE(20);
  return pixels > 0 && pixels <= maxPixels;
}
