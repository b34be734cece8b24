import { expect, test } from "@jest/globals";
import { qrRows } from "../../web/dashboard/src/pages/account/qr-code.ts";

/** What readers need around a symbol. */
const frame = 4;

test("a text takes the smallest symbol that it fits in, and none when it fits in no symbol", () => {
  const versionOf = (length: number) => ((qrRows("a".repeat(length))?.length ?? 0) - 2 * frame - 17) / 4;
  expect([17, 18, 230, 231, 2_953].map(versionOf)).toEqual([1, 2, 9, 10, 40]);
  expect(qrRows("a".repeat(2_954))).toBeUndefined();
});

test("a symbol is the one that readers were seen to read", () => {
  const symbol = qrRows("https://a.example")?.slice(frame, -frame);
  const drawn = symbol?.map((row) => Array.from(row.slice(frame, -frame), (isDark) => (isDark ? "#" : ".")).join(""));
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
