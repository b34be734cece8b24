import { concatTransformationMatrix, drawObject, PDFDocument, popGraphicsState, pushGraphicsState } from "pdf-lib";
import { ImageFault, readWholeImage } from "#platform/image-file.ts";
import { PdfProblem } from "./pdf-limits.ts";

/** The pixels of a JPEG are not decoded; those of a PNG take four bytes each. */
const limits = {
  "image/jpeg": { maxPixels: 100_000_000, maxSide: 30_000 },
  "image/png": { maxPixels: 25_000_000, maxSide: 30_000 },
};

/** A4, in points. */
const [shortSide, longSide] = [595.28, 841.89];
/** A pixel of a small picture, as large as on a screen. */
const pointsPerPixel = 0.75;

/**
 * Makes a page of a PNG or JPEG: upright, as large as the page allows. Of a JPEG nothing but the picture is kept, not where
 * and with what it was taken. Throws a PdfProblem.
 */
export async function pictureToPdf(bytes: Uint8Array): Promise<Uint8Array> {
  const isJpeg = bytes[0] === 0xff && bytes[1] === 0xd8;
  const { picture, orientation } = isJpeg ? barePicture(Buffer.from(bytes)) : { picture: bytes, orientation: 1 };
  const { contentType } = await facts(picture, isJpeg ? "image/jpeg" : "image/png");
  const document = await PDFDocument.create({ updateMetadata: false });
  const image = contentType === "image/jpeg" ? await document.embedJpg(picture) : await document.embedPng(picture);
  const isTurned = orientation >= 5;
  const [width, height] = isTurned ? [image.height, image.width] : [image.width, image.height];
  const page = document.addPage(width > height ? [longSide, shortSide] : [shortSide, longSide]);
  const scale = Math.min(pointsPerPixel, page.getWidth() / width, page.getHeight() / height);
  const box = { w: width * scale, h: height * scale };
  const matrix = upright(orientation, {
    ...box,
    x: (page.getWidth() - box.w) / 2,
    y: page.getHeight() > box.h ? (page.getHeight() - box.h) / 2 : 0,
  });
  page.pushOperators(
    pushGraphicsState(),
    concatTransformationMatrix(...matrix),
    drawObject(page.node.newXObject("Picture", image.ref)),
    popGraphicsState(),
  );
  return document.save({ addDefaultPage: false, updateFieldAppearances: false });
}

async function facts(picture: Uint8Array, type: keyof typeof limits) {
  try {
    return await readWholeImage(picture, limits[type]);
  } catch (error) {
    if (error instanceof ImageFault) throw new PdfProblem(`The picture cannot be used: it ${error.message}.`);
    throw error;
  }
}

type Matrix = readonly [number, number, number, number, number, number];

/** Puts the unit square in which a picture is drawn into a box, by the eight orientations of Exif. */
function upright(
  orientation: number,
  { x, y, w, h }: { readonly x: number; readonly y: number; readonly w: number; readonly h: number },
): Matrix {
  const matrices: Readonly<Record<number, Matrix>> = {
    2: [-w, 0, 0, h, x + w, y],
    3: [-w, 0, 0, -h, x + w, y + h],
    4: [w, 0, 0, -h, x, y + h],
    5: [0, -h, -w, 0, x + w, y + h],
    6: [0, -h, w, 0, x, y + h],
    7: [0, h, w, 0, x, y],
    8: [0, h, -w, 0, x + w, y],
  };
  return matrices[orientation] ?? [w, 0, 0, h, x, y];
}

const damaged = () => new PdfProblem("The picture cannot be used: it is a damaged JPEG.");

/**
 * The first picture of a JPEG, without what describes it, and which side is up. Phones put smaller pictures and maps of
 * brightness behind it.
 */
function barePicture(bytes: Buffer): { readonly picture: Buffer; readonly orientation: number } {
  const kept: Buffer[] = [bytes.subarray(0, 2)];
  let orientation = 1;
  for (let at = 2; ; ) {
    if (at + 2 > bytes.length || bytes[at] !== 0xff) throw damaged();
    const marker = bytes[at + 1] as number;
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    if (marker === endOfImage) return { picture: Buffer.concat([...kept, bytes.subarray(at, at + 2)]), orientation };
    const end = at + 4 > bytes.length ? 0 : at + 2 + bytes.readUInt16BE(at + 2);
    if (end > bytes.length || end < at + 4) throw damaged();
    const segment = bytes.subarray(at, end);
    if (marker === 0xe1) orientation = orientationOf(segment.subarray(4)) ?? orientation;
    if (!isDescription(marker)) kept.push(segment);
    at = marker === startOfScan ? endOfScan(bytes, end) : end;
    if (marker === startOfScan) kept.push(bytes.subarray(end, at));
  }
}

const endOfImage = 0xd9;
const startOfScan = 0xda;

/** All but how the colors are coded (APP0 and APP14). */
const isDescription = (marker: number): boolean =>
  marker === 0xfe || (marker >= 0xe1 && marker <= 0xef && marker !== 0xee);

function endOfScan(bytes: Buffer, from: number): number {
  for (let at = bytes.indexOf(0xff, from); at >= 0; at = bytes.indexOf(0xff, at + 1)) {
    const next = bytes[at + 1] ?? 0;
    if (next !== 0 && next !== 0xff && !(next >= 0xd0 && next <= 0xd7)) return at;
  }
  throw damaged();
}

/** Of the first directory of Exif (TIFF 6.0, tag 274); undefined where it does not say. */
function orientationOf(segment: Buffer): number | undefined {
  if (segment.subarray(0, 6).toString("latin1") !== "Exif\0\0" || segment.length < 14) return undefined;
  const tiff = segment.subarray(6);
  const isLittle = tiff.subarray(0, 2).toString("latin1") === "II";
  const word = (at: number) => (at + 2 > tiff.length ? 0 : isLittle ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at));
  const directory = isLittle ? tiff.readUInt32LE(4) : tiff.readUInt32BE(4);
  if (directory + 2 > tiff.length) return undefined;
  for (let n = 0; n < Math.min(word(directory), 200); n += 1) {
    const entry = directory + 2 + n * 12;
    if (word(entry) === 274) return word(entry + 8);
  }
  return undefined;
}
