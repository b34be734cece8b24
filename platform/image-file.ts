import { setImmediate as nextTurn } from "node:timers/promises";
import { crc32, createInflate } from "node:zlib";

/** What a picture says of itself, and what was found to be true of all of its bytes. */
export interface ImageFacts {
  readonly contentType: "image/png" | "image/jpeg";
  readonly width: number;
  readonly height: number;
}

/** Why a file is refused, in words for whoever sent it. */
export class ImageFault extends Error {}

export interface ImageLimits {
  readonly maxPixels: number;
  readonly maxSide: number;
}

/**
 * Follows a PNG or JPEG from its first byte to its last; throws ImageFault when anything is missing, damaged, unknown or
 * appended, so that nobody keeps half a picture, two files in one, or something that grows when it is opened. The pixels of
 * a PNG are unpacked piece by piece and never kept; those of a JPEG are not decoded.
 */
export async function readWholeImage(bytes: Uint8Array, limits: ImageLimits): Promise<ImageFacts> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.byteLength >= 8 && view.getBigUint64(0) === pngSignature) return readPng(bytes, view, limits);
  if (view.byteLength >= 4 && view.getUint16(0) === startOfImage) return readJpeg(bytes, view, limits);
  throw new ImageFault("must be a PNG or JPEG");
}

/** Texts and colour profiles, which are packed: a few bytes of them may unpack to gigabytes at whoever opens the picture. */
const packed: readonly string[] = ["iTXt", "zTXt", "iCCP"];

/** A picture that readWholeImage has accepted, without what a PNG may hold packed beside its pixels. */
export function withoutPackedParts(bytes: Uint8Array): Uint8Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.getBigUint64(0) !== pngSignature) return bytes;
  const kept = [bytes.subarray(0, 8)];
  for (let offset = 8; offset < view.byteLength; ) {
    const end = offset + 12 + view.getUint32(offset);
    const type = Buffer.from(bytes.subarray(offset + 4, offset + 8)).toString("latin1");
    if (!packed.includes(type)) kept.push(bytes.subarray(offset, end));
    offset = end;
  }
  return Buffer.concat(kept);
}

function requireSize({ width, height }: Pick<ImageFacts, "width" | "height">, limits: ImageLimits): void {
  if (width === 0 || height === 0) throw new ImageFault("must have at least one pixel");
  const { maxPixels, maxSide } = limits;
  if (width <= maxSide && height <= maxSide && width * height <= maxPixels) return;
  throw new ImageFault(`must have at most ${maxPixels / 1e6} million pixels, and ${maxSide} on each side`);
}

const pngSignature = 0x89504e470d0a1a0an;

interface PngHeader extends ImageFacts {
  readonly bitsPerPixel: number;
  readonly isIndexed: boolean;
  readonly isInterlaced: boolean;
}

async function readPng(bytes: Uint8Array, view: DataView, limits: ImageLimits): Promise<ImageFacts> {
  const damaged = new ImageFault("is a damaged PNG");
  let header: PngHeader | undefined;
  let hasPalette = false;
  const data: Uint8Array[] = [];
  let before = "";
  for (let offset = 8; offset < view.byteLength; ) {
    if (offset + 12 > view.byteLength) throw damaged;
    const length = view.getUint32(offset);
    const end = offset + 12 + length;
    if (end > view.byteLength) throw damaged;
    const type = Buffer.from(bytes.subarray(offset + 4, offset + 8)).toString("latin1");
    const body = bytes.subarray(offset + 8, end - 4);
    if (crc32(bytes.subarray(offset + 4, end - 4)) !== view.getUint32(end - 4)) throw damaged;
    if ((header === undefined) !== (type === "IHDR")) throw damaged;
    if (type === "IHDR") {
      header = readPngHeader(body);
      requireSize(header, limits);
    } else if (type === "PLTE") {
      if (hasPalette || data.length > 0 || length === 0 || length % 3 !== 0 || length > 768) throw damaged;
      hasPalette = true;
    } else if (type === "IDAT") {
      if (data.length > 0 && before !== "IDAT") throw damaged;
      data.push(body);
    } else if (type === "IEND") {
      if (length > 0 || header === undefined || (header.isIndexed && !hasPalette)) throw damaged;
      if (end !== view.byteLength) throw new ImageFault("must end where the picture ends");
      await unpackPixels(data, header);
      const { contentType, width, height } = header;
      return { contentType, width, height };
    } else if (!/^[a-z][A-Za-z]{3}$/.test(type)) {
      // A small first letter is what a reader may skip.
      throw damaged;
    } else if (animation.includes(type)) {
      throw new ImageFault("must be one picture, and not move");
    }
    before = type;
    offset = end;
  }
  throw damaged;
}

const animation: readonly string[] = ["acTL", "fcTL", "fdAT"];

/** How many values a pixel has and how many bits each may have, by the colour type. */
const colourTypes: Readonly<Record<number, readonly [values: number, depths: readonly number[]]>> = {
  0: [1, [1, 2, 4, 8, 16]],
  2: [3, [8, 16]],
  3: [1, [1, 2, 4, 8]],
  4: [2, [8, 16]],
  6: [4, [8, 16]],
};

function readPngHeader(body: Uint8Array): PngHeader {
  const view = new DataView(body.buffer, body.byteOffset, body.byteLength);
  if (view.byteLength !== 13) throw new ImageFault("is a damaged PNG");
  const [depth, colourType, compression, filter, interlace] = body.subarray(8);
  const [values, depths] = colourTypes[colourType as number] ?? [0, []];
  const isKnown = depths.includes(depth as number) && compression === 0 && filter === 0 && (interlace as number) <= 1;
  if (!isKnown) throw new ImageFault("is a PNG of an unknown kind");
  return {
    contentType: "image/png",
    width: view.getUint32(0),
    height: view.getUint32(4),
    bitsPerPixel: values * (depth as number),
    isIndexed: colourType === 3,
    isInterlaced: interlace === 1,
  };
}

/** The smaller pictures of which an interlaced one consists: where each begins, and its steps. */
const passes = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const;

/** The lines that the header promises: how many there are, and how many bytes each has with the one that names its filter. */
function linesOf({ width, height, bitsPerPixel, isInterlaced }: PngHeader) {
  const one = (w: number, h: number) => ({ lines: w === 0 ? 0 : h, bytes: 1 + Math.ceil((w * bitsPerPixel) / 8) });
  if (!isInterlaced) return [one(width, height)];
  return passes
    .map(([x, y, dx, dy]) => one(Math.ceil((width - x) / dx), Math.ceil((height - y) / dy)))
    .filter(({ lines }) => lines > 0);
}

/** Throws unless the data are exactly the lines of the header; stops at the first byte too many. */
async function unpackPixels(data: readonly Uint8Array[], header: PngHeader): Promise<void> {
  const damaged = new ImageFault("is a damaged PNG");
  const packed = Buffer.concat(data);
  const inflate = createInflate();
  inflate.end(packed);
  const groups = linesOf(header);
  let group = groups.shift();
  let line = 0;
  let left = 0;
  try {
    for await (const chunk of inflate as AsyncIterable<Buffer>) {
      for (let at = 0; at < chunk.length; ) {
        if (left === 0) {
          if (group === undefined || (chunk[at] as number) > 4) throw damaged;
          left = group.bytes;
        }
        const taken = Math.min(left, chunk.length - at);
        at += taken;
        left -= taken;
        if (left > 0 || group === undefined) continue;
        line += 1;
        if (line < group.lines) continue;
        line = 0;
        group = groups.shift();
      }
    }
  } catch {
    throw damaged;
  } finally {
    inflate.destroy();
  }
  if (group !== undefined || left > 0 || inflate.bytesWritten !== packed.length) throw damaged;
}

/** Programs write a dozen. Whoever opens the picture goes over all of its pixels again for each. */
const maxScans = 100;

const startOfImage = 0xffd8;
const startOfScan = 0xda;
const endOfImage = 0xd9;
const huffmanTables = 0xc4;
const quantizationTables = 0xdb;
/** Baseline, extended and progressive: what every program shows. */
const shownFrames: readonly number[] = [0xc0, 0xc1, 0xc2];

async function readJpeg(bytes: Uint8Array, view: DataView, limits: ImageLimits): Promise<ImageFacts> {
  const damaged = new ImageFault("is a damaged JPEG");
  const seen = new Set<number>();
  let facts: ImageFacts | undefined;
  let scans = 0;
  for (let offset = 2; offset + 2 <= view.byteLength; ) {
    if (view.getUint8(offset) !== 0xff) throw damaged;
    const marker = view.getUint8(offset + 1);
    // A marker may be preceded by any number of fill bytes.
    if (marker === 0xff) {
      offset += 1;
      continue;
    }
    if (marker === endOfImage) {
      if (facts === undefined || !seen.has(startOfScan)) throw damaged;
      if (offset + 2 !== view.byteLength) throw new ImageFault("must end where the picture ends");
      return facts;
    }
    if (marker < 0xc0 || (marker >= 0xd0 && marker <= 0xd8) || offset + 4 > view.byteLength) throw damaged;
    const length = view.getUint16(offset + 2);
    const end = offset + 2 + length;
    if (length < 2 || end > view.byteLength) throw damaged;
    if (isFrame(marker)) {
      if (facts !== undefined) throw damaged;
      facts = readFrame(marker, view, { offset, length });
      requireSize(facts, limits);
    }
    seen.add(marker);
    offset = end;
    if (marker === startOfScan) {
      if (facts === undefined || !seen.has(huffmanTables) || !seen.has(quantizationTables)) throw damaged;
      scans += 1;
      if (scans > maxScans) throw new ImageFault(`must have at most ${maxScans} scans`);
      offset = endOfScan(bytes, end);
      if (offset === end) throw damaged;
      // Each is read in a moment.
      await nextTurn();
    }
  }
  throw damaged;
}

/** C4, C8 and CC are tables and extensions among the frame headers. */
const isFrame = (marker: number): boolean => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);

function readFrame(
  marker: number,
  view: DataView,
  { offset, length }: { readonly offset: number; readonly length: number },
): ImageFacts {
  const isShown = shownFrames.includes(marker) && length >= 8 && view.getUint8(offset + 4) === 8;
  const components = isShown ? view.getUint8(offset + 9) : 0;
  if (![1, 3, 4].includes(components) || length !== 8 + 3 * components) {
    throw new ImageFault("is a JPEG of an unknown kind");
  }
  return { contentType: "image/jpeg", height: view.getUint16(offset + 5), width: view.getUint16(offset + 7) };
}

/** Where the next marker stands that is no part of the compressed data; the end of the bytes when there is none. */
function endOfScan(bytes: Uint8Array, from: number): number {
  for (let at = bytes.indexOf(0xff, from); at >= 0; at = bytes.indexOf(0xff, at)) {
    const next = bytes[at + 1];
    if (next === undefined) break;
    if (next === 0x00 || (next >= 0xd0 && next <= 0xd7)) at += 2;
    else if (next === 0xff) at += 1;
    else return at;
  }
  return bytes.length;
}
