import type { HtmlElement, HtmlNode } from "#platform/restricted-html/tree.ts";
import type { Block, Cell, Column, Look, Row, Table } from "./blocks.ts";
import { type ElementStyle, lookOf, readStyle } from "./element-style.ts";
import { textOf } from "./inline-runs.ts";
import { columnsOf, type PlacedCell, placeCells } from "./table-grid.ts";
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
