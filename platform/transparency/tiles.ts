import { hashBytes, rootOfHashes } from "./merkle.ts";

/** Names a tile of C2SP tlog-tiles: up to 256 neighbouring hashes of the tree at height 8 * level. */
export interface TileName {
  readonly level: number;
  /** Which one of its level, from the left. */
  readonly tile: number;
}

export interface Tile extends TileName {
  /** One after the other, 32 bytes each. A tile that is not full is called partial. */
  readonly hashes: Buffer;
}

/** Reads a tile with at least as many hashes as its tree needs. */
export type ReadTile = (level: number, tile: number) => Promise<Buffer>;

/** Hashes in a full tile. */
export const tileWidth = 256;
/** Bytes of a full tile. */
export const fullTileBytes = tileWidth * hashBytes;
/** Levels that trees have whose sizes JavaScript counts exactly. */
export const tileLevels = 7;

/** The partial tiles of a tree, at most one a level. */
export const partialTiles = (size: number): TileName[] =>
  Array.from({ length: tileLevels }, (_, level) => level).flatMap((level) => {
    const hashes = hashesAt(level, size);
    return hashes % tileWidth === 0 ? [] : [{ level, tile: Math.floor(hashes / tileWidth) }];
  });

/** How many hashes a tile has in a tree of this size: 0 when there is no such tile yet. */
export const widthIn = (size: number, { level, tile }: TileName): number =>
  Math.max(0, Math.min(tileWidth, hashesAt(level, size) - tile * tileWidth));

/**
 * The tiles that are new or longer once these leaves are added to a tree of that size, at all levels. `existing` gives the
 * partial tiles of the tree before; they may be wider already, as after a run that was cut off.
 */
export function tilesAfter(
  sizeBefore: number,
  newLeafHashes: readonly Buffer[],
  existing: (level: number, tile: number) => Buffer | undefined,
): Tile[] {
  const changed: Tile[] = [];
  let hashes = newLeafHashes;
  for (let level = 0; hashes.length > 0; level += 1) {
    const tiles = extend(level, hashesAt(level, sizeBefore), hashes, existing);
    changed.push(...tiles);
    hashes = tiles.filter((tile) => tile.hashes.length === fullTileBytes).map((tile) => rootOfHashes(tile.hashes));
  }
  return changed;
}

/** A level has the roots of the complete subtrees of 256^level leaves. */
const hashesAt = (level: number, size: number): number => Math.floor(size / tileWidth ** level);

function extend(
  level: number,
  before: number,
  added: readonly Buffer[],
  existing: (level: number, tile: number) => Buffer | undefined,
): Tile[] {
  const first = Math.floor(before / tileWidth);
  const kept = before % tileWidth;
  const start = kept === 0 ? undefined : existing(level, first)?.subarray(0, kept * hashBytes);
  if (kept > 0 && start?.length !== kept * hashBytes) {
    throw new Error(`tile ${first} of level ${level} is missing or shorter than ${kept} hashes`);
  }
  const all = Buffer.concat([...(start === undefined ? [] : [start]), ...added]);
  return Array.from({ length: Math.ceil(all.length / fullTileBytes) }, (_, n) => ({
    level,
    tile: first + n,
    hashes: all.subarray(n * fullTileBytes, (n + 1) * fullTileBytes),
  }));
}
