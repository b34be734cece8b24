import { element } from "./dom.ts";
import { maxPixels, pixelsIn } from "./picture.ts";

/** A page of A4 prints well with it. */
const maxSide = 2_400;
const quality = 0.82;
/** What is lossless stays so while it is small: lines of a screenshot would blur. */
const maxPngBytes = 1_000_000;

/**
 * A photograph as it is attached: upright, no larger than prints well, and without what the telephone wrote into it, such as
 * where it was taken. Everything else, and what this browser cannot read, stays as it is; the service looks at it in any case.
 */
export async function asAttached(file: File): Promise<Blob> {
  if (!file.type.startsWith("image/") || (file.type === "image/png" && file.size <= maxPngBytes)) return file;
  try {
    // Before it is decoded: a small file can be a picture that takes all memory.
    const isKnown = file.type === "image/png" || file.type === "image/jpeg";
    if (isKnown && pixelsIn(new DataView(await file.arrayBuffer())) > maxPixels) return file;
    const picture = await createImageBitmap(file, { imageOrientation: "from-image" });
    return (await redrawn(picture)) ?? file;
  } catch {
    return file;
  }
}

async function redrawn(picture: ImageBitmap): Promise<Blob | null> {
  const scale = Math.min(1, maxSide / Math.max(picture.width, picture.height));
  const canvas = element("canvas", {
    width: Math.max(1, Math.round(picture.width * scale)),
    height: Math.max(1, Math.round(picture.height * scale)),
  });
  const context = canvas.getContext("2d");
  if (context === null) return null;
  context.imageSmoothingQuality = "high";
  // What is clear in a PNG would become black.
  context.fillStyle = "#fff";
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(picture, 0, 0, canvas.width, canvas.height);
  picture.close();
  return new Promise((resolve) => canvas.toBlob(resolve, "image/jpeg", quality));
}
