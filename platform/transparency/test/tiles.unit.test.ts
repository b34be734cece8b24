import { describe, expect, test } from "@jest/globals";
import { emptyRoot, leafHash } from "../merkle.ts";
import { consistencyPath, consistencyTiles, inclusionPath, inclusionTiles, rootAt } from "../proofs.ts";
import { partialTiles, type ReadTile, type Tile, type TileName, tilesAfter, widthIn } from "../tiles.ts";
import { createReferenceTree } from "./reference-tree.ts";
import { createRandom, seed } from "./seeded-random.ts";

const random = createRandom();

const key = ({ level, tile }: TileName): string => `${level}/${tile}`;

/** Tiles as a table keeps them: each as wide as it ever was. */
function createTileTable() {
  const tiles = new Map<string, Buffer>();
  const read: ReadTile = async (level, tile) => {
    const hashes = tiles.get(key({ level, tile }));
    if (hashes === undefined) throw new Error(`there is no tile ${tile} of level ${level}`);
    return hashes;
  };
  return {
    tiles,
    read,
    grow: (sizeBefore: number, leafHashes: readonly Buffer[]): Tile[] => {
      const changed = tilesAfter(sizeBefore, leafHashes, (level, tile) => tiles.get(key({ level, tile })));
      for (const tile of changed) tiles.set(key(tile), tile.hashes);
      return changed;
    },
  };
}

/** Tiles of the tree, exactly as wide as the tree of this size has them. */
const readerAt =
  (size: number, read: ReadTile): ReadTile =>
  async (level, tile) =>
    (await read(level, tile)).subarray(0, widthIn(size, { level, tile }) * 32);

const sizes = [1, 2, 3, 255, 256, 257, 511, 512, 513, 65_535, 65_536, 65_537, 66_000];
const largest = Math.max(...sizes);
const leaves = Array.from({ length: largest }, () => leafHash(random.bytes(16)));
const reference = createReferenceTree(leaves);
const table = createTileTable();
table.grow(0, leaves);

/** Comparing buffers by toEqual goes through each byte. */
const inHex = (hashes: readonly Buffer[]): string => hashes.map((hash) => hash.toString("hex")).join(" ");

/** The borders, and some in between. */
const pointsIn = (size: number): number[] => [
  ...new Set([0, 1, 255, 256, 257, size - 2, size - 1, random.int(size), random.int(size)]),
];

describe(`paths from tiles (TREE_SEED=${seed})`, () => {
  test.each(sizes)("are those of the definition in a tree of size %s", async (size) => {
    const read = readerAt(size, table.read);
    expect(await rootAt(size, read)).toEqual(reference.root(0, size));
    for (const index of pointsIn(size).filter((point) => point >= 0 && point < size)) {
      expect([index, await inclusionPath(index, size, read)]).toEqual([index, reference.path(index, size)]);
    }
    for (const from of [...pointsIn(size), size].filter((point) => point >= 0 && point <= size)) {
      expect([from, await consistencyPath(from, size, read)]).toEqual([from, reference.proof(from, size)]);
    }
  });

  test("are those of the definition for every leaf and pair of sizes around the first full tile", async () => {
    for (let size = 250; size <= 262; size += 1) {
      const read = readerAt(size, table.read);
      for (let index = 0; index < size; index += 1) {
        const path = inHex(await inclusionPath(index, size, read));
        const proof = inHex(await consistencyPath(index, size, read));
        const expected = [inHex(reference.path(index, size)), inHex(reference.proof(index, size))];
        expect([index, size, path, proof]).toEqual([index, size, ...expected]);
      }
    }
  });

  test("need few tiles, which can be told beforehand", async () => {
    for (const size of sizes) {
      const asked: TileName[] = [];
      const read: ReadTile = (level, tile) => {
        asked.push({ level, tile });
        return table.read(level, tile);
      };
      const index = random.int(size);
      await inclusionPath(index, size, read);
      expect(asked).toEqual(inclusionTiles(index, size));
      expect(asked.length).toBeLessThanOrEqual(6);
      asked.length = 0;
      await consistencyPath(index, size, read);
      expect(asked).toEqual(consistencyTiles(index, size));
      expect(asked.length).toBeLessThanOrEqual(6);
    }
  });

  test("of a tree without leaves are none, and its root is that of nothing", async () => {
    expect(await rootAt(0, table.read)).toEqual(emptyRoot);
    expect(await consistencyPath(0, 0, table.read)).toEqual([]);
  });

  test.each([
    [1, 1],
    [-1, 1],
    [0, 0],
    [0.5, 2],
  ])("do not exist for index %s of size %s", (index, size) => {
    expect(() => inclusionPath(index, size, table.read)).toThrow(RangeError);
  });

  test.each([
    [2, 1],
    [-1, 1],
    [0, Number.POSITIVE_INFINITY],
  ])("do not exist from size %s to %s", (from, to) => {
    expect(() => consistencyPath(from, to, table.read)).toThrow(RangeError);
  });

  test("are refused when a tile is shorter than the tree", async () => {
    await expect(inclusionPath(0, 257, readerAt(256, table.read))).rejects.toThrow("tile 1 of level 0");
  });
});

describe(`tiles (TREE_SEED=${seed})`, () => {
  test("of a tree of size 70,000 are those that the specification counts", () => {
    const names = partialTiles(70_000);
    expect(names.map((name) => [name.level, name.tile, widthIn(70_000, name)])).toEqual([
      [0, 273, 112],
      [1, 1, 17],
      [2, 0, 1],
    ]);
    expect([0, 272, 273, 274].map((tile) => widthIn(70_000, { level: 0, tile }))).toEqual([256, 256, 112, 0]);
    expect([0, 1, 2].map((tile) => widthIn(70_000, { level: 1, tile }))).toEqual([256, 17, 0]);
    expect(partialTiles(256)).toEqual([{ level: 1, tile: 0 }]);
    expect(partialTiles(0)).toEqual([]);
  });

  test("are the same in however many pieces the leaves came", () => {
    for (let run = 0; run < 5; run += 1) {
      const grown = createTileTable();
      let size = 0;
      const pieces: number[] = [];
      while (size < largest) {
        const piece = Math.min(largest - size, random.int(1, random.int(2) === 0 ? 300 : 30_000));
        grown.grow(size, leaves.slice(size, size + piece));
        size += piece;
        pieces.push(piece);
      }
      expect([pieces, grown.tiles.size]).toEqual([pieces, table.tiles.size]);
      for (const [name, hashes] of table.tiles) {
        if (grown.tiles.get(name)?.equals(hashes) !== true) throw new Error(`tile ${name} after ${pieces}`);
      }
    }
  });

  test("that are changed are told at all levels, the partial ones included", () => {
    const grown = createTileTable();
    const names = (tiles: Tile[]) => tiles.map((tile) => `${key(tile)} ${tile.hashes.length / 32}`);
    expect(names(grown.grow(0, leaves.slice(0, 255)))).toEqual(["0/0 255"]);
    expect(names(grown.grow(255, leaves.slice(255, 258)))).toEqual(["0/0 256", "0/1 2", "1/0 1"]);
    expect(names(grown.grow(258, leaves.slice(258, 258)))).toEqual([]);
    expect(names(grown.grow(258, leaves.slice(258, 259)))).toEqual(["0/1 3"]);
  });

  test("come out the same when what a run stored before it was cut off is there already", () => {
    const grown = createTileTable();
    grown.grow(0, leaves.slice(0, 200));
    const first = grown.grow(200, leaves.slice(200, 600));
    const again = grown.grow(200, leaves.slice(200, 600));
    expect(again).toEqual(first);
  });

  test("cannot be made when the partial ones before are missing or too short", () => {
    expect(() => tilesAfter(3, leaves.slice(3, 4), () => undefined)).toThrow("tile 0 of level 0");
    expect(() => tilesAfter(3, leaves.slice(3, 4), () => Buffer.alloc(64))).toThrow("tile 0 of level 0");
  });
});
