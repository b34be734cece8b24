import { byteRangeHole, signatureBytes } from "./signature-placeholder.ts";

/** A file with a placeholder of zeros for its signature. */
export interface PreparedFile {
  readonly bytes: Uint8Array;
  /** Of the opening angle bracket of the signature. */
  readonly start: number;
  /** After the closing one. */
  readonly end: number;
}

/**
 * Fills in the byte range of a file prepared by addSignaturePlaceholder: everything but the signature. Changes
 * the bytes in place.
 */
export function fixByteRange(bytes: Uint8Array): PreparedFile {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const hole = `${byteRangeHole}`;
  // The last one is ours, because an incremental update is at the end.
  const firstHole = file.lastIndexOf(`0 ${hole} ${hole} ${hole}`);
  const rangeStart = file.lastIndexOf("[", firstHole);
  const rangeEnd = file.indexOf("]", firstHole);
  const start = file.lastIndexOf(`<${"0".repeat(2 * signatureBytes)}>`);
  if (firstHole < 0 || rangeStart < 0 || rangeEnd < 0 || start < 0) throw new Error("the file has no place for a seal");
  const end = start + 2 * signatureBytes + 2;
  const range = `[ 0 ${start} ${end} ${file.length - end}`.padEnd(rangeEnd - rangeStart, " ");
  file.write(range, rangeStart, "latin1");
  return { bytes, start, end };
}

/** The bytes to sign: two views, without a copy. */
export const coveredPieces = ({ bytes, start, end }: PreparedFile): [Uint8Array, Uint8Array] => [
  bytes.subarray(0, start),
  bytes.subarray(end),
];

/** Writes the signature into the placeholder, in place. */
export function insertSignature({ bytes, start }: PreparedFile, signature: Uint8Array): void {
  if (signature.length > signatureBytes) {
    throw new Error(`the signature has ${signature.length} bytes, but there is room for ${signatureBytes} only`);
  }
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  file.write(Buffer.from(signature).toString("hex"), start + 1, "latin1");
}
