import { wordType } from "#platform/office-package.ts";
import { invalid, problem } from "./problems.ts";

/** An image that templates may show, or a Word file that is a template. */
export interface Asset extends AssetFacts {
  readonly id: string;
  readonly name: string;
  readonly bytes: number;
  readonly sha256: Uint8Array;
  readonly createdBy: string;
  readonly createdAt: Date;
}

/**
 * Determines the type of an asset from its content; throws GEN_INVALID_REQUEST when it is neither an image that templates
 * may show nor a Word file. What is in such a file is looked at when it is checked as a template.
 */
export function parseAsset(content: Uint8Array): AssetFacts {
  if (content.length > maxImageBytes) {
    throw invalid(problem("content", "TOO_LARGE", `must have at most ${maxImageBytes} bytes`));
  }
  if (isWordFile(content)) return { contentType: wordType, width: 0, height: 0 };
  const facts = readImage(content);
  if (facts === undefined) {
    throw invalid(problem("content", "NOT_ALLOWED", `must be ${imageTypes.join(", ")} or a Word file (.docx)`));
  }
  if (facts.width * facts.height > maxImagePixels) {
    throw invalid(problem("content", "TOO_LARGE", `must have at most ${maxImagePixels / 1e6} million pixels`));
  }
  return facts;
}

const imageTypes = ["image/png", "image/jpeg"] as const;
type ImageType = (typeof imageTypes)[number];

interface AssetFacts {
  readonly contentType: ImageType | typeof wordType;
  readonly width: number;
  readonly height: number;
}

/** A package with a main part of Word, whatever its number; its names are not compressed. */
const isWordFile = ({ buffer, byteOffset, byteLength }: Uint8Array): boolean => {
  const bytes = Buffer.from(buffer, byteOffset, byteLength);
  return bytes.length > 22 && bytes.readUInt32LE(0) === 0x04034b50 && bytes.includes("word/document");
};

interface ImageFacts {
  readonly contentType: ImageType;
  readonly width: number;
  readonly height: number;
}

export const maxImageBytes = 5 * 1024 * 1024;

/** A decoded pixel takes four bytes of the renderer's memory, however well the file is compressed. */
export const maxImagePixels = 16_000_000;

/** Reads the header of a PNG or JPEG; undefined for everything else, whatever its name. */
export function readImage(bytes: Uint8Array): ImageFacts | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const facts = readPng(view) ?? readJpeg(view);
  return facts !== undefined && facts.width > 0 && facts.height > 0 ? facts : undefined;
}

const pngSignature = 0x89504e470d0a1a0an;
/** Length and type of the first chunk, which must be the header. */
const pngHeaderChunk = 0x0000000d49484452n;

function readPng(view: DataView): ImageFacts | undefined {
  if (view.byteLength < 33 || view.getBigUint64(0) !== pngSignature || view.getBigUint64(8) !== pngHeaderChunk) {
    return undefined;
  }
  return { contentType: "image/png", width: view.getUint32(16), height: view.getUint32(20) };
}

const startOfImage = 0xffd8;
const startOfScan = 0xda;
const endOfImage = 0xd9;

/** Follows the markers up to the frame header, which contains the dimensions. */
function readJpeg(view: DataView): ImageFacts | undefined {
  if (view.byteLength < 4 || view.getUint16(0) !== startOfImage) return undefined;
  let offset = 2;
  while (offset + 9 <= view.byteLength) {
    if (view.getUint8(offset) !== 0xff) return undefined;
    const marker = view.getUint8(offset + 1);
    if (isFrame(marker)) {
      return { contentType: "image/jpeg", height: view.getUint16(offset + 5), width: view.getUint16(offset + 7) };
    }
    if (marker === startOfScan || marker === endOfImage) return undefined;
    // A marker may be preceded by any number of fill bytes.
    if (marker === 0xff) offset += 1;
    else if (hasNoSegment(marker)) offset += 2;
    else offset += 2 + view.getUint16(offset + 2);
  }
  return undefined;
}

/** C4, C8 and CC are tables and extensions among the frame headers. */
const isFrame = (marker: number): boolean => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);

const hasNoSegment = (marker: number): boolean => marker === 0x01 || (marker >= 0xd0 && marker <= 0xd7);
