import { readFileSync } from "node:fs";
import { describe, expect, test } from "@jest/globals";
import {
  appendHashes,
  emptyFrontier,
  emptyRoot,
  frontierBytes,
  frontierFromBytes,
  leafHash,
  rootOf,
} from "../merkle.ts";
import { verifyConsistency, verifyInclusion } from "../verify.ts";
import { createReferenceTree } from "./reference-tree.ts";
import { createRandom, seed } from "./seeded-random.ts";

const random = createRandom();

const vectors = JSON.parse(readFileSync(new URL("./vectors/rfc6962.json", import.meta.url), "utf8")) as {
  inputs: string[];
  roots: string[];
  emptyRoot: string;
};
const vectorLeaves = vectors.inputs.map((input) => leafHash(Buffer.from(input, "hex")));

const largest = 300;
/** 45,000 pairs, each with a dozen proofs: seconds, but many of them on a busy machine. */
const manyPairsMs = 120_000;
const leaves = Array.from({ length: largest }, () => leafHash(random.bytes(16)));
const tree = createReferenceTree(leaves);
const roots = Array.from({ length: largest + 1 }, (_, size) => tree.root(0, size));
const rootAt = (size: number): Buffer => roots[size] as Buffer;

/** The same with one random bit turned. */
function flipped(bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes);
  const at = random.int(copy.length);
  copy.writeUInt8(copy.readUInt8(at) ^ (1 << random.int(8)), at);
  return copy;
}

/** Paths that are not this one, each in another way. */
function damagedPaths(path: readonly Buffer[]): Buffer[][] {
  const longer = [
    [...path, random.bytes(32)],
    [random.bytes(32), ...path],
  ];
  if (path.length === 0) return longer;
  const at = random.int(path.length);
  const oneFlipped = path.map((hash, n) => (n === at ? flipped(hash) : hash));
  const shorter = [path.slice(1), path.slice(0, -1)];
  const cut = path.map((hash, n) => (n === at ? hash.subarray(1) : hash));
  if (path.length === 1) return [...longer, ...shorter, oneFlipped, cut];
  const [first, second, ...rest] = path as [Buffer, Buffer, ...Buffer[]];
  return [...longer, ...shorter, oneFlipped, cut, [second, first, ...rest]];
}

describe(`roots (TREE_SEED=${seed})`, () => {
  test("are those of the published vectors", () => {
    expect(emptyRoot.toString("hex")).toBe(vectors.emptyRoot);
    for (const [n, root] of vectors.roots.entries()) {
      expect(rootOf(appendHashes(emptyFrontier, vectorLeaves.slice(0, n + 1))).toString("hex")).toBe(root);
    }
  });

  test("of the reference that the other tests rely on are those of the published vectors too", () => {
    const reference = createReferenceTree(vectorLeaves);
    expect(vectors.roots).toEqual(vectors.roots.map((_, n) => reference.root(0, n + 1).toString("hex")));
  });

  test("are the same in however many pieces the leaves came", () => {
    for (let size = 0; size <= largest; size += 1) {
      const whole = appendHashes(emptyFrontier, leaves.slice(0, size));
      expect([size, rootOf(whole)]).toEqual([size, rootAt(size)]);
      const split = random.int(size + 1);
      const parts = appendHashes(appendHashes(emptyFrontier, leaves.slice(0, split)), leaves.slice(split, size));
      expect([size, split, parts]).toEqual([size, split, whole]);
    }
    for (let split = 0; split <= largest; split += 1) {
      const first = appendHashes(emptyFrontier, leaves.slice(0, split));
      const restored = frontierFromBytes(split, frontierBytes(first));
      expect([split, rootOf(appendHashes(restored, leaves.slice(split)))]).toEqual([split, rootAt(largest)]);
    }
  });
});

describe("a stored frontier", () => {
  test("has one hash per one bit of the size", () => {
    const stored = frontierBytes(appendHashes(emptyFrontier, leaves.slice(0, 7)));
    expect(stored.length).toBe(96);
    expect(frontierFromBytes(7, stored).hashes).toHaveLength(3);
    expect(frontierFromBytes(0, Buffer.alloc(0))).toEqual(emptyFrontier);
  });

  test.each([
    [8, 96],
    [7, 95],
    [0, 32],
    [-1, 0],
    [1.5, 32],
  ])("of size %s cannot have %s bytes", (size, length) => {
    expect(() => frontierFromBytes(size, Buffer.alloc(length))).toThrow(RangeError);
  });
});

describe(`inclusion (TREE_SEED=${seed})`, () => {
  test(
    "is proven for every leaf of every tree up to 300 leaves, and for nothing else",
    () => {
      for (let size = 1; size <= largest; size += 1) {
        for (let index = 0; index < size; index += 1) {
          const path = tree.path(index, size);
          const leaf = leaves[index] as Buffer;
          const root = rootAt(size);
          const accepted = [
            verifyInclusion(index, size, leaf, path, root),
            verifyInclusion(index + 1, size, leaf, path, root),
            verifyInclusion(index - 1, size, leaf, path, root),
            verifyInclusion(index, size, leaves[(index + 1) % largest] as Buffer, path, root),
            verifyInclusion(index, size, flipped(leaf), path, root),
            verifyInclusion(index, size, leaf, path, flipped(root)),
            verifyInclusion(index, size - 1, leaf, path, rootAt(size - 1)),
            size < largest && verifyInclusion(index, size + 1, leaf, path, rootAt(size + 1)),
            ...damagedPaths(path).map((damaged) => verifyInclusion(index, size, leaf, damaged, root)),
          ];
          if (accepted.lastIndexOf(true) !== 0) throw new Error(`index ${index} of ${size}: ${accepted}`);
        }
      }
    },
    manyPairsMs,
  );

  test.each([
    [-1, 1],
    [0, 0],
    [1, 1],
    [0.5, 1],
    [0, Number.NaN],
    [0, 2 ** 53],
  ])("has no index %s of a tree of size %s", (index, size) => {
    expect(verifyInclusion(index, size, leaves[0] as Buffer, [], leaves[0] as Buffer)).toBe(false);
  });
});

describe(`consistency (TREE_SEED=${seed})`, () => {
  test(
    "is proven for every pair of sizes up to 300, and for nothing else",
    () => {
      for (let to = 1; to <= largest; to += 1) {
        for (let from = 1; from <= to; from += 1) {
          const path = tree.proof(from, to);
          const accepted = [
            verifyConsistency(from, to, path, rootAt(from), rootAt(to)),
            verifyConsistency(from, to, path, flipped(rootAt(from)), rootAt(to)),
            verifyConsistency(from, to, path, rootAt(from), flipped(rootAt(to))),
            from !== to && verifyConsistency(from, to, path, rootAt(to), rootAt(from)),
            from !== to && verifyConsistency(to, from, path, rootAt(to), rootAt(from)),
            verifyConsistency(from - 1, to, path, rootAt(from - 1), rootAt(to)) && path.length > 0,
            from < to && verifyConsistency(from + 1, to, path, rootAt(from + 1), rootAt(to)),
            from < to && verifyConsistency(from, to - 1, path, rootAt(from), rootAt(to - 1)),
            to < largest && verifyConsistency(from, to + 1, path, rootAt(from), rootAt(to + 1)),
            ...damagedPaths(path).map((damaged) => verifyConsistency(from, to, damaged, rootAt(from), rootAt(to))),
          ];
          if (accepted.lastIndexOf(true) !== 0) throw new Error(`from ${from} to ${to}: ${accepted}`);
        }
      }
    },
    manyPairsMs,
  );

  test("needs no path from the empty tree, and accepts none", () => {
    expect(verifyConsistency(0, 5, [], emptyRoot, rootAt(5))).toBe(true);
    expect(verifyConsistency(0, 0, [], emptyRoot, emptyRoot)).toBe(true);
    expect(verifyConsistency(0, 0, [], emptyRoot, rootAt(5))).toBe(false);
    expect(verifyConsistency(0, 5, [], rootAt(1), rootAt(5))).toBe(false);
    expect(verifyConsistency(0, 5, [rootAt(1)], emptyRoot, rootAt(5))).toBe(false);
  });

  test("of a tree with itself needs the same root", () => {
    expect(verifyConsistency(5, 5, [], rootAt(5), rootAt(5))).toBe(true);
    expect(verifyConsistency(5, 5, [], rootAt(5), rootAt(6))).toBe(false);
  });
});
