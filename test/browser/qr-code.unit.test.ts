import { expect, test } from "@jest/globals";
import { codewordsOf, remainderOf } from "../../web/dashboard/src/pages/account/qr/codewords.ts";
import { qrMatrix } from "../../web/dashboard/src/pages/account/qr/matrix.ts";

const bytes = (hex: string): number[] => [...Buffer.from(hex.replaceAll(" ", ""), "hex")];

test("a block has the error correction codewords of the standard's example", () => {
  const data = Uint8Array.from(bytes("10 20 0c 56 61 80 ec 11 ec 11 ec 11 ec 11 ec 11"));
  expect([...remainderOf(data, 10)]).toEqual(bytes("a5 24 d4 c1 ed 36 c7 87 2c 55"));
});

test("a text takes the smallest symbol that it fits in, and none when it fits in no symbol", () => {
  const versionOf = (length: number): number | undefined => codewordsOf("a".repeat(length))?.version;
  expect([17, 18, 230, 231, 2_953].map(versionOf)).toEqual([1, 2, 9, 10, 40]);
  expect(codewordsOf("a".repeat(2_954))).toBeUndefined();
  expect(qrMatrix("a".repeat(2_954))).toBeUndefined();
});

test("a symbol is the one that readers were seen to read", () => {
  const drawn = qrMatrix("https://a.example")?.map((row) => row.map((isDark) => (isDark ? "#" : ".")).join(""));
  expect(drawn).toEqual([
    "#######..#....#######",
    "#.....#..#....#.....#",
    "#.###.#.###.#.#.###.#",
    "#.###.#..###..#.###.#",
    "#.###.#..###..#.###.#",
    "#.....#.......#.....#",
    "#######.#.#.#.#######",
    "........##...........",
    "###.#####.##.##...#..",
    "##.##....####.###...#",
    ".####.##...###..#.###",
    "..#..#....#.....#..#.",
    "#...######..#..#.#...",
    "........##.###.##..##",
    "#######.#..####.#.###",
    "#.....#.#.##.#.##....",
    "#.###.#.#.#......#..#",
    "#.###.#..#..#.#.##...",
    "#.###.#.#..##...#.#.#",
    "#.....#.###.....#..#.",
    "#######.#..##...##.##",
  ]);
});
