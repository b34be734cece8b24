import { type Bytes, concat, isSame, sha256 } from "./bytes.ts";

export const hashBytes = 32;

/** SHA-256(0x00 || data) (RFC 6962 §2.1). */
export const leafHash = (data: Bytes): Promise<Bytes> => sha256(concat(Uint8Array.of(0), data));

const nodeHash = (left: Bytes, right: Bytes): Promise<Bytes> => sha256(concat(Uint8Array.of(1), left, right));

/** Whether the tree of this size and root holds the leaf at this index (RFC 9162 §2.1.3.2). */
export async function isIncluded(
  leaf: Bytes,
  { index, size, path, root }: { index: number; size: number; path: readonly Bytes[]; root: Bytes },
): Promise<boolean> {
  if (index >= size) return false;
  // As bigints, because shifts of numbers stop at 32 bits.
  let node = BigInt(index);
  let last = BigInt(size) - 1n;
  let hash = leaf;
  for (const sibling of path) {
    if (last === 0n) return false;
    if ((node & 1n) === 1n || node === last) {
      hash = await nodeHash(sibling, hash);
      while ((node & 1n) === 0n && node !== 0n) {
        node >>= 1n;
        last >>= 1n;
      }
    } else {
      hash = await nodeHash(hash, sibling);
    }
    node >>= 1n;
    last >>= 1n;
  }
  return last === 0n && isSame(hash, root);
}
