import type { Block, Column, LongWord, Run, Table } from "./blocks.ts";
/** A wide letter of the text, in millimetres; words of such letters only are rare. */
export const wideLetter = 2.9;
/** Small texts and digits are narrower; this has to be enough for capitals. */
export const wideCellLetter = 2.3;
export const cellInset = 4.2;
const headingScale = [1.7, 1.35, 1.15, 1, 1, 1] as const;
const minRoom = 2;

/**
 * Marks words that may be wider than the room that they have. document.typ measures these and divides what does not fit
 * anywhere: text that runs off the page, or over what stands beside it, would be lost without anybody noticing.
 */
export const markLongWords = (blocks: readonly Block[], width: number, letter: number = wideLetter): Block[] =>
  blocks.map((block) => markBlock(block, width, letter));

function markBlock(block: Block, width: number, letter: number): Block {
  const inside = (blocks: readonly Block[], less: number) => markLongWords(blocks, width - less, letter);
  switch (block.kind) {
    case "paragraph":
      return withRuns(block, width / letter);
    case "heading":
      return withRuns(block, width / letter / (headingScale[block.level - 1] ?? 1));
    case "preformatted":
      return withRuns(block, (width - 6) / letter);
    case "list":
      return { ...block, list: { ...block.list, items: block.list.items.map((item) => inside(item, 9)) } };
    case "table":
      return { ...block, table: markTable(block.table, width) };
    case "quote":
      return { ...block, blocks: inside(block.blocks, 6) };
    case "group":
    case "signature":
      return { ...block, blocks: inside(block.blocks, 0) };
    case "frame":
      return { ...block, blocks: inside(block.blocks, 7) };
    case "columns": {
      const room = width / block.columns.length - 9;
      return { ...block, columns: block.columns.map((column) => markLongWords(column, room, letter)) };
    }
    default:
      return block;
  }
}

function withRuns<Kind extends Block & { readonly runs: readonly Run[] }>(block: Kind, room: number): Kind {
  const runs = markRuns(block.runs, Math.max(minRoom, Math.floor(room)));
  return runs === block.runs ? block : { ...block, runs, hasLongWords: true };
}

function markTable(table: Table, outer: number): Table {
  const whole = table.width === undefined ? outer : stated(table.width, outer);
  const widths = columnWidths(table.columns, whole);
  const open: number[] = new Array(widths.length).fill(0);
  const markRows = (rows: Table["rows"]): Table["rows"] =>
    rows.map((row) => {
      let column = 0;
      const marked = row.map((cell) => {
        while ((open[column] ?? 0) > 0) column += 1;
        const room = widths.slice(column, column + cell.colspan).reduce((sum, width) => sum + width, 0);
        open.fill(cell.rowspan, column, column + cell.colspan);
        column += cell.colspan;
        return { ...cell, blocks: markLongWords(cell.blocks, room - cellInset, wideCellLetter) };
      });
      open.forEach((rows, index) => {
        open[index] = Math.max(0, rows - 1);
      });
      return marked;
    });
  return { ...table, header: markRows(table.header), rows: markRows(table.rows) };
}

/** In millimetres. */
export function columnWidths(columns: readonly Column[], whole: number): number[] {
  const fixed = columns.map((column) => {
    if ("weight" in column) return 0;
    return "fit" in column ? Math.min(fitting, whole / columns.length) : stated(column, whole);
  });
  const rest = Math.max(0, whole - fixed.reduce((sum, width) => sum + width, 0));
  const weights = columns.reduce((sum, column) => sum + ("weight" in column ? column.weight : 0), 0);
  return columns.map((column, index) => ("weight" in column ? (rest * column.weight) / weights : (fixed[index] ?? 0)));
}

/** A column that is as wide as what it has is never wider than this. */
const fitting = 45;

const stated = (width: { readonly mm: number } | { readonly percent: number }, whole: number): number =>
  Math.min(whole, "mm" in width ? width.mm : (width.percent * whole) / 100);

/** Behind these a line may end. */
const opportunity =
  /(?<=[ \n\u00ad\u1680\u2000-\u2006\u2008-\u200b\u2028\u2029\u205f\u3000]|[-/\u2010\u2013\u2014](?=\p{L}))/u;
const lastBlank = /[\s\u00ad\u200b]$/u;
const letters = /^[\p{L}\p{M}'’]+[\p{P}\s\u00ad\u200b]*$/u;

type TextRun = Run & { readonly kind: "text" };

interface Piece {
  readonly run: TextRun;
  readonly text: string;
  long?: LongWord;
}

const asciiText = /^[\x20-\x7e]*$/;
const digits = /[\d.:,-]/g;
/** To measure a word costs more than to set it. A wide letter has 0.66 times the size of the text, a digit 0.57. */
const narrow = 0.87;
const small = 0.87;

/** As how many wide letters it counts: times, numbers and fingerprints have fewer than characters. */
function lettersIn({ run, text }: Piece): number {
  const { marks } = run;
  const isNarrow = marks.code === true && asciiText.test(text);
  const narrowLetters = isNarrow ? text.length : (text.match(digits)?.length ?? 0);
  return (text.length - narrowLetters * (1 - narrow)) * (marks.small === true ? small : 1);
}

/** The same runs when no word is too long. */
function markRuns(runs: readonly Run[], room: number): readonly Run[] {
  const pieces = new Map<Run, Piece[]>();
  let stretch: Piece[] = [];
  let hasLong = false;
  const endStretch = () => {
    const length = stretch.reduce((sum, piece) => sum + lettersIn(piece), 0);
    if (length > room) {
      hasLong = true;
      for (const piece of stretch)
        piece.long = stretch.length > 1 ? "part" : letters.test(piece.text) ? "word" : "string";
    }
    stretch = [];
  };
  const walk = (some: readonly Run[]): void => {
    for (const run of some) {
      if (run.kind === "link") walk(run.runs);
      else if (run.kind !== "text") endStretch();
      else {
        const own = run.text.split(opportunity).map((text): Piece => ({ run, text }));
        pieces.set(run, own);
        own.forEach((piece, index) => {
          stretch.push(piece);
          if (index < own.length - 1 || lastBlank.test(piece.text)) endStretch();
        });
      }
    }
  };
  walk(runs);
  endStretch();
  return hasLong ? rebuilt(runs, pieces) : runs;
}

const rebuilt = (runs: readonly Run[], pieces: ReadonlyMap<Run, readonly Piece[]>): Run[] =>
  runs.flatMap((run): Run[] => {
    if (run.kind === "link") return [{ ...run, runs: rebuilt(run.runs, pieces) }];
    return run.kind === "text" ? joined(run, pieces.get(run) ?? []) : [run];
  });

/** Words that are not long stay together. */
function joined(run: TextRun, pieces: readonly Piece[]): Run[] {
  const made: TextRun[] = [];
  for (const { text, long } of pieces) {
    const last = made.at(-1);
    if (long !== undefined) made.push({ ...run, text, long });
    else if (last !== undefined && last.long === undefined) made[made.length - 1] = { ...last, text: last.text + text };
    else made.push({ ...run, text });
  }
  return made;
}
