import type { Drawing } from "./matrix.ts";

type Mask = (x: number, y: number) => boolean;

const masks: readonly Mask[] = [
  (x, y) => (x + y) % 2 === 0,
  (_x, y) => y % 2 === 0,
  (x) => x % 3 === 0,
  (x, y) => (x + y) % 3 === 0,
  (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2 === 0,
  (x, y) => ((x * y) % 2) + ((x * y) % 3) === 0,
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2 === 0,
  (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2 === 0,
];

/** The drawing under the mask that readers find easiest. */
export function leastPenalty(drawing: Drawing, drawFormat: (drawing: Drawing, mask: number) => void): Drawing {
  const candidates = masks.map((mask, index) => {
    const masked = applied(drawing, mask);
    drawFormat(masked, index);
    return { masked, penalty: penaltyOf(masked) };
  });
  return candidates.reduce((best, candidate) => (candidate.penalty < best.penalty ? candidate : best)).masked;
}

const applied = ({ size, dark, isFixed }: Drawing, mask: Mask): Drawing => ({
  size,
  isFixed,
  dark: dark.map((row, y) => row.map((isDark, x) => (isFixed[y]?.[x] ? isDark : isDark !== mask(x, y)))),
});

function penaltyOf({ size, dark }: Drawing): number {
  const columns = dark.map((_row, x) => dark.map((row) => row[x] ?? false));
  const lines = [...dark, ...columns].map((line) => penaltyOfLine(line)).reduce((sum, value) => sum + value, 0);
  const share = dark.flat().filter(Boolean).length / (size * size);
  return lines + penaltyOfSquares(dark) + Math.floor(Math.abs(share - 0.5) * 20) * 10;
}

/** What looks like a finder. */
const finderLikes = ["10111010000", "00001011101"];

function penaltyOfLine(line: readonly boolean[]): number {
  const text = line.map((isDark) => (isDark ? "1" : "0")).join("");
  let penalty = 0;
  for (const pattern of finderLikes) {
    for (let at = text.indexOf(pattern); at !== -1; at = text.indexOf(pattern, at + 1)) penalty += 40;
  }
  let run = 0;
  for (const [at, isDark] of line.entries()) {
    run = isDark === line[at - 1] ? run + 1 : 1;
    if (run === 5) penalty += 3;
    if (run > 5) penalty += 1;
  }
  return penalty;
}

/** Two by two modules of one colour. */
function penaltyOfSquares(dark: readonly (readonly boolean[])[]): number {
  let count = 0;
  for (const [y, row] of dark.entries()) {
    const above = dark[y - 1];
    if (above === undefined) continue;
    for (let x = 1; x < row.length; x++) {
      if (row[x] === row[x - 1] && row[x] === above[x] && row[x] === above[x - 1]) count++;
    }
  }
  return count * 3;
}
