import type { HtmlElement, HtmlNode } from "#platform/restricted-html/tree.ts";
import type { Block, Run } from "./blocks.ts";
import { attributeOf, type ElementStyle, integerOf, lookOf, readStyle } from "./element-style.ts";
import { readPicture } from "./images.ts";
import { placeInside, readPreformattedRuns, readRuns, textOf } from "./inline-runs.ts";
import { readTable } from "./tables.ts";
import { insideOf, type Place, type TreeState, topPlace } from "./tree-state.ts";

/** The blocks of a document. Throws a RenderError for what cannot be set. */
export const readBlockTree = (nodes: readonly HtmlNode[], state: TreeState): Block[] =>
  readBlocks(nodes, topPlace, state);

/** The blocks of what stands inside of an element. Text beside blocks makes paragraphs of its own. */
function readBlocks(nodes: readonly HtmlNode[], place: Place, state: TreeState): Block[] {
  const blocks: Block[] = [];
  let line: HtmlNode[] = [];
  const endLine = () => {
    if (line.length > 0) blocks.push(...readParagraph(line, place, state, {}));
    line = [];
  };
  for (const node of nodes) {
    if (node.kind === "text" || isInline(node)) {
      line.push(node);
      continue;
    }
    endLine();
    blocks.push(...readElement(node, place, state));
  }
  endLine();
  return blocks.map((block, index) => stuckTo(blocks[index + 1], block));
}

/** Words that announce a list, or stand above a line to sign on, do not stand on another page than these. */
function stuckTo(next: Block | undefined, block: Block): Block {
  if (block.kind !== "paragraph" || next === undefined) return block;
  const announces = () => {
    const text = textOf(block.runs);
    return next.kind === "list" && (text.length <= maxTitle || text.endsWith(":"));
  };
  return hasSignature(next) || announces() ? { ...block, look: { ...block.look, stick: true } } : block;
}

const maxTitle = 100;

const hasSignature = (block: Block): boolean =>
  block.kind === "signature" || (block.kind === "columns" && block.columns.some((column) => column.some(hasSignature)));

const inlineElements: ReadonlySet<string> = new Set("a b br code em i img s span strong sub sup u".split(" "));

/** What stands in a line, unless somebody has put blocks into it. */
const isInline = (element: HtmlElement): boolean =>
  inlineElements.has(element.name) && element.children.every((child) => child.kind === "text" || isInline(child));

function readElement(element: HtmlElement, place: Place, state: TreeState): Block[] {
  const style = readStyle(element);
  const blocks = readKind(element, place, state);
  const breakBefore = style.breakBefore ? pageBreak(place, state) : [];
  const breakAfter = style.breakAfter ? pageBreak(place, state) : [];
  return [...breakBefore, ...blocks, ...breakAfter];
}

function readKind(element: HtmlElement, place: Place, state: TreeState): Block[] {
  const look = lookOf(readStyle(element));
  switch (element.name) {
    case "p":
      return readParagraph(element.children, place, state, look);
    case "h1":
    case "h2":
    case "h3":
    case "h4":
    case "h5":
    case "h6":
      return readHeading(element, place, state);
    case "ul":
    case "ol":
      return readList(element, place, state, readBlocks);
    case "table":
      return readTable(element, place, state, readBlocks);
    case "blockquote":
      return filled(readBlocks(element.children, insideOf(place), state), (blocks) => ({
        kind: "quote",
        look,
        blocks,
      }));
    case "pre":
      return filled(readPreformattedRuns(element.children, place, state), (runs) => ({
        kind: "preformatted",
        look,
        runs,
      }));
    case "hr":
      return [{ kind: "rule", look }];
    default:
      return readContainer(element, place, state);
  }
}

function readParagraph(
  nodes: readonly HtmlNode[],
  place: Place,
  state: TreeState,
  look: ReturnType<typeof lookOf>,
): Block[] {
  const [only, ...others] = nodes.filter((node) => node.kind === "element" || node.text.trim() !== "");
  if (only?.kind === "element" && only.name === "img" && others.length === 0) {
    return [{ kind: "picture", look, image: readPicture(only, state) }];
  }
  const runs = readRuns(nodes, place, state);
  if (runs.length === 0) return [];
  return runs.every((run) => run.kind === "break")
    ? [{ kind: "space", look, lines: Math.min(runs.length, maxEmptyLines) }]
    : [{ kind: "paragraph", look, runs }];
}

const maxEmptyLines = 50;

/** Screen readers go by the outline: a heading without text, or a level without the one above it, would break it. */
function readHeading(element: HtmlElement, place: Place, state: TreeState): Block[] {
  const runs = readRuns(element.children, place, state);
  const look = lookOf(readStyle(element));
  if (textOf(runs).trim() === "") return filled(runs, () => ({ kind: "paragraph", look, runs }));
  const level = Number(element.name.slice(1));
  while ((state.headings.at(-1) ?? 0) >= level) state.headings.pop();
  state.headings.push(level);
  return [{ kind: "heading", look, level, rank: state.headings.length, runs }];
}

/** Sections and divisions, and whatever stands in lines but has blocks in it. */
function readContainer(element: HtmlElement, outside: Place, state: TreeState): Block[] {
  const style = readStyle(element);
  const look = lookOf(style);
  const place = inlineElements.has(element.name) ? placeInside(element, outside) : outside;
  const readInside = () => readBlocks(element.children, insideOf(place), state);
  if (style.classes.has("columns")) return readColumns(element, place, state);
  // An empty line to sign on is as good as one with a name.
  if (style.classes.has("signature")) return [{ kind: "signature", look, blocks: readInside() }];
  if (style.classes.has("box")) return filled(readInside(), (blocks) => ({ kind: "frame", look, blocks }));
  if (style.keep) return filled(readInside(), (blocks) => ({ kind: "group", look, blocks }));
  const blocks = readBlocks(element.children, place, state);
  return Object.keys(look).length === 0 ? blocks : filled(blocks, () => ({ kind: "group", look, blocks }));
}

const maxColumns = 4;

/** Each block element inside is a column; what is beyond the last one goes on below it. */
function readColumns(element: HtmlElement, place: Place, state: TreeState): Block[] {
  const inside = insideOf(place);
  const parts = element.children.filter((node) => node.kind === "element" || node.text.trim() !== "");
  const columns = parts.map((part) => readBlocks([part], inside, state));
  const look = lookOf(readStyle(element));
  const rows = Math.ceil(columns.length / maxColumns);
  return Array.from({ length: rows }, (_, row): Block => {
    return { kind: "columns", look, columns: columns.slice(row * maxColumns, (row + 1) * maxColumns) };
  });
}

function pageBreak(place: Place, state: TreeState): Block[] {
  if (place.canBreak) return [{ kind: "page-break", look: {} }];
  if (!state.warnings.includes(ignoredBreak)) state.warnings.push(ignoredBreak);
  return [];
}

const ignoredBreak = {
  code: "page_break_ignored",
  message: "A page break cannot be inside a list, a table, a quotation, columns or content that is kept together.",
};

const filled = <Part extends Block | Run>(parts: readonly Part[], make: (parts: readonly Part[]) => Block): Block[] =>
  parts.length === 0 ? [] : [make(parts)];

type ReadBlocks = (nodes: readonly HtmlNode[], place: Place, state: TreeState) => Block[];

/** A list with the labels of its items. What stands in it beside items is an item without a label of its own. */
function readList(element: HtmlElement, place: Place, state: TreeState, readBlocks: ReadBlocks): Block[] {
  const style = readStyle(element);
  const inside = insideOf(place);
  const items = element.children.filter((node): node is HtmlElement => node.kind === "element");
  const labels = element.name === "ol" ? labelsOf(element, items, style, place) : undefined;
  const read = items.map((item, index) => {
    const clause = style.classes.has("clauses") || place.clause !== undefined ? labels?.[index] : undefined;
    const blocks = readBlocks(item.name === "li" ? item.children : [item], { ...inside, clause }, state);
    const look = item.name === "li" ? lookOf(readStyle(item)) : {};
    return blocks.length === 0 || Object.keys(look).length === 0 ? blocks : [{ kind: "group" as const, look, blocks }];
  });
  if (read.length === 0) return [];
  const list = {
    ...(labels === undefined ? {} : { labels }),
    isPlain: style.classes.has("plain"),
    isTight: read.every(isShort),
    items: read,
  };
  return [{ kind: "list", look: lookOf(style), list }];
}

/** An item of about one line, perhaps with a list of such items below it. */
const isShort = (blocks: readonly Block[]): boolean =>
  blocks.every((block, index) => {
    if (block.kind === "list") return block.list.isTight;
    return index === 0 && block.kind === "paragraph" && textOf(block.runs).length <= maxShortItem;
  });

const maxShortItem = 100;

function labelsOf(
  element: HtmlElement,
  items: readonly HtmlElement[],
  { classes }: ElementStyle,
  place: Place,
): string[] {
  const type = attributeOf(element, "type") ?? "1";
  const isClause = classes.has("clauses") || place.clause !== undefined;
  let number = (integerOf(element, "start", -maxNumber, maxNumber) ?? 1) - 1;
  return items.map((item) => {
    number = integerOf(item, "value", -maxNumber, maxNumber) ?? number + 1;
    if (isClause && type === "1") return clauseLabel(place.clause, number);
    return isClause && place.clause !== undefined ? `(${ordinal(number, type)})` : `${ordinal(number, type)}.`;
  });
}

const maxNumber = 999_999_999;

/** 1. then 1.1 then 1.1.1; below a letter the numbers begin anew. */
function clauseLabel(outer: string | undefined, number: number): string {
  const isNumbered = outer !== undefined && /^[\d.-]+$/.test(outer);
  return isNumbered ? `${outer.replace(/\.$/, "")}.${number}` : `${number}.`;
}

/** Numbers that letters or Roman numerals do not have are written in digits, as browsers do. */
function ordinal(number: number, type: string): string {
  const written = writtenAs(type.toLowerCase(), number) ?? String(number);
  return type === type.toUpperCase() ? written.toUpperCase() : written;
}

function writtenAs(type: string, number: number): string | undefined {
  if (type === "a" && number >= 1) return letters(number);
  return type === "i" && number >= 1 && number <= 3999 ? roman(number) : undefined;
}

const letters = (number: number): string =>
  number === 0 ? "" : letters(Math.floor((number - 1) / 26)) + String.fromCharCode(97 + ((number - 1) % 26));

const numerals: readonly (readonly [number, string])[] = [
  [1000, "m"],
  [900, "cm"],
  [500, "d"],
  [400, "cd"],
  [100, "c"],
  [90, "xc"],
  [50, "l"],
  [40, "xl"],
  [10, "x"],
  [9, "ix"],
  [5, "v"],
  [4, "iv"],
  [1, "i"],
];

function roman(number: number): string {
  const numeral = numerals.find(([value]) => value <= number);
  return numeral === undefined ? "" : numeral[1] + roman(number - numeral[0]);
}
