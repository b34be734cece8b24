import { blocksOf, contentOf, type HtmlElement, htmlOf, isDropped } from "./html-to-restricted.ts";

/** A table with its rows and cells; its caption becomes a paragraph. Empty when there are no cells. */
export function tableHtml(table: HtmlElement, level: number): string {
  const children = elementsOf(table);
  const caption = children.filter(({ tagName }) => tagName === "caption");
  const sections = (names: readonly string[]): string =>
    children
      .filter(({ tagName }) => names.includes(tagName))
      .map((section) => rowsHtml(elementsOf(section), level))
      .join("");
  const head = sections(["thead"]);
  const body = sections(["tbody", "tfoot"]);
  if (head === "" && body === "") return htmlOf(caption.flatMap(({ childNodes }) => blocksOf(childNodes, level)));
  const rows =
    body === "" ? `<tbody>${head}</tbody>` : `${head === "" ? "" : `<thead>${head}</thead>`}<tbody>${body}</tbody>`;
  return `${htmlOf(caption.flatMap(({ childNodes }) => blocksOf(childNodes, level)))}<table>${rows}</table>`;
}

const elementsOf = (element: HtmlElement): HtmlElement[] =>
  element.childNodes.filter((node) => "tagName" in node).filter((child) => !isDropped(child));

function rowsHtml(elements: readonly HtmlElement[], level: number): string {
  const rows = elements.filter((row) => row.tagName === "tr" && elementsOf(row).some(isCell));
  return rows
    .map((row, index) =>
      elementsOf(row)
        .map((cell) => cellHtml(cell, rows.length - index, level))
        .join(""),
    )
    .map((cells) => `<tr>${cells}</tr>`)
    .join("");
}

function cellHtml(cell: HtmlElement, rowsLeft: number, level: number): string {
  if (!isCell(cell)) return "";
  const { tagName: name } = cell;
  const colspan = spanOf(cell, "colspan", maxColumns);
  const rowspan = spanOf(cell, "rowspan", rowsLeft);
  return `<${name}${colspan}${rowspan}>${contentOf(cell.childNodes, level)}</${name}>`;
}

const isCell = ({ tagName }: HtmlElement): boolean => tagName === "td" || tagName === "th";

const maxColumns = 100;

function spanOf(cell: HtmlElement, name: string, max: number): string {
  const value = cell.attrs.find((attribute) => attribute.name === name)?.value ?? "";
  const span = /^\d{1,6}$/.test(value) ? Math.min(Number(value), max) : 1;
  return span > 1 ? ` ${name}="${span}"` : "";
}
