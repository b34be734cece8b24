import { inflateSync } from "node:zlib";
import { PDFArray, PDFDict, PDFName, PDFNumber, type PDFObject, type PDFRawStream } from "pdf-lib";
import { maxUnpackedBytes, PdfProblem } from "../pdf-limits.ts";

/** Unpacks object and cross-reference streams, up to a total limit. */
export function createUnpacker(): (stream: PDFRawStream) => Buffer {
  let left = maxUnpackedBytes;
  return ({ dict, contents }) => {
    const packed = Buffer.from(contents.buffer, contents.byteOffset, contents.byteLength);
    const filter = onlyOne(dict.lookup(PDFName.of("Filter")));
    if (filter === undefined) return packed;
    // Genuine files pack objects once, with Flate; anything else may be a decompression bomb.
    if (filter !== PDFName.FlateDecode && filter !== PDFName.of("Fl")) throw unusual();
    const unpacked = inflate(packed, left);
    left -= unpacked.length;
    const parameters = onlyOne(dict.lookup(PDFName.of("DecodeParms")));
    return parameters instanceof PDFDict ? undoPrediction(unpacked, parameters) : unpacked;
  };
}

const unusual = () => new PdfProblem("The PDF packs its objects in an unusual way. Save it again and retry.");

function onlyOne(value: PDFObject | undefined): PDFObject | undefined {
  if (!(value instanceof PDFArray)) return value;
  if (value.size() > 1) throw unusual();
  return value.size() === 0 ? undefined : value.lookup(0);
}

function inflate(bytes: Buffer, maxLength: number): Buffer {
  try {
    return inflateSync(bytes, { maxOutputLength: Math.max(1, maxLength) });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE") {
      throw new PdfProblem("The PDF is unreasonably large when unpacked.");
    }
    throw error;
  }
}

/** PNG (10 to 15) and TIFF (2) predictors of ISO 32000-2 §7.4.4.4, for one-byte components. */
function undoPrediction(data: Buffer, parameters: PDFDict): Buffer {
  const number = (name: string, otherwise: number): number => {
    const value = parameters.lookup(PDFName.of(name));
    return value instanceof PDFNumber ? value.asNumber() : otherwise;
  };
  const predictor = number("Predictor", 1);
  if (predictor === 1) return data;
  const [colors, bits, columns] = [number("Colors", 1), number("BitsPerComponent", 8), number("Columns", 1)];
  const isUsual = [colors, columns].every((value) => Number.isInteger(value) && value >= 1 && value <= 65_536);
  if (bits !== 8 || !isUsual || (predictor !== 2 && (predictor < 10 || predictor > 15))) throw unusual();
  return predictor === 2 ? undoTiff(data, colors, colors * columns) : undoPng(data, colors, colors * columns);
}

function undoTiff(data: Buffer, distance: number, width: number): Buffer {
  const plain = Buffer.from(data);
  for (let start = 0; start < plain.length; start += width) {
    const end = Math.min(start + width, plain.length);
    for (let at = start + distance; at < end; at += 1) {
      plain[at] = ((plain[at] ?? 0) + (plain[at - distance] ?? 0)) & 0xff;
    }
  }
  return plain;
}

function undoPng(data: Buffer, distance: number, width: number): Buffer {
  const rows = Math.ceil(data.length / (width + 1));
  const plain = Buffer.alloc(Math.max(0, data.length - rows));
  for (let row = 0; row < rows; row += 1) {
    const from = row * (width + 1);
    const to = row * width;
    const count = Math.min(width, data.length - from - 1);
    for (let index = 0; index < count; index += 1) {
      const left = index >= distance ? (plain[to + index - distance] ?? 0) : 0;
      const up = row > 0 ? (plain[to + index - width] ?? 0) : 0;
      const upLeft = row > 0 && index >= distance ? (plain[to + index - width - distance] ?? 0) : 0;
      plain[to + index] = ((data[from + 1 + index] ?? 0) + guess(data[from] ?? 0, left, up, upLeft)) & 0xff;
    }
  }
  return plain;
}

function guess(kind: number, left: number, up: number, upLeft: number): number {
  switch (kind) {
    case 0:
      return 0;
    case 1:
      return left;
    case 2:
      return up;
    case 3:
      return (left + up) >> 1;
    case 4:
      return paeth(left, up, upLeft);
    default:
      throw new Error("there is no such predictor");
  }
}

function paeth(left: number, up: number, upLeft: number): number {
  const sum = left + up - upLeft;
  const [toLeft, toUp, toUpLeft] = [Math.abs(sum - left), Math.abs(sum - up), Math.abs(sum - upLeft)];
  if (toLeft <= toUp && toLeft <= toUpLeft) return left;
  return toUp <= toUpLeft ? up : upLeft;
}
