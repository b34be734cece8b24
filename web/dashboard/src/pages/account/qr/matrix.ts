import { codewordsOf } from "./codewords.ts";

/** A symbol while it is drawn; modules of patterns are fixed and carry no data. */
interface Drawing {
  readonly size: number;
  readonly dark: boolean[][];
  readonly isFixed: boolean[][];
}

/** The dark modules of a QR code (ISO/IEC 18004, level L), row by row. Undefined for a text that is too long for one. */
export function qrMatrix(text: string): readonly (readonly boolean[])[] | undefined {
  const message = codewordsOf(text);
  if (message === undefined) return undefined;
  const drawing = emptyDrawing(17 + 4 * message.version);
  drawPatterns(drawing, message.version);
  drawCodewords(drawing, message.codewords);
  return leastPenalty(drawing, drawFormat).dark;
}

const emptyDrawing = (size: number): Drawing => ({
  size,
  dark: Array.from({ length: size }, () => new Array<boolean>(size).fill(false)),
  isFixed: Array.from({ length: size }, () => new Array<boolean>(size).fill(false)),
});

function fix({ size, dark, isFixed }: Drawing, x: number, y: number, isDark: boolean): void {
  const [row, fixedRow] = [dark[y], isFixed[y]];
  if (row === undefined || fixedRow === undefined || x < 0 || x >= size) return;
  row[x] = isDark;
  fixedRow[x] = true;
}

function drawPatterns(drawing: Drawing, version: number): void {
  const { size } = drawing;
  for (let at = 0; at < size; at++) {
    fix(drawing, 6, at, at % 2 === 0);
    fix(drawing, at, 6, at % 2 === 0);
  }
  drawRings(drawing, 3, 3, 4);
  drawRings(drawing, size - 4, 3, 4);
  drawRings(drawing, 3, size - 4, 4);
  const centres = alignmentCentres(version, size);
  const last = centres.length - 1;
  for (const [row, y] of centres.entries()) {
    for (const [column, x] of centres.entries()) {
      const isFinder = (row === 0 && (column === 0 || column === last)) || (row === last && column === 0);
      if (!isFinder) drawRings(drawing, x, y, 2);
    }
  }
  drawFormat(drawing, 0);
  if (version >= 7) drawVersion(drawing, version);
}

/** Squares around a centre, dark and light in turn: a finder with its border, or an alignment pattern. */
function drawRings(drawing: Drawing, centreX: number, centreY: number, radius: number): void {
  for (let y = -radius; y <= radius; y++) {
    for (let x = -radius; x <= radius; x++) {
      const ring = Math.max(Math.abs(x), Math.abs(y));
      const isDark = radius === 4 ? ring !== 2 && ring !== 4 : ring !== 1;
      fix(drawing, centreX + x, centreY + y, isDark);
    }
  }
}

function alignmentCentres(version: number, size: number): number[] {
  if (version === 1) return [];
  const count = Math.floor(version / 7) + 2;
  const step = Math.floor((version * 8 + count * 3 + 5) / (count * 4 - 4)) * 2;
  const fromTheEnd = Array.from({ length: count - 1 }, (_, index) => size - 7 - index * step);
  return [6, ...fromTheEnd.reverse()];
}

/** The level and the mask, twice, with their own error correction. */
function drawFormat(drawing: Drawing, mask: number): void {
  const { size } = drawing;
  const levelL = 0b01;
  const data = (levelL << 3) | mask;
  const bits = ((data << 10) | checkBits(data, 10, 0x537)) ^ 0x5412;
  const bit = (index: number): boolean => ((bits >>> index) & 1) === 1;
  for (let index = 0; index <= 5; index++) fix(drawing, 8, index, bit(index));
  fix(drawing, 8, 7, bit(6));
  fix(drawing, 8, 8, bit(7));
  fix(drawing, 7, 8, bit(8));
  for (let index = 9; index < 15; index++) fix(drawing, 14 - index, 8, bit(index));
  for (let index = 0; index < 8; index++) fix(drawing, size - 1 - index, 8, bit(index));
  for (let index = 8; index < 15; index++) fix(drawing, 8, size - 15 + index, bit(index));
  fix(drawing, 8, size - 8, true);
}

function drawVersion(drawing: Drawing, version: number): void {
  const bits = (version << 12) | checkBits(version, 12, 0x1f25);
  for (let index = 0; index < 18; index++) {
    const isDark = ((bits >>> index) & 1) === 1;
    const along = drawing.size - 11 + (index % 3);
    const across = Math.floor(index / 3);
    fix(drawing, along, across, isDark);
    fix(drawing, across, along, isDark);
  }
}

/** The remainder of a BCH code. */
function checkBits(data: number, count: number, generator: number): number {
  let remainder = data;
  for (let step = 0; step < count; step++) remainder = (remainder << 1) ^ ((remainder >>> (count - 1)) * generator);
  return remainder;
}

/** In columns of two from the right, upwards and downwards in turn. */
function drawCodewords({ size, dark, isFixed }: Drawing, codewords: Uint8Array): void {
  let at = 0;
  for (const [turn, right] of columnPairs(size).entries()) {
    for (let step = 0; step < size; step++) {
      const y = turn % 2 === 0 ? size - 1 - step : step;
      for (const x of [right, right - 1]) {
        const row = dark[y];
        if (row === undefined || isFixed[y]?.[x] || at >= codewords.length * 8) continue;
        row[x] = (((codewords[at >> 3] ?? 0) >>> (7 - (at & 7))) & 1) === 1;
        at++;
      }
    }
  }
}

/** The right one of each pair; the column of the timing pattern is left out. */
function columnPairs(size: number): number[] {
  const pairs: number[] = [];
  for (let right = size - 1; right >= 1; right -= 2) {
    if (right === 6) right = 5;
    pairs.push(right);
  }
  return pairs;
}

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
function leastPenalty(drawing: Drawing, drawFormat: (drawing: Drawing, mask: number) => void): Drawing {
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
