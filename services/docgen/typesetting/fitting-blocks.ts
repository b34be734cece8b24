import type { Block, Cell, Run, Table } from "./blocks.ts";
import { cellInset, columnWidths, wideCellLetter, wideLetter } from "./long-words.ts";

/** The room that a page has, in millimetres. */
interface Room {
  readonly width: number;
  readonly height: number;
}

/**
 * Marks what is to stay on one page and surely has room on one. document.typ measures the rest, which means that all of it is
 * laid out once more. What is counted here is always more than what the text takes.
 */
export const markFitting = (blocks: readonly Block[], room: Room): Block[] =>
  blocks.map((block) => {
    const marked = block.kind === "group" ? { ...block, blocks: markFitting(block.blocks, room) } : block;
    const isFitting = block.look.keep === true && heightOf([block], room.width, wideLetter) <= room.height;
    return isFitting ? { ...marked, look: { ...marked.look, fitting: true } } : marked;
  });

/** With what is between the lines. */
const lineHeight = 6.5;
/** Above and below together. */
const paragraphSpace = 4;
const tableSpace = 10;
const rowSpace = 4;
const headingScale = 1.7;
const headingSpace = 14;

/** At most so many millimetres; without end where this cannot be known from the text alone. */
const heightOf = (blocks: readonly Block[], width: number, letter: number): number =>
  blocks.reduce((sum, block) => sum + blockHeight(block, width, letter), 0);

function blockHeight(block: Block, width: number, letter: number): number {
  switch (block.kind) {
    case "paragraph":
      return linesOf(block.runs, width / letter) * lineHeight + paragraphSpace;
    case "heading":
      return linesOf(block.runs, width / letter / headingScale) * lineHeight * headingScale + headingSpace;
    case "group":
      return heightOf(block.blocks, width, letter);
    case "table":
      return tableHeight(block.table, width);
    case "space":
      return block.lines * lineHeight;
    default:
      return Number.POSITIVE_INFINITY;
  }
}

/** Words that are not divided leave up to half of a line empty, and each line end leaves the rest of its line. */
function linesOf(runs: readonly Run[], letters: number): number {
  if (!runs.every(({ kind }) => kind === "text" || kind === "break")) return Number.POSITIVE_INFINITY;
  const length = runs.reduce((sum, run) => sum + (run.kind === "text" ? run.text.length : 0), 0);
  const breaks = runs.filter(({ kind }) => kind === "break").length;
  return (length <= letters ? 1 : Math.ceil((2 * length) / letters)) + breaks;
}

function tableHeight({ columns, width: own, header, rows }: Table, outer: number): number {
  const isPlain = [...header, ...rows].flat().every(({ colspan, rowspan }) => colspan === 1 && rowspan === 1);
  if (!isPlain || own !== undefined || columns.some((column) => "fit" in column)) return Number.POSITIVE_INFINITY;
  const widths = columnWidths(columns, outer);
  const cellHeight = ({ blocks }: Cell, index: number): number =>
    heightOf(blocks, (widths[index] ?? 0) - cellInset, wideCellLetter) - (blocks.length === 1 ? paragraphSpace : 0);
  return [...header, ...rows].reduce((sum, row) => sum + Math.max(...row.map(cellHeight)) + rowSpace, tableSpace);
}
