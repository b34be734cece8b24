import { decodePDFRawStream, type PDFDocument, type PDFImage, PDFName, PDFNumber, PDFRawStream } from "pdf-lib";

/** More than any signature pad produces; each pixel takes four bytes in memory. */
const maxPixels = 4_000_000;

/**
 * Reads a drawn signature; undefined when it is not a PNG that can be shown. The caller then falls back to
 * text, so that no signature is lost.
 */
export async function readDrawing(
  document: PDFDocument,
  base64: string,
  mayBeTransparent: boolean,
): Promise<PDFImage | undefined> {
  const png = Buffer.from(base64, "base64");
  if (!isOfSaneSize(png)) return undefined;
  try {
    const image = await document.embedPng(png);
    if (!mayBeTransparent) await cutOut(document, image);
    return image;
  } catch {
    return undefined;
  }
}

const pngStart = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/**
 * Checks the dimensions in the header, which comes first (ISO/IEC 15948 §11.2.2), before anything is
 * decompressed.
 */
function isOfSaneSize(png: Buffer): boolean {
  if (png.length < 33 || !png.subarray(0, 8).equals(pngStart) || png.toString("latin1", 12, 16) !== "IHDR")
    return false;
  const pixels = png.readUInt32BE(16) * png.readUInt32BE(20);
  return pixels > 0 && pixels <= maxPixels;
}

/** For standards that forbid transparency: a one-bit mask in which each pixel is either drawn or not. */
async function cutOut({ context }: PDFDocument, image: PDFImage): Promise<void> {
  await image.embed();
  const picture = context.lookup(image.ref);
  const soft = picture instanceof PDFRawStream ? picture.dict.lookup(PDFName.of("SMask")) : undefined;
  if (!(picture instanceof PDFRawStream) || !(soft instanceof PDFRawStream)) return;
  const [width, height] = [image.width, image.height];
  const opacity = decodePDFRawStream(soft).decode();
  const bytesPerRow = Math.ceil(width / 8);
  const bits = new Uint8Array(bytesPerRow * height);
  for (let at = 0; at < width * height; at += 1) {
    if ((opacity[at] ?? 0) < 128) continue;
    const [x, y] = [at % width, Math.floor(at / width)];
    const byte = y * bytesPerRow + (x >> 3);
    bits[byte] = (bits[byte] ?? 0) | (0x80 >> (x & 7));
  }
  const look = { Type: "XObject", Subtype: "Image", Width: width, Height: height, ImageMask: true };
  const mask = context.flateStream(bits, { ...look, BitsPerComponent: 1, Decode: [1, 0] });
  picture.dict.delete(PDFName.of("SMask"));
  picture.dict.set(PDFName.of("Mask"), context.register(mask));
  picture.dict.set(PDFName.of("BitsPerComponent"), PDFNumber.of(8));
}
