import { setImmediate as nextTurn } from "node:timers/promises";
import { appendHashes, type Frontier } from "#platform/transparency/compact-range.ts";
import { hashBytes } from "#platform/transparency/merkle.ts";
import { type Tile, tilesAfter } from "#platform/transparency/tiles.ts";

export interface GrownTree {
  readonly frontier: Frontier;
  /** Every tile that is new or longer than before, as it is now. */
  readonly tiles: readonly Tile[];
}

/** Takes about 2 ms of hashing; calls are answered between slices. */
const sliceLeaves = 1_024;

/** Adds leaf hashes, one after the other in `leafHashes`, to a tree of which the tiles that are not full are given. */
export async function growTree(before: Frontier, partial: readonly Tile[], leafHashes: Buffer): Promise<GrownTree> {
  const known = new Map(partial.map((tile) => [nameOf(tile.level, tile.tile), tile]));
  const changed = new Map<string, Tile>();
  let frontier = before;
  for (let start = 0; start < leafHashes.length; start += sliceLeaves * hashBytes) {
    if (start > 0) await nextTurn();
    const slice = splitHashes(leafHashes.subarray(start, start + sliceLeaves * hashBytes));
    for (const tile of tilesAfter(frontier.size, slice, (level, n) => known.get(nameOf(level, n))?.hashes)) {
      known.set(nameOf(tile.level, tile.tile), tile);
      changed.set(nameOf(tile.level, tile.tile), tile);
    }
    frontier = appendHashes(frontier, slice);
  }
  return { frontier, tiles: [...changed.values()] };
}

const nameOf = (level: number, tile: number): string => `${level}/${tile}`;

const splitHashes = (bytes: Buffer): Buffer[] =>
  Array.from({ length: bytes.length / hashBytes }, (_, n) => bytes.subarray(n * hashBytes, (n + 1) * hashBytes));
