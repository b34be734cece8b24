/** Error correction codewords of each block by version, at level L (ISO/IEC 18004, table 9). */
const correctionPerBlock = [
  7, 10, 15, 20, 26, 18, 20, 24, 30, 18, 20, 24, 26, 30, 22, 24, 28, 30, 28, 28, 28, 28, 30, 30, 26, 28, 30, 30, 30, 30,
  30, 30, 30, 30, 30, 30, 30, 30, 30, 30,
];
const blockCounts = [
  1, 1, 1, 1, 1, 2, 2, 2, 2, 4, 4, 4, 4, 4, 6, 6, 6, 6, 7, 8, 8, 9, 9, 10, 12, 12, 12, 13, 14, 15, 16, 17, 18, 19, 19,
  20, 21, 22, 24, 25,
];

/** What a symbol of this text says: its version and all of its codewords in their order. Undefined when too long. */
export function codewordsOf(text: string): { version: number; codewords: Uint8Array } | undefined {
  const bytes = new TextEncoder().encode(text);
  for (let version = 1; version <= blockCounts.length; version++) {
    const capacity = dataCapacity(version);
    const lengthBits = version < 10 ? 8 : 16;
    if (4 + lengthBits + bytes.length * 8 > capacity * 8) continue;
    return { version, codewords: interleave(dataOf(bytes, lengthBits, capacity), version) };
  }
  return undefined;
}

/** Modules that carry codewords, in bits. */
function rawBits(version: number): number {
  const withoutFinders = (16 * version + 128) * version + 64;
  if (version < 2) return withoutFinders;
  const alignments = Math.floor(version / 7) + 2;
  const withoutAlignments = withoutFinders - (25 * alignments - 10) * alignments + 55;
  return version < 7 ? withoutAlignments : withoutAlignments - 36;
}

const rawCodewords = (version: number): number => Math.floor(rawBits(version) / 8);
const correctionOf = (version: number): number => correctionPerBlock[version - 1] ?? 0;
const blocksOf = (version: number): number => blockCounts[version - 1] ?? 1;
const dataCapacity = (version: number): number => rawCodewords(version) - correctionOf(version) * blocksOf(version);

/** Byte mode, the length, the bytes, an end, and filling. */
function dataOf(bytes: Uint8Array, lengthBits: number, capacity: number): Uint8Array {
  const bits: number[] = [];
  const push = (value: number, count: number) => {
    for (let at = count - 1; at >= 0; at--) bits.push((value >>> at) & 1);
  };
  push(0b0100, 4);
  push(bytes.length, lengthBits);
  for (const byte of bytes) push(byte, 8);
  push(0, Math.min(4, capacity * 8 - bits.length));
  push(0, (8 - (bits.length % 8)) % 8);
  const data = new Uint8Array(capacity);
  const used = bits.length / 8;
  for (const [at, bit] of bits.entries()) data[at >> 3] = (data[at >> 3] ?? 0) | (bit << (7 - (at & 7)));
  for (let at = used; at < capacity; at++) data[at] = (at - used) % 2 === 0 ? 0xec : 0x11;
  return data;
}

/** Splits data into blocks, the last of them one longer, and takes from each in turn, first data and then correction. */
function interleave(data: Uint8Array, version: number): Uint8Array {
  const count = blocksOf(version);
  const shortLength = Math.floor(data.length / count);
  const shortBlocks = count - (data.length % count);
  const blocks: Uint8Array[] = [];
  for (let block = 0, at = 0; block < count; block++) {
    const length = shortLength + (block < shortBlocks ? 0 : 1);
    blocks.push(data.subarray(at, at + length));
    at += length;
  }
  const corrections = blocks.map((block) => remainderOf(block, correctionOf(version)));
  return Uint8Array.from([...takenInTurn(blocks), ...takenInTurn(corrections)]);
}

function* takenInTurn(blocks: readonly Uint8Array[]): Generator<number> {
  const longest = Math.max(...blocks.map(({ length }) => length));
  for (let at = 0; at < longest; at++) {
    for (const block of blocks) {
      const value = block[at];
      if (value !== undefined) yield value;
    }
  }
}

/** The error correction codewords of a block: its remainder by the generator polynomial over GF(2^8). */
export function remainderOf(data: Uint8Array, degree: number): Uint8Array {
  const divisor = generatorOf(degree);
  const remainder = new Uint8Array(degree);
  for (const byte of data) {
    const factor = byte ^ (remainder[0] ?? 0);
    remainder.copyWithin(0, 1);
    remainder[degree - 1] = 0;
    for (const [at, coefficient] of divisor.entries())
      remainder[at] = (remainder[at] ?? 0) ^ times(coefficient, factor);
  }
  return remainder;
}

/** The product of (x - 2^i) for all i below the degree, without its leading 1. */
function generatorOf(degree: number): Uint8Array {
  const result = new Uint8Array(degree);
  result[degree - 1] = 1;
  let root = 1;
  for (let factor = 0; factor < degree; factor++) {
    for (let at = 0; at < degree; at++) result[at] = times(result[at] ?? 0, root) ^ (result[at + 1] ?? 0);
    root = times(root, 2);
  }
  return result;
}

/** Modulo x^8 + x^4 + x^3 + x^2 + 1. */
function times(left: number, right: number): number {
  let product = 0;
  for (let bit = 7; bit >= 0; bit--) {
    product = (product << 1) ^ ((product >>> 7) * 0x11d);
    product ^= ((right >>> bit) & 1) * left;
  }
  return product;
}
