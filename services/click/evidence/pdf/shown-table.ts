import type { HtmlElement, HtmlNode } from "#platform/restricted-html/tree.ts";
import { attributeOf, elementsOf, maxDepth, type Place } from "./text-marks.ts";

/** How what stands in a table is read. */
export interface Readers {
  blocksOf(nodes: readonly HtmlNode[], place: Place): string[];
  insideOf(nodes: readonly HtmlNode[], place: Place): string;
}

/** A table of a text, with its caption above it. */
export function readTable(table: HtmlElement, place: Place, { blocksOf, insideOf }: Readers): string[] {
  const parts = elementsOf(table.children);
  const captions = parts.filter(({ name }) => name === "caption").flatMap((caption) => blocksOf([caption], place));
  const groups = parts.flatMap((part) => rowsOf(part));
  if (place.depth >= maxDepth) {
    const cells = groups.flatMap(({ row }) => elementsOf(row.children));
    return [...captions, ...cells.flatMap(({ children }) => blocksOf(children, place))];
  }
  const [head, body, foot] = ["thead", "tbody", "tfoot"].map((kind) =>
    groups.filter(({ group }) => group === kind).map(({ row }) => writtenRow(row, (cell) => insideOf(cell, place))),
  );
  const heads = wrapped("thead", head);
  const bodies = wrapped("tbody", [...(body ?? []), ...(foot ?? [])]);
  return heads + bodies === "" ? captions : [...captions, `<table>${heads}${bodies}</table>`];
}

type ReadCell = (nodes: readonly HtmlNode[]) => string;

interface PlacedRow {
  readonly group: string;
  readonly row: HtmlElement;
}

const rowsOf = (part: HtmlElement): PlacedRow[] => {
  if (part.name === "tr") return [{ group: "tbody", row: part }];
  if (part.name !== "thead" && part.name !== "tbody" && part.name !== "tfoot") return [];
  return elementsOf(part.children).map((row) => ({ group: part.name, row }));
};

const wrapped = (name: string, rows: readonly string[] = []): string => {
  const written = rows.filter((row) => row !== "");
  return written.length === 0 ? "" : `<${name}>${written.join("")}</${name}>`;
};

function writtenRow(row: HtmlElement, inside: ReadCell): string {
  const cells = elementsOf(row.children).map((cell) => writtenCell(cell, inside));
  return cells.length === 0 ? "" : `<tr>${cells.join("")}</tr>`;
}

function writtenCell(cell: HtmlElement, inside: ReadCell): string {
  const span = (name: string): string => {
    const count = Math.min(Number(attributeOf(cell, name) ?? "1"), maxSpan);
    return count > 1 ? ` ${name}="${count}"` : "";
  };
  const align = attributeOf(cell, "align")?.toLowerCase();
  const aligned = align === "left" || align === "center" || align === "right" ? ` align="${align}"` : "";
  return `<${cell.name}${span("colspan")}${span("rowspan")}${aligned}>${inside(cell.children)}</${cell.name}>`;
}

/** No table for people has more columns. */
const maxSpan = 100;
