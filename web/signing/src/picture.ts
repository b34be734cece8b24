import { element } from "./dom.ts";

/** Large enough to print well. */
const maxWidth = 600;
const maxHeight = 200;
/** What the service takes. */
const maxPngBytes = 250_000;
/** A telephone's camera; more would take its memory. */
export const maxPixels = 60_000_000;

/**
 * A photograph or scan of a signature without the paper: what stands out from its surroundings is ink, and the rest is
 * clear. Throws when nothing stands out, or the file is no picture.
 */
export async function withoutBackground(file: Blob): Promise<HTMLCanvasElement> {
  // Before it is decoded: a small file can be a picture that takes all memory.
  if (pixelsIn(new DataView(await file.arrayBuffer())) > maxPixels) throw new Error("the picture is too large");
  const picture = await createImageBitmap(file);
  // Twice as large at first: what is left when the paper is cut off is smaller.
  const scale = Math.min((2 * maxWidth) / picture.width, (2 * maxHeight) / picture.height, 1);
  const [width, height] = [picture.width, picture.height].map((side) => Math.max(1, Math.round(side * scale))) as [
    number,
    number,
  ];
  const image = pixelsOf(picture, width, height);
  const isCut = clearPixels(image) > 0.05;
  // So small a picture has the light of the paper, and none of the thin lines on it.
  if (!isCut) removePaper(image, pixelsOf(picture, 12, 6));
  const canvas = element("canvas", { width, height });
  canvas.getContext("2d")?.putImageData(image, 0, 0);
  const ink = trimmed(canvas);
  if (clearPixels(image) === 1) throw new Error("nothing stands out");
  return bounded(ink);
}

const pngHeader = 0x89504e47;
const startOfImage = 0xffd8;

/** As many as the header of a PNG (RFC 2083 §4.1.1) or a frame of a JPEG (ITU-T T.81 B.2.2) says; throws for other files. */
export function pixelsIn(file: DataView): number {
  if (file.byteLength > 24 && file.getUint32(0) === pngHeader) return file.getUint32(16) * file.getUint32(20);
  if (file.byteLength < 4 || file.getUint16(0) !== startOfImage) throw new Error("neither a PNG nor a JPEG");
  let at = 2;
  while (at + 9 <= file.byteLength) {
    const marker = file.getUint16(at);
    // Frames are 0xffc0 to 0xffcf without the three that define tables.
    const isFrame = marker >= 0xffc0 && marker <= 0xffcf && ![0xffc4, 0xffc8, 0xffcc].includes(marker);
    if (isFrame) return file.getUint16(at + 5) * file.getUint16(at + 7);
    if (marker < 0xff01) break;
    at += 2 + file.getUint16(at + 2);
  }
  throw new Error("the picture has no size");
}

function pixelsOf(picture: CanvasImageSource, width: number, height: number): ImageData {
  const context = element("canvas", { width, height }).getContext("2d", { willReadFrequently: true });
  if (context === null) throw new Error("nothing can be drawn");
  context.imageSmoothingQuality = "high";
  context.drawImage(picture, 0, 0, width, height);
  return context.getImageData(0, 0, width, height);
}

/** The part of the pixels that nothing is seen of. */
function clearPixels({ data }: ImageData): number {
  let clear = 0;
  for (let at = 3; at < data.length; at += 4) if ((data[at] ?? 0) < 16) clear += 1;
  return (4 * clear) / data.length;
}

/** How much darker or lighter than its surroundings a pixel has to be to be seen at all, and to be all ink. */
const [faint, full] = [28, 90];

function removePaper({ data, width, height }: ImageData, light: ImageData): void {
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const at = 4 * (y * width + x);
      const difference = Math.max(
        ...[0, 1, 2].map((part) => Math.abs((data[at + part] ?? 0) - lightAt(light, part, x / width, y / height))),
      );
      data[at + 3] = Math.round(255 * Math.min(1, Math.max(0, (difference - faint) / (full - faint))));
    }
  }
}

/** Of a colour, between the four pixels around the place. */
function lightAt({ data, width, height }: ImageData, part: number, across: number, down: number): number {
  const x = Math.min(width - 1, Math.max(0, across * width - 0.5));
  const y = Math.min(height - 1, Math.max(0, down * height - 0.5));
  const [left, top] = [Math.floor(x), Math.floor(y)];
  const at = (column: number, row: number): number =>
    data[4 * (Math.min(height - 1, row) * width + Math.min(width - 1, column)) + part] ?? 0;
  const upper = at(left, top) * (1 - (x - left)) + at(left + 1, top) * (x - left);
  const lower = at(left, top + 1) * (1 - (x - left)) + at(left + 1, top + 1) * (x - left);
  return upper * (1 - (y - top)) + lower * (y - top);
}

/** Not larger than is printed, nor than the service takes. */
function bounded(canvas: HTMLCanvasElement): HTMLCanvasElement {
  let scale = Math.min(maxWidth / canvas.width, maxHeight / canvas.height, 1);
  for (;;) {
    const part = element("canvas", {
      width: Math.max(1, Math.round(canvas.width * scale)),
      height: Math.max(1, Math.round(canvas.height * scale)),
    });
    part.getContext("2d")?.drawImage(canvas, 0, 0, part.width, part.height);
    if (base64Of(part).length * 0.75 <= maxPngBytes) return part;
    scale *= 0.7;
  }
}

export const base64Of = (canvas: HTMLCanvasElement): string => canvas.toDataURL("image/png").split(",")[1] ?? "";

/** Only what was drawn, so that it fills its place in the document. */
export function trimmed(canvas: HTMLCanvasElement): HTMLCanvasElement {
  const context = canvas.getContext("2d");
  const { width, height } = canvas;
  if (context === null || width === 0 || height === 0) return canvas;
  const { data } = context.getImageData(0, 0, width, height);
  let [left, top, right, bottom] = [width, height, 0, 0];
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      if (data[(y * width + x) * 4 + 3] === 0) continue;
      left = Math.min(left, x);
      right = Math.max(right, x);
      top = Math.min(top, y);
      bottom = Math.max(bottom, y);
    }
  }
  if (right < left) return canvas;
  const part = element("canvas", { width: right - left + 1, height: bottom - top + 1 });
  part.getContext("2d")?.drawImage(canvas, -left, -top);
  return part;
}
