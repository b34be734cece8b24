import { createHash } from "node:crypto";

/** A tree straight from the definitions of RFC 6962 §2.1, with nothing of the implementation, and slow. */
export interface ReferenceTree {
  /** MTH(D[start:end]) of leaf hashes. */
  root(start: number, end: number): Buffer;
  /** PATH(m, D[0:n]). */
  path(index: number, size: number): Buffer[];
  /** PROOF(m, D[0:n]). */
  proof(from: number, to: number): Buffer[];
}

export function createReferenceTree(leafHashes: readonly Buffer[]): ReferenceTree {
  const known = new Map<string, Buffer>();
  const root = (start: number, end: number): Buffer => {
    if (end - start === 0) return createHash("sha256").digest();
    if (end - start === 1) return leafHashes[start] as Buffer;
    const name = `${start} ${end}`;
    const hash = known.get(name) ?? nodeOf(start, end);
    known.set(name, hash);
    return hash;
  };
  const nodeOf = (start: number, end: number): Buffer => {
    const k = largestPowerBelow(end - start);
    return createHash("sha256")
      .update(Buffer.of(1))
      .update(root(start, start + k))
      .update(root(start + k, end))
      .digest();
  };
  const path = (m: number, start: number, end: number): Buffer[] => {
    const n = end - start;
    if (n === 1) return [];
    const k = largestPowerBelow(n);
    return m < k
      ? [...path(m, start, start + k), root(start + k, end)]
      : [...path(m - k, start + k, end), root(start, start + k)];
  };
  const subproof = (m: number, start: number, end: number, whole: boolean): Buffer[] => {
    const n = end - start;
    if (m === n) return whole ? [] : [root(start, end)];
    const k = largestPowerBelow(n);
    return m <= k
      ? [...subproof(m, start, start + k, whole), root(start + k, end)]
      : [...subproof(m - k, start + k, end, false), root(start, start + k)];
  };
  return {
    root,
    path: (index, size) => path(index, 0, size),
    proof: (from, to) => (from === 0 ? [] : subproof(from, 0, to, true)),
  };
}

/** The k of the definitions: the largest power of two that is smaller than n. */
const largestPowerBelow = (n: number): number => 2 ** Math.ceil(Math.log2(n) - 1);
