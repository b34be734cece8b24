import { emptyRoot, hashBytes, isTreeSize, nodeHash } from "./merkle.ts";

/**
 * What a tree must remember to grow: the roots of its complete subtrees, largest first. There is one per one bit of the
 * size, so it stays small however large the tree is.
 */
export interface Frontier {
  readonly size: number;
  readonly hashes: readonly Buffer[];
}

export const emptyFrontier: Frontier = { size: 0, hashes: [] };

/** The frontier after these leaves. One to two hashes per leaf; it does not matter in how many pieces leaves come. */
export function appendHashes(frontier: Frontier, leafHashes: readonly Buffer[]): Frontier {
  const hashes = [...frontier.hashes];
  let { size } = frontier;
  for (const leaf of leafHashes) {
    let subtree = leaf;
    // Each complete subtree on the right edge that is as large as the new one makes a larger one with it.
    for (let left = size; left % 2 === 1; left = (left - 1) / 2) subtree = nodeHash(hashes.pop() as Buffer, subtree);
    hashes.push(subtree);
    size += 1;
  }
  return { size, hashes };
}

/** The root of the tree (RFC 6962 §2.1). */
export const rootOf = ({ hashes }: Frontier): Buffer =>
  hashes.length === 0 ? emptyRoot : hashes.reduceRight((right, left) => nodeHash(left, right));

/** The hashes one after the other, as they are stored. */
export const frontierBytes = ({ hashes }: Frontier): Buffer => Buffer.concat(hashes);

/** The reverse of frontierBytes. Throws when a tree of this size has not so many complete subtrees. */
export function frontierFromBytes(size: number, bytes: Buffer): Frontier {
  if (!isTreeSize(size) || bytes.length !== oneBits(size) * hashBytes) {
    throw new RangeError(`${bytes.length} bytes are not the frontier of a tree of size ${size}`);
  }
  const hashes = Array.from({ length: bytes.length / hashBytes }, (_, n) =>
    bytes.subarray(n * hashBytes, (n + 1) * hashBytes),
  );
  return { size, hashes };
}

function oneBits(size: number): number {
  let bits = 0;
  for (let rest = size; rest > 0; rest = Math.floor(rest / 2)) bits += rest % 2;
  return bits;
}
