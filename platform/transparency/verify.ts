import { emptyRoot, hashBytes, isTreeSize, nodeHash } from "./merkle.ts";

/**
 * True when the path proves that the leaf is in the tree of this size and root (RFC 9162 §2.1.3.2). Size and root must
 * come from one signed checkpoint: a path alone does not tell apart all sizes.
 */
export function verifyInclusion(
  index: number,
  size: number,
  leafHash: Buffer,
  path: readonly Buffer[],
  root: Buffer,
): boolean {
  if (!isTreeSize(index) || !isTreeSize(size) || index >= size) return false;
  if (![leafHash, root, ...path].every(isHash)) return false;
  const sides = siblingSides(index, size - 1);
  if (path.length !== sides.length) return false;
  return path
    .reduce((hash, sibling, n) => (sides[n] === "left" ? nodeHash(sibling, hash) : nodeHash(hash, sibling)), leafHash)
    .equals(root);
}

/**
 * True when the path proves that the first tree is a beginning of the second (RFC 9162 §2.1.4.2). Each size and its root
 * must come from one signed checkpoint. Every tree begins with the empty one, which needs no path.
 */
export function verifyConsistency(
  from: number,
  to: number,
  path: readonly Buffer[],
  fromRoot: Buffer,
  toRoot: Buffer,
): boolean {
  if (!isTreeSize(from) || !isTreeSize(to) || from > to) return false;
  if (![fromRoot, toRoot, ...path].every(isHash)) return false;
  if (from === 0) return path.length === 0 && fromRoot.equals(emptyRoot) && (to > 0 || toRoot.equals(emptyRoot));
  if (from === to) return path.length === 0 && fromRoot.equals(toRoot);
  // The last complete subtree of the first tree, from which both roots are built.
  let node = from - 1;
  let last = to - 1;
  while (node % 2 === 1) {
    node = half(node);
    last = half(last);
  }
  const [start, ...siblings] = node === 0 ? [fromRoot, ...path] : path;
  const sides = siblingSides(node, last);
  if (start === undefined || siblings.length !== sides.length) return false;
  let fromHash = start;
  let toHash = start;
  for (const [n, sibling] of siblings.entries()) {
    if (sides[n] === "left") fromHash = nodeHash(sibling, fromHash);
    toHash = sides[n] === "left" ? nodeHash(sibling, toHash) : nodeHash(toHash, sibling);
  }
  return fromHash.equals(fromRoot) && toHash.equals(toRoot);
}

const isHash = ({ length }: Buffer): boolean => length === hashBytes;

const half = (n: number): number => Math.floor(n / 2);

/** Where the siblings are on the way up from a node to the root; `last` is the last node at the same height. */
function siblingSides(node: number, last: number): ("left" | "right")[] {
  const sides: ("left" | "right")[] = [];
  let [here, end] = [node, last];
  while (end > 0) {
    const isLeft = here % 2 === 1 || here === end;
    sides.push(isLeft ? "left" : "right");
    // A last node without a sibling at its own height goes up until it has one.
    while (isLeft && here % 2 === 0 && here !== 0) {
      here = half(here);
      end = half(end);
    }
    here = half(here);
    end = half(end);
  }
  return sides;
}
