import type { HtmlElement, HtmlNode } from "#platform/restricted-html/tree.ts";
import { textHtml } from "./markup.ts";
import {
  attributeOf,
  elementsOf,
  type Marks,
  markedHtml,
  maxDepth,
  noMarks,
  type Place,
  withElement,
} from "./text-marks.ts";

/**
 * The text of an agreement as HTML that can be typeset. Texts may have elements that documents have not: they become what
 * looks most like them, and every letter stays. Headings are demoted, to stand below those of the document.
 */
export const printedText = (tree: readonly HtmlNode[]): string =>
  blocksOf(tree, { marks: noMarks, depth: 0 }).join("\n");

/** The blocks inside an element. Text between blocks becomes paragraphs. */
function blocksOf(nodes: readonly HtmlNode[], place: Place): string[] {
  const blocks: string[] = [];
  let line = "";
  const endLine = (): void => {
    if (!isBlank(line)) blocks.push(`<p>${line}</p>`);
    line = "";
  };
  for (const node of nodes) {
    if (isInLine(node)) {
      line += lineOf([node], place.marks);
      continue;
    }
    endLine();
    blocks.push(...blockOf(node, place));
  }
  endLine();
  return blocks;
}

/** The content of a list item or cell: a single paragraph needs no element of its own. */
function insideOf(nodes: readonly HtmlNode[], place: Place): string {
  const inside: Place = { ...place, depth: place.depth + 1 };
  return nodes.every(isInLine) ? lineOf(nodes, place.marks) : blocksOf(nodes, inside).join("");
}

const isBlank = (html: string): boolean => html.replaceAll(/<[^>]*>|\s/g, "") === "" && !html.includes("<br>");

const blockElements: ReadonlySet<string> = new Set(
  `address article aside blockquote caption dd div dl dt figcaption figure footer h1 h2 h3 h4 h5 h6 header hr li main
  ol p pre section table ul`.split(/\s+/),
);

/** Whether it is text, or an inline element that contains only inline content. */
function isInLine(node: HtmlNode): node is HtmlNode {
  return node.kind === "text" || (!blockElements.has(node.name) && node.children.every(isInLine));
}

function blockOf(node: HtmlNode, place: Place): string[] {
  if (node.kind === "text") return [];
  const { name, children } = node;
  switch (name) {
    case "h1":
    case "h2":
    case "h3":
    case "h4":
    case "h5":
    case "h6":
      return headingOf(node, place);
    case "pre":
      return [`<pre>\n${lineOf(children, place.marks)}</pre>`];
    case "hr":
      // A full-width rule could be mistaken for the end of the text.
      return ['<p class="center">* * *</p>'];
    case "dt":
    case "caption":
      return blocksOf(children, { ...place, marks: { ...place.marks, strong: true } });
    case "ul":
    case "ol":
      return place.depth < maxDepth
        ? listOf(node, place)
        : elementsOf(children).flatMap((item) => blocksOf([item], place));
    case "blockquote":
    case "dd":
      return place.depth < maxDepth ? quoteOf(node, place) : blocksOf(children, place);
    case "table":
      return readTable(node, place, { blocksOf, insideOf });
    default:
      // Containers without a style of their own, and inline elements that contain blocks.
      return blocksOf(children, { ...place, marks: withElement(place.marks, node) });
  }
}

/** Below all headings of this document, and smaller. Headings in lists and cells are left out of the outline. */
function headingOf({ name, children }: HtmlElement, place: Place): string[] {
  if (place.depth > 0 || !children.every(isInLine)) {
    return blocksOf(children, { ...place, marks: { ...place.marks, strong: true } });
  }
  const line = lineOf(children, place.marks);
  const level = Math.min(6, Number(name.slice(1)) + 3);
  return isBlank(line) ? [] : [`<h${level}>${line}</h${level}>`];
}

function quoteOf({ children }: HtmlElement, place: Place): string[] {
  const blocks = blocksOf(children, { ...place, depth: place.depth + 1 });
  return blocks.length === 0 ? [] : [`<blockquote>${blocks.join("")}</blockquote>`];
}

function listOf(list: HtmlElement, place: Place): string[] {
  const items = elementsOf(list.children);
  if (items.length === 0) return [];
  if (list.name === "ul" || countsPlainly(list, items)) {
    const written = items.map(({ children }) => `<li>${insideOf(children, place)}</li>`).join("");
    return [`<${list.name}${startOf(list)}>${written}</${list.name}>`];
  }
  // Numbering the renderer does not support is written out as text.
  const numbers = numbersOf(list, items);
  const written = items.map(({ children }, index) => {
    const number = textHtml(`${numbers[index]}. `);
    return children.every(isInLine)
      ? `<li>${number}${lineOf(children, place.marks)}</li>`
      : `<li><p>${number}</p>${insideOf(children, place)}</li>`;
  });
  return [`<ul>${written.join("")}</ul>`];
}

const countsPlainly = (list: HtmlElement, items: readonly HtmlElement[]): boolean =>
  attributeOf(list, "reversed") === undefined &&
  Number(attributeOf(list, "start") ?? "1") >= 0 &&
  items.every((item) => attributeOf(item, "value") === undefined);

function startOf(list: HtmlElement): string {
  const start = Number(attributeOf(list, "start") ?? "1");
  const type = attributeOf(list, "type")?.toLowerCase();
  const kind = type === "a" || type === "i" ? ` type="${type}"` : "";
  return list.name === "ol" ? `${start === 1 ? "" : ` start="${start}"`}${kind}` : "";
}

function numbersOf(list: HtmlElement, items: readonly HtmlElement[]): number[] {
  const step = attributeOf(list, "reversed") === undefined ? 1 : -1;
  let next = Number(attributeOf(list, "start") ?? (step === 1 ? "1" : String(items.length)));
  return items.map((item) => {
    const number = Number(attributeOf(item, "value") ?? String(next));
    next = number + step;
    return number;
  });
}

/** Inline content. Each text has elements of its own, so that nesting is always valid. */
function lineOf(nodes: readonly HtmlNode[], marks: Marks): string {
  return nodes.map((node) => (node.kind === "text" ? markedHtml(node.text, marks) : partOf(node, marks))).join("");
}

function partOf(element: HtmlElement, marks: Marks): string {
  const inside = (): string => lineOf(element.children, withElement(marks, element));
  switch (element.name) {
    case "br":
      return "<br>";
    case "wbr":
      return "\u200b";
    case "img":
      return markedHtml(`[${attributeOf(element, "alt") ?? ""}]`, marks);
    case "q":
      return `${markedHtml("“", marks)}${inside()}${markedHtml("”", marks)}`;
    // Ruby text is printed after its base text in parentheses, unless the author provided some.
    case "rt":
      return markedHtml("(", marks) + inside() + markedHtml(")", marks);
    // The fallback parentheses, shown only by browsers without ruby support.
    case "rp":
      return "";
    default:
      return inside();
  }
}

/** Functions that convert the content of a table. */
interface Readers {
  blocksOf(nodes: readonly HtmlNode[], place: Place): string[];
  insideOf(nodes: readonly HtmlNode[], place: Place): string;
}

/** A table with its caption above it. */
function readTable(table: HtmlElement, place: Place, { blocksOf, insideOf }: Readers): string[] {
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

/** Tables for people never have more columns. */
const maxSpan = 100;
