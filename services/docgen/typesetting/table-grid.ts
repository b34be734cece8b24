import type { HtmlElement } from "#platform/restricted-html/tree.ts";
import { integerOf } from "./element-style.ts";

/** A cell of the source, and where it stands once all spans are known to be free and inside of the table. */
export interface PlacedCell {
  /** Absent for a place that the source left empty. */
  readonly element?: HtmlElement;
  readonly column: number;
  readonly colspan: number;
  readonly rowspan: number;
}

/** The browser's own bound is 1000; no page has room for that. */
export const maxTableColumns = 64;

/**
 * Puts the cells of some rows onto a grid. Spans never reach over each other, beyond the last row or beyond the last
 * column: a cell that would is cut, and what stays empty gets a cell of its own.
 */
export function placeCells(rows: readonly HtmlElement[], columns: number): PlacedCell[][] {
  const taken = rows.map(() => new Uint8Array(columns));
  return rows.map((row, index) => {
    const placed: PlacedCell[] = [];
    let column = 0;
    for (const element of cellsOf(row)) {
      column = firstFree(taken, index, column);
      if (column >= columns) break;
      const cell = cutToRoom(element, { taken, row: index, column });
      take(taken, index, cell);
      placed.push(cell);
      column += cell.colspan;
    }
    for (let free = firstFree(taken, index, 0); free < columns; free = firstFree(taken, index, free)) {
      const cell = { column: free, colspan: 1, rowspan: 1 };
      take(taken, index, cell);
      placed.push(cell);
    }
    return placed.sort((a, b) => a.column - b.column);
  });
}

/** How many columns the rows need, when cells of rows above are counted too. */
export function columnsOf(rows: readonly HtmlElement[]): number {
  const wanted = placeCells(rows, maxTableColumns).flatMap((row) =>
    row.filter((cell) => cell.element !== undefined).map((cell) => cell.column + cell.colspan),
  );
  return Math.max(0, ...wanted);
}

export const cellsOf = (row: HtmlElement): HtmlElement[] =>
  row.children.filter(
    (node): node is HtmlElement => node.kind === "element" && (node.name === "td" || node.name === "th"),
  );

interface Spot {
  readonly taken: readonly Uint8Array[];
  readonly row: number;
  readonly column: number;
}

function firstFree(taken: readonly Uint8Array[], row: number, from: number): number {
  const found = taken[row]?.indexOf(0, from) ?? -1;
  return found === -1 ? Number.POSITIVE_INFINITY : found;
}

function cutToRoom(element: HtmlElement, { taken, row, column }: Spot): PlacedCell {
  const wanted = integerOf(element, "colspan", 1, maxTableColumns) ?? 1;
  const next = taken[row]?.indexOf(1, column) ?? -1;
  const room = (next === -1 ? (taken[row]?.length ?? 0) : next) - column;
  const colspan = Math.min(wanted, room);
  const rows = taken.length - row;
  const rowspan = integerOf(element, "rowspan", 0, 1000) ?? 1;
  // 0 means down to the last row.
  const wantedRows = rowspan === 0 ? rows : Math.min(rowspan, rows);
  let free = 1;
  while (free < wantedRows && isFree(taken[row + free], column, colspan)) free += 1;
  return { element, column, colspan, rowspan: free };
}

const isFree = (row: Uint8Array | undefined, column: number, count: number): boolean =>
  row?.subarray(column, column + count).every((taken) => taken === 0) === true;

function take(taken: readonly Uint8Array[], row: number, { column, colspan, rowspan }: PlacedCell): void {
  for (const line of taken.slice(row, row + rowspan)) line.fill(1, column, column + colspan);
}
