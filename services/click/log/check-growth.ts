import { type Frontier, frontierFromBytes, hashBytes, rootOf } from "#platform/transparency/merkle.ts";
import { partialTiles, widthIn } from "#platform/transparency/tiles.ts";
import type { Growth, LockedTree } from "./integrate-store.ts";

/** What is stored of a log contradicts itself: somebody changed it. Nothing of it may be signed. */
export class LogMismatchError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "LogMismatchError";
  }
}

/** The frontier of the tree, when tree, checkpoint, tiles and leaves fit together. Throws a LogMismatchError otherwise. */
export function checkGrowth(tree: LockedTree, growth: Growth, maxLeaves: number): Frontier {
  const frontier = readFrontier(tree);
  if (!rootOf(frontier).equals(tree.root))
    throw new LogMismatchError("the frontier does not give the root of the tree");
  checkPublished(tree, growth);
  checkLeaves(tree.size, growth, maxLeaves);
  checkTiles(tree.size, growth);
  return frontier;
}

/** Others have read the newest checkpoint: what is signed next must continue the very tree that it speaks of. */
function checkPublished({ size, root }: LockedTree, { publishedSize, publishedRoot }: Growth): void {
  if (publishedSize !== size) {
    throw new LogMismatchError(`the newest checkpoint is of size ${publishedSize}, the tree of size ${size}`);
  }
  if (size > 0 && publishedRoot?.equals(root) !== true) {
    throw new LogMismatchError("the newest checkpoint has another root than the tree");
  }
}

function checkTiles(treeSize: number, { tiles }: Growth): void {
  for (const { level, tile } of partialTiles(treeSize)) {
    const hashes = tiles.find((stored) => stored.level === level)?.hashes;
    if (hashes?.length !== widthIn(treeSize, { level, tile }) * hashBytes) {
      throw new LogMismatchError(`tile ${tile} of level ${level} is missing or does not end where the tree does`);
    }
  }
}

function readFrontier({ size, frontier }: LockedTree): Frontier {
  try {
    return frontierFromBytes(size, frontier);
  } catch (cause) {
    throw new LogMismatchError(`the frontier does not fit the size of the tree: ${(cause as Error).message}`);
  }
}

function checkLeaves(treeSize: number, growth: Growth, maxLeaves: number): void {
  const { leaves, found, firstIndex, lastIndex, leafHashes } = growth;
  if (leaves < treeSize) throw new LogMismatchError(`the log has ${leaves} leaves, its tree ${treeSize}`);
  const expected = Math.min(leaves - treeSize, maxLeaves);
  const isGapless = found === 0 || (firstIndex === treeSize && lastIndex === treeSize + found - 1);
  if (found !== expected || !isGapless || leafHashes.length !== found * hashBytes) {
    throw new LogMismatchError(
      `${expected} leaves should follow leaf ${treeSize - 1}, but ${found} were found, from ${firstIndex} to ${lastIndex}`,
    );
  }
}
