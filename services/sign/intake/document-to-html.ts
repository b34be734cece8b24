import { type DefaultTreeAdapterTypes, parse } from "parse5";
import { escapeHtml, plainTextToHtml } from "#platform/restricted-html/serialize.ts";
import { unsafeCharacter } from "#platform/restricted-html/text.ts";
import { createInlineText, formatIn, noFormat, type TextFormat } from "./inline-text.ts";

/** Converts an HTML or text file to restricted HTML. Empty when the file shows nothing. */
export function documentToHtml(bytes: Uint8Array, type: "html" | "text"): string {
  // Keeps form feeds as page breaks; other invisible characters are dropped.
  const text = decodeText(bytes).replaceAll("\f", "\n\n").replaceAll(unsafeCharacter, "");
  return type === "html" ? htmlToRestricted(text) : plainTextToHtml(text);
}

/** Decodes UTF-16 with a byte order mark, then UTF-8, then windows-1252, which accepts any bytes. */
function decodeText(bytes: Uint8Array): string {
  const encoding = marks.find(({ mark }) => mark.every((byte, index) => bytes[index] === byte))?.encoding;
  if (encoding !== undefined) return new TextDecoder(encoding).decode(bytes);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
}

const marks = [
  { mark: [0xff, 0xfe], encoding: "utf-16le" },
  { mark: [0xfe, 0xff], encoding: "utf-16be" },
];

/**
 * Converts any HTML to the restricted HTML that documents are rendered from: headings, paragraphs, lists,
 * tables, links, emphasis. Styles, scripts and images are dropped; unknown elements are replaced by their text.
 */
export const htmlToRestricted = (html: string): string => htmlOf(blocksOf(parse(html).childNodes, 0));

type HtmlNode = DefaultTreeAdapterTypes.ChildNode;
type HtmlElement = DefaultTreeAdapterTypes.Element;

/** A block: a paragraph, given by its inline content, or complete HTML. */
type Block = { readonly paragraph: string } | { readonly html: string };

/** Nesting of blocks; deeper blocks are flattened, because restricted HTML allows at most 60 nested elements. */
const maxLevel = 12;
/** Text nested deeper is dropped; browsers stop at 512 levels too. */
const maxDepth = 600;

function blocksOf(nodes: readonly HtmlNode[], level: number): Block[] {
  const blocks: Block[] = [];
  const inline = createInlineText();
  const endParagraph = () => {
    const paragraph = inline.take();
    if (paragraph !== "") blocks.push({ paragraph });
  };
  const addElement = (element: HtmlElement, format: TextFormat, depth: number): void => {
    const name = element.tagName;
    if (isDropped(element)) return;
    if (name === "br") inline.lineBreak();
    else if (blockElements.has(name)) addBlock(element, format, depth);
    else add(element.childNodes, formatIn(element, format), depth + 1);
  };
  const addBlock = (element: HtmlElement, format: TextFormat, depth: number): void => {
    endParagraph();
    const html = level < maxLevel ? convertBlock(element, level + 1) : undefined;
    if (html === undefined) add(element.childNodes, format, depth + 1);
    else if (html !== "") blocks.push({ html });
    endParagraph();
  };
  const add = (children: readonly HtmlNode[], format: TextFormat, depth: number): void => {
    if (depth > maxDepth) return;
    for (const node of children) {
      if ("value" in node) inline.text(visible(node.value), format);
      else if ("tagName" in node) addElement(node, format, depth);
    }
  };
  add(nodes, noFormat, 0);
  endParagraph();
  return blocks;
}

/** The HTML of consecutive blocks. */
const htmlOf = (blocks: readonly Block[]): string =>
  blocks.map((block) => ("html" in block ? block.html : `<p>${block.paragraph}</p>`)).join("\n");

/** The content of a cell or list item: a single paragraph needs no element of its own. */
function contentOf(nodes: readonly HtmlNode[], level: number): string {
  const blocks = blocksOf(nodes, level);
  const [first] = blocks;
  return blocks.length === 1 && first !== undefined && "paragraph" in first ? first.paragraph : htmlOf(blocks);
}

const isDropped = ({ tagName, namespaceURI }: HtmlElement): boolean =>
  droppedElements.has(tagName) || namespaceURI !== "http://www.w3.org/1999/xhtml";

const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/));

const droppedElements = words("head script style template noscript iframe object audio video canvas select datalist");

const blockElements = words(`html body address article aside blockquote center dd details dialog dir div dl dt fieldset
  figcaption figure footer form frameset h1 h2 h3 h4 h5 h6 header hgroup hr legend li main menu nav ol p pre search section
  summary table ul`);

/** Character references can produce invisible characters that the source did not contain. */
const visible = (text: string): string => text.replaceAll(unsafeCharacter, "");

/** Empty when there is nothing to show; undefined when only the element's content matters. */
function convertBlock(element: HtmlElement, level: number): string | undefined {
  const { tagName: name, childNodes } = element;
  switch (name) {
    case "h1":
    case "h2":
    case "h3":
    case "h4":
    case "h5":
    case "h6":
      return wrapped(name, lineOf(childNodes, level));
    case "pre":
      // HTML parsers drop one line break after <pre>, so of several leading ones a different number would be
      // left each time.
      return wrapped(name, escapeHtml(visible(textOf(element)).replaceAll(/\r\n?/g, "\n")).replace(/^\n+/, ""));
    case "ul":
    case "ol":
      return wrapped(name, childNodes.map((node) => itemHtml(node, level)).join(""));
    case "blockquote":
      return wrapped(name, htmlOf(blocksOf(childNodes, level)));
    case "hr":
      return "<hr>";
    case "table":
      return tableHtml(element, level);
    default:
      return undefined;
  }
}

const wrapped = (name: string, content: string): string => (content === "" ? "" : `<${name}>${content}</${name}>`);

/** Headings cannot contain blocks. */
const lineOf = (nodes: readonly HtmlNode[], level: number): string =>
  blocksOf(nodes, level)
    .flatMap((block) => ("paragraph" in block ? [block.paragraph] : []))
    .join("<br>");

/** Lists contain only items, so anything between them becomes an item. */
const itemHtml = (node: HtmlNode, level: number): string =>
  wrapped("li", contentOf("tagName" in node && node.tagName === "li" ? node.childNodes : [node], level));

function textOf(element: HtmlElement): string {
  const texts: string[] = [];
  const waiting: HtmlNode[] = [...element.childNodes].reverse();
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if ("value" in node) texts.push(node.value);
    else if ("tagName" in node && node.tagName === "br") texts.push("\n");
    else if ("tagName" in node && !isDropped(node)) waiting.push(...[...node.childNodes].reverse());
  }
  return texts.join("");
}

/** A table of rows and cells; the caption becomes a paragraph. Empty when there are no cells. */
function tableHtml(table: HtmlElement, level: number): string {
  const children = elementsOf(table);
  const caption = children.filter(({ tagName }) => tagName === "caption");
  const sections = (names: readonly string[]): string =>
    children
      .filter(({ tagName }) => names.includes(tagName))
      .map((section) => rowsHtml(elementsOf(section), level))
      .join("");
  const head = sections(["thead"]);
  const body = sections(["tbody", "tfoot"]);
  const blocks = caption.flatMap(({ childNodes }) => blocksOf(childNodes, level));
  if (head === "" && body === "") return htmlOf(blocks);
  const rows =
    body === "" ? `<tbody>${head}</tbody>` : `${head === "" ? "" : `<thead>${head}</thead>`}<tbody>${body}</tbody>`;
  return htmlOf([...blocks, { html: `<table>${rows}</table>` }]);
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
