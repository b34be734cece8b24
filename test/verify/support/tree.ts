import { createHash } from "node:crypto";

const sha256 = (...parts: Buffer[]): Buffer => createHash("sha256").update(Buffer.concat(parts)).digest();

export const leafHash = (data: Buffer): Buffer => sha256(Buffer.of(0), data);

/** As RFC 6962 §2.1 defines it, by recursion over lists of leaf hashes: slow and easy to compare with the text. */
export function rootOf(hashes: readonly Buffer[]): Buffer {
  if (hashes.length === 0) return sha256();
  if (hashes.length === 1) return hashes[0] as Buffer;
  const k = splitPoint(hashes.length);
  return sha256(Buffer.of(1), rootOf(hashes.slice(0, k)), rootOf(hashes.slice(k)));
}

/** RFC 6962 §2.1.1. */
export function auditPath(index: number, hashes: readonly Buffer[]): Buffer[] {
  if (hashes.length <= 1) return [];
  const k = splitPoint(hashes.length);
  return index < k
    ? [...auditPath(index, hashes.slice(0, k)), rootOf(hashes.slice(k))]
    : [...auditPath(index - k, hashes.slice(k)), rootOf(hashes.slice(0, k))];
}

function splitPoint(n: number): number {
  let k = 1;
  while (k * 2 < n) k *= 2;
  return k;
}
