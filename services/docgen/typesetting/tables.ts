import type { HtmlElement, HtmlNode } from "#platform/restricted-html/tree.ts";
import type { Block, Cell, Column, Look, Row, Table } from "./blocks.ts";
import { type ElementStyle, integerOf, lookOf, readStyle } from "./element-style.ts";
import { textOf } from "./inline-runs.ts";
import { insideOf, type Place, type TreeState } from "./tree-state.ts";

type ReadBlocks = (nodes: readonly HtmlNode[], place: Place, state: TreeState) => Block[];

/** A table whose cells stand on a grid without holes. */
export function readTable(element: HtmlElement, place: Place, state: TreeState, readBlocks: ReadBlocks): Block[] {
  const style = readStyle(element);
  const headRows = rowsOf(element, "thead");
  const bodyRows = rowsOf(element, "tbody");
  const count = Math.max(columnsOf(headRows), columnsOf(bodyRows));
  if (count === 0) return [];
  const headGrid = placeCells(headRows, count);
  const bodyGrid = placeCells(bodyRows, count);
  const numbers = numberColumns(headGrid);
  const inside = insideOf(place);
  const readCell = (cell: PlacedCell, within: Place): Cell => {
    const blocks = cell.element === undefined ? [] : readBlocks(cell.element.children, within, state);
    return cellOf(cell, blocks, numbers);
  };
  // A repeated header is decoration to screen readers, and PDF/UA forbids links in decoration.
  const insideHeader = { ...inside, canLink: state.profile !== "pdf/ua-1" };
  const header = headGrid.map((row) => row.map((cell) => readCell(cell, insideHeader)));
  const rows = bodyGrid.map((row) => row.map((cell) => readCell(cell, inside)));
  const table: Table = {
    columns: columnWidths(count, [...headGrid, ...bodyGrid], [...header, ...rows]),
    ...(style.width === undefined ? {} : { width: style.width }),
    rules: rulesOf(style),
    isStriped: style.classes.has("striped"),
    isCompact: style.classes.has("compact"),
    header,
    rows,
  };
  return [{ kind: "table", look: lookOf(style), table }];
}

const rowsOf = (table: HtmlElement, part: string): HtmlElement[] =>
  table.children
    .filter((node): node is HtmlElement => node.kind === "element" && node.name === part)
    .flatMap((group) => group.children)
    .filter((node): node is HtmlElement => node.kind === "element" && node.name === "tr");

function rulesOf({ classes }: ElementStyle): Table["rules"] {
  if (classes.has("plain")) return "none";
  return classes.has("bordered") ? "all" : "rows";
}

/** The columns that a heading declares to have numbers. */
const numberColumns = (head: readonly (readonly PlacedCell[])[]): ReadonlySet<number> =>
  new Set(
    head
      .flat()
      .filter(({ element, colspan }) => colspan === 1 && element !== undefined && isNumber(element))
      .map(({ column }) => column),
  );

const isNumber = (element: HtmlElement): boolean => readStyle(element).classes.has("number");

function cellOf(
  { element, column, colspan, rowspan }: PlacedCell,
  blocks: readonly Block[],
  numbers: ReadonlySet<number>,
) {
  const own: Look = element === undefined ? {} : lookOf(readStyle(element));
  const isHeader = element?.name === "th";
  const look: Look = numbers.has(column) && colspan === 1 && own.align === undefined ? { ...own, number: true } : own;
  return { look, colspan, rowspan, isHeader, isDivisible: lengthOf(blocks) > maxWholeCell, blocks };
}

const maxWholeCell = 400;

/** About how much there is in a cell; other things than texts count as much. */
const lengthOf = (blocks: readonly Block[]): number =>
  blocks.reduce((sum, block) => sum + (block.kind === "paragraph" ? textOf(block.runs).length : 1000), 0);

/** The widths that cells ask for; the others share what is left by how much stands in them. */
function columnWidths(
  count: number,
  grid: readonly (readonly PlacedCell[])[],
  rows: readonly Row[],
): readonly Column[] {
  const stated = new Map<number, Column>();
  const longest = new Array<number>(count).fill(0);
  grid.forEach((row, y) => {
    row.forEach(({ element, column, colspan }, x) => {
      if (colspan !== 1) return;
      const width = element === undefined ? undefined : readStyle(element).width;
      if (width !== undefined && !stated.has(column)) stated.set(column, width);
      longest[column] = Math.max(longest[column] ?? 0, lengthOf(rows[y]?.[x]?.blocks ?? []));
    });
  });
  const hasLong = longest.some((length, column) => length > maxFitting && !stated.has(column));
  return longest.map((length, column) => stated.get(column) ?? widthFor(length, hasLong));
}

/** Beside a column with sentences, one with amounts or dates is as wide as these are and no wider. */
const maxFitting = 16;

function widthFor(length: number, hasLong: boolean): Column {
  if (hasLong && length <= maxFitting) return { fit: true };
  // The root keeps a long text from taking the room of its neighbours.
  return { weight: Math.round(Math.sqrt(Math.min(Math.max(length, 6), 400)) * 100) / 100 };
}

/** A cell of the source, and where it stands once all spans are known to be free and inside of the table. */
interface PlacedCell {
  /** Absent for a place that the source left empty. */
  readonly element?: HtmlElement;
  readonly column: number;
  readonly colspan: number;
  readonly rowspan: number;
}

/** The browser's own bound is 1000; no page has room for that. */
const maxTableColumns = 64;

/**
 * Puts the cells of some rows onto a grid. Spans never reach over each other, beyond the last row or beyond the last
 * column: a cell that would is cut, and what stays empty gets a cell of its own.
 */
function placeCells(rows: readonly HtmlElement[], columns: number): PlacedCell[][] {
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
function columnsOf(rows: readonly HtmlElement[]): number {
  const wanted = placeCells(rows, maxTableColumns).flatMap((row) =>
    row.filter((cell) => cell.element !== undefined).map((cell) => cell.column + cell.colspan),
  );
  return Math.max(0, ...wanted);
}

const cellsOf = (row: HtmlElement): HtmlElement[] =>
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
