import { type PageBox, shownPoint } from "./page-tree.ts";

/** A run of text in the PDF: a word, part of one, or several. */
export interface TextRun {
  readonly text: string;
  /** Its origin, direction and size. */
  readonly transform: readonly [a: number, b: number, c: number, d: number, x: number, y: number];
  readonly width: number;
  readonly height: number;
  /** Whether it uses a fixed-width font. */
  readonly isFixed: boolean;
}

/** A line of text as people see it. Points from the upper left corner of the page as displayed. */
export interface TextLine {
  /** Any run of white space is a single space. */
  readonly text: string;
  readonly baseline: number;
  /** The left and right edge of each UTF-16 code unit. */
  readonly lefts: readonly number[];
  readonly rights: readonly number[];
}

/** Joins adjacent runs into lines, from top to bottom; rotated runs stay separate. */
export function linesOf(runs: readonly TextRun[], box: PageBox): TextLine[] {
  const placed = runs
    .map((run) => placeRun(run, box))
    .filter((run) => !isGap(run))
    .sort((a, b) => a.baseline - b.baseline);
  const turned = placed.filter(({ isTurned }) => isTurned).map((run) => joinRuns([run]));
  const rows = rowsOf(placed.filter(({ isTurned }) => !isTurned));
  return [...rows.flatMap(splitRow).map(joinRuns), ...turned].sort(
    (a, b) => a.baseline - b.baseline || (a.lefts[0] ?? 0) - (b.lefts[0] ?? 0),
  );
}

interface PlacedRun extends Pick<TextRun, "text" | "isFixed"> {
  readonly left: number;
  readonly right: number;
  readonly baseline: number;
  readonly size: number;
  /** Does not run from left to right on the displayed page. */
  readonly isTurned: boolean;
}

function placeRun({ text, transform, width, height, isFixed }: TextRun, box: PageBox): PlacedRun {
  const [a, b, c, d, x, y] = transform;
  const length = Math.hypot(a, b) || 1;
  const begin = shownPoint(box, x, y);
  const end = shownPoint(box, x + (a / length) * width, y + (b / length) * width);
  const isTurned = Math.abs(end.y - begin.y) > Math.abs(end.x - begin.x) * maxSlope || end.x < begin.x;
  return {
    text,
    isFixed,
    left: Math.min(begin.x, end.x),
    right: Math.max(begin.x, end.x),
    baseline: Math.max(begin.y, end.y),
    size: Math.hypot(c, d) || height || 1,
    isTurned,
  };
}

const maxSlope = 0.02;

/** Groups runs with about the same baseline, from top to bottom. */
function rowsOf(runs: readonly PlacedRun[]): PlacedRun[][] {
  const rows: PlacedRun[][] = [];
  for (const run of runs) {
    const row = rows.at(-1);
    const first = row?.[0];
    if (first !== undefined && run.baseline - first.baseline <= Math.min(first.size, run.size) * sameBaseline)
      row?.push(run);
    else rows.push([run]);
  }
  return rows;
}

const sameBaseline = 0.25;

/** Splits a row into lines at wide gaps, as between columns and table cells, and where text overlaps. */
function splitRow(row: readonly PlacedRun[]): PlacedRun[][] {
  const parts: PlacedRun[][] = [];
  for (const run of [...row].sort((a, b) => a.left - b.left)) {
    // Only the most recent parts can end near this run.
    const part = parts.slice(-maxOpenParts).find((candidate) => follows(candidate.at(-1), run));
    if (part === undefined) parts.push([run]);
    else part.push(run);
  }
  return parts;
}

const maxOpenParts = 8;
/** As a multiple of the font size. */
const maxGap = 3;
const maxOverlap = 0.5;

/** pdf.js also reports the space between two columns as a blank. */
const isGap = ({ text, left, right, size }: PlacedRun): boolean => text.trim() === "" && right - left > size * maxGap;

function follows(before: PlacedRun | undefined, run: PlacedRun): boolean {
  if (before === undefined) return false;
  const gap = run.left - before.right;
  return gap <= run.size * maxGap && gap >= -run.size * maxOverlap;
}

function joinRuns(runs: readonly PlacedRun[]): TextLine {
  const characters: string[] = [];
  const lefts: number[] = [];
  const rights: number[] = [];
  const add = (character: string, left: number, right: number) => {
    const isBlank = /^\s$/u.test(character);
    if (isBlank && characters.at(-1) === " ") {
      rights[rights.length - 1] = right;
      return;
    }
    characters.push(isBlank ? " " : character);
    lefts.push(left);
    rights.push(right);
  };
  let before: PlacedRun | undefined;
  for (const run of runs) {
    if (before !== undefined && run.left - before.right > run.size * wordGap) add(" ", before.right, run.left);
    addRun(run, add);
    before = run;
  }
  return { text: characters.join(""), baseline: runs[0]?.baseline ?? 0, lefts, rights };
}

/** As a multiple of the font size; spaces are at least 0.25 wide. */
const wordGap = 0.15;

function addRun(run: PlacedRun, add: (character: string, left: number, right: number) => void): void {
  const widths = characterWidths(run.text, run.isFixed);
  const scale = (run.right - run.left) / (widths.reduce((sum, width) => sum + width, 0) || 1);
  let left = run.left;
  for (const [index, width] of widths.entries()) {
    const right = left + width * scale;
    add(run.text[index] ?? "", left, right);
    left = right;
  }
}

/**
 * Estimated relative widths for each UTF-16 code unit, since pdf.js only reports the width of a whole run.
 * Based on the proportions of common fonts.
 */
const characterWidths = (text: string, isFixed: boolean): number[] =>
  Array.from({ length: text.length }, (_, index) => (isFixed ? 1 : widthOf(text.charCodeAt(index))));

function widthOf(code: number): number {
  if (code < helvetica.length) return helvetica[code] ?? usual;
  // The second half of a surrogate pair has no width of its own.
  if (code >= 0xdc00 && code <= 0xdfff) return 0;
  return code >= firstIdeographic ? 1_000 : usual;
}

const usual = 556;
const firstIdeographic = 0x2e80;

/** Thousandths of the font size, from U+0000 (Adobe Font Metrics of Helvetica). */
const helvetica: readonly number[] = [
  ...Array.from({ length: 32 }, () => 278),
  ...[278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278],
  ...[556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556],
  ...[1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778],
  ...[667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556],
  ...[333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556],
  ...[556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584],
];
