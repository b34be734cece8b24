import { hashBytes, isTreeSize, rootOf, rootOfHashes, splitPoint } from "./merkle.ts";
import { type ReadTile, type TileName, tileWidth } from "./tiles.ts";

/**
 * The audit path of a leaf (RFC 6962 §2.1.1), from the leaf's sibling up to a child of the root. Throws for an index that
 * the tree does not have, and when a tile is too short.
 */
export const inclusionPath = (index: number, size: number, readTile: ReadTile): Promise<Buffer[]> =>
  hashRanges(inclusionRanges(index, size), readTile);

/**
 * The proof that the tree of one size is a beginning of the tree of another (RFC 6962 §2.1.2), as verifyConsistency wants
 * it. Empty for equal sizes, and from 0. Throws like inclusionPath.
 */
export const consistencyPath = (from: number, to: number, readTile: ReadTile): Promise<Buffer[]> =>
  hashRanges(consistencyRanges(from, to), readTile);

/** The root of the tree at this size (RFC 6962 §2.1). */
export const rootAt = async (size: number, readTile: ReadTile): Promise<Buffer> =>
  (await hashRanges([{ start: 0, end: size }], readTile))[0] as Buffer;

/** The tiles that inclusionPath reads, so that they can be fetched at once. */
export const inclusionTiles = (index: number, size: number): TileName[] => tilesOf(inclusionRanges(index, size));

/** The tiles that consistencyPath reads. */
export const consistencyTiles = (from: number, to: number): TileName[] => tilesOf(consistencyRanges(from, to));

/** The leaves of a subtree: from start to before end. */
interface Range {
  readonly start: number;
  readonly end: number;
}

function inclusionRanges(index: number, size: number): Range[] {
  if (!isTreeSize(index) || !isTreeSize(size) || index >= size) {
    throw new RangeError(`a tree of size ${size} has no leaf ${index}`);
  }
  const siblings: Range[] = [];
  let start = 0;
  let end = size;
  while (end - start > 1) {
    const middle = start + splitPoint(end - start);
    if (index < middle) {
      siblings.unshift({ start: middle, end });
      end = middle;
    } else {
      siblings.unshift({ start, end: middle });
      start = middle;
    }
  }
  return siblings;
}

function consistencyRanges(from: number, to: number): Range[] {
  if (!isTreeSize(from) || !isTreeSize(to) || from > to) {
    throw new RangeError(`a tree of size ${from} is no beginning of one of size ${to}`);
  }
  if (from === 0) return [];
  const parts: Range[] = [];
  let start = 0;
  let end = to;
  while (from < end) {
    const middle = start + splitPoint(end - start);
    if (from <= middle) {
      parts.unshift({ start: middle, end });
      end = middle;
    } else {
      parts.unshift({ start, end: middle });
      start = middle;
    }
  }
  // What starts at the first leaf is the whole old tree, whose root the verifier has.
  return start === 0 ? parts : [{ start, end }, ...parts];
}

/** A complete subtree: 2^n hashes next to each other in one tile. */
interface Subtree extends TileName {
  readonly offset: number;
  readonly width: number;
}

/** Largest first, as a frontier has them. */
function completeSubtrees({ start, end }: Range): Subtree[] {
  const subtrees: Subtree[] = [];
  for (let at = start; at < end; ) {
    let leaves = 1;
    let leavesPerHash = 1;
    let level = 0;
    while (leaves * 2 <= end - at) {
      leaves *= 2;
      if (leaves === leavesPerHash * tileWidth) {
        leavesPerHash = leaves;
        level += 1;
      }
    }
    const first = at / leavesPerHash;
    const offset = first % tileWidth;
    subtrees.push({ level, tile: (first - offset) / tileWidth, offset, width: leaves / leavesPerHash });
    at += leaves;
  }
  return subtrees;
}

const keyOf = ({ level, tile }: TileName): string => `${level}/${tile}`;

const tilesOf = (ranges: readonly Range[]): TileName[] => [
  ...new Map(
    ranges.flatMap(completeSubtrees).map(({ level, tile }) => [keyOf({ level, tile }), { level, tile }]),
  ).values(),
];

async function hashRanges(ranges: readonly Range[], readTile: ReadTile): Promise<Buffer[]> {
  const read = tilesOf(ranges).map(async (name) => [keyOf(name), await readTile(name.level, name.tile)] as const);
  const tiles = new Map(await Promise.all(read));
  return ranges.map((range) => {
    const hashes = completeSubtrees(range).map((subtree) => hashOf(subtree, tiles.get(keyOf(subtree))));
    return rootOf({ size: range.end - range.start, hashes });
  });
}

function hashOf({ level, tile, offset, width }: Subtree, hashes: Buffer | undefined): Buffer {
  const end = (offset + width) * hashBytes;
  if (hashes === undefined || hashes.length < end) {
    throw new Error(`tile ${tile} of level ${level} is missing or shorter than ${offset + width} hashes`);
  }
  return rootOfHashes(hashes.subarray(offset * hashBytes, end));
}
