/** An element of an ASN.1 encoding (ITU-T X.690). */
export interface Element {
  /** Its first byte: class, form and number. */
  readonly tag: number;
  /** All of it. */
  readonly bytes: Buffer;
  /** What is in it, without what marks the end of one whose length is not told. */
  readonly content: Buffer;
}

export const tags = {
  integer: 0x02,
  octets: 0x04,
  null: 0x05,
  identifier: 0x06,
  sequence: 0x30,
  set: 0x31,
  /** Context-specific, constructed. */
  context0: 0xa0,
  context1: 0xa1,
} as const;

/**
 * The first element of the bytes; what follows it is not looked at. Throws when there is none. Lengths that are not told
 * are read as well (X.690 §8.1.3.6), since signatures of others have them.
 */
export function readElement(bytes: Buffer): Element {
  const { contentStart, contentEnd, end } = extentAt(bytes, 0, 0);
  return {
    tag: bytes.readUInt8(0),
    bytes: bytes.subarray(0, end),
    content: bytes.subarray(contentStart, contentEnd),
  };
}

/** The elements in one that is made of them. */
export function elementsIn({ content }: Element): Element[] {
  const found: Element[] = [];
  for (let rest = content; rest.length > 0; ) {
    if (found.length === maxElements) throw new Error("it has too many elements");
    const element = readElement(rest);
    found.push(element);
    rest = rest.subarray(element.bytes.length);
  }
  return found;
}

/** DER of one element. */
export function encode(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  return Buffer.concat([headOf(tag, length), ...parts]);
}

/** DER of an object identifier. */
export function encodeIdentifier(identifier: string): Buffer {
  const [first = 0, second = 0, ...others] = identifier.split(".").map(Number);
  return encode(tags.identifier, Buffer.from([first * 40 + second, ...others].flatMap(base128)));
}

/** Far more than any signature has; what is nested deeper, or has more, is no honest one. */
const maxDepth = 32;
const maxElements = 1_000;

interface Extent {
  readonly contentStart: number;
  readonly contentEnd: number;
  readonly end: number;
}

function extentAt(bytes: Buffer, at: number, depth: number): Extent {
  // Numbers above 30, which take several bytes, are in nothing that is read here.
  if ((bytes.readUInt8(at) & 0x1f) === 0x1f) throw new Error("it has a tag of several bytes");
  const form = bytes.readUInt8(at + 1);
  if (form === 0x80) return endlessAt(bytes, at, depth);
  const lengthBytes = form < 0x80 ? 0 : form - 0x80;
  if (lengthBytes > 4) throw new Error("it is too long");
  const contentStart = at + 2 + lengthBytes;
  const length = lengthBytes === 0 ? form : bytes.readUIntBE(at + 2, lengthBytes);
  const end = contentStart + length;
  if (end > bytes.length) throw new Error("it is cut off");
  return { contentStart, contentEnd: end, end };
}

/** It ends with two zeros, where an element could begin. */
function endlessAt(bytes: Buffer, start: number, depth: number): Extent {
  const isConstructed = (bytes.readUInt8(start) & 0x20) !== 0;
  if (!isConstructed || depth === maxDepth) throw new Error("its end cannot be found");
  const contentStart = start + 2;
  let at = contentStart;
  while (bytes.readUInt16BE(at) !== 0) at = extentAt(bytes, at, depth + 1).end;
  return { contentStart, contentEnd: at, end: at + 2 };
}

function headOf(tag: number, length: number): Buffer {
  if (length < 0x80) return Buffer.from([tag, length]);
  const bytes: number[] = [];
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return Buffer.from([tag, 0x80 + bytes.length, ...bytes]);
}

/** Seven bits in each byte; all but the last have the eighth set (X.690 §8.19.2). */
function base128(number: number): number[] {
  const digits = [number % 128];
  for (let rest = Math.floor(number / 128); rest > 0; rest = Math.floor(rest / 128)) digits.unshift((rest % 128) + 128);
  return digits;
}
