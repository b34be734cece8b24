import type { Fragment, Mark, Node } from "prosemirror-model";
import type { Kept } from "./schema.ts";

/** The restricted HTML of a document, or of a part of it. What the editor keeps as it is comes back as it was. */
export function writeText(content: Fragment): string {
  const [only] = content.content;
  // Nobody has written anything yet.
  if (content.childCount === 1 && only?.type.name === "paragraph" && writeBlock(only, false) === "<p></p>") return "";
  return writeBlocks(content);
}

/** Line ends between blocks are for whoever reads the source. */
function writeBlocks(content: Fragment): string {
  const blocks = content.content;
  if (blocks.some((node) => node.isInline)) return writeInline(blocks);
  return blocks.map((node, index) => writeBlock(node, isBesideLine(blocks, index))).join("\n");
}

/** Two lines without elements of their own would become one. */
const isBesideLine = (nodes: readonly Node[], index: number): boolean =>
  nodes[index]?.type.name === "line" && [index - 1, index + 1].some((other) => nodes[other]?.type.name === "line");

function writeBlock(node: Node, isBeside: boolean): string {
  const { attrs } = node;
  const name = node.type.name;
  switch (name) {
    case "line":
      return isBeside ? tagged("p", [], writeInline(node.content.content)) : writeInline(node.content.content);
    case "paragraph":
      return tagged("p", attrs.kept, writeInline(node.content.content));
    case "heading":
      return tagged(`h${attrs.level}`, attrs.kept, writeInline(node.content.content));
    case "pre":
      return tagged("pre", attrs.kept, leadingLineFeed(node) + writeInline(node.content.content));
    case "rule":
      return startTag("hr", attrs.kept);
    case "box":
      return tagged(attrs.name, attrs.kept, writeBlocks(node.content));
    case "ul":
    case "ol":
    case "dl":
      return tagged(name, attrs.kept, `\n${writeBlocks(node.content)}\n`);
    case "table":
      return tagged("table", attrs.kept, `${attrs.lead}\n${writeRows(node.content.content)}`);
    case "row":
      return tagged("tr", attrs.kept, node.content.content.map((cell) => writeBlock(cell, false)).join(""));
    case "td":
    case "th":
      return tagged(name, cellAttributes(node), writeBlocks(node.content));
    case "opaque":
      return attrs.html;
    default:
      return tagged(name, attrs.kept, writeBlocks(node.content));
  }
}

/** Browsers drop one line feed right after <pre>. */
const leadingLineFeed = (node: Node): string => (node.textContent.startsWith("\n") ? "\n" : "");

/** Rows with the elements that they stand in; one that was added stands where its neighbour does. */
function writeRows(rows: readonly Node[]): string {
  const groups: { section: Section; rows: Node[] }[] = [];
  for (const [index, row] of rows.entries()) {
    const last = groups.at(-1);
    const section = (row.attrs.section as Section | null) ?? sectionOfNew(rows, index, last?.section);
    if (last !== undefined && JSON.stringify(last.section) === JSON.stringify(section)) last.rows.push(row);
    else groups.push({ section, rows: [row] });
  }
  return groups
    .map(({ section: { name, kept }, rows: own }) => {
      const written = own.map((row) => writeBlock(row, false)).join("\n");
      return `${tagged(name, kept, `\n${written}\n`)}\n`;
    })
    .join("");
}

function sectionOfNew(rows: readonly Node[], index: number, before: Section | undefined): Section {
  const next = rows.slice(index).find(({ attrs }) => attrs.section !== null)?.attrs.section as Section | undefined;
  return (before?.name === "thead" ? next : before) ?? next ?? body;
}

/** The part of a table that a row stands in. */
export interface Section {
  readonly name: string;
  readonly kept: Kept;
  /** Tells sections of a kind apart that follow each other. */
  readonly index: number;
}

const body: Section = { name: "tbody", kept: [], index: 0 };

/** Those of the source, with the spans that the cell has now. */
function cellAttributes({ attrs }: Node): Kept {
  const spans: [string, number][] = [
    ["colspan", attrs.colspan],
    ["rowspan", attrs.rowspan],
  ];
  const kept = (attrs.kept as Kept).map(([name, value]): readonly [string, string] => {
    const span = spans.find(([known]) => known === name)?.[1];
    return span === undefined || span === Number(value) ? [name, value] : [name, String(span)];
  });
  const added = spans.filter(([name, span]) => span !== 1 && !kept.some(([known]) => known === name));
  return [...kept, ...added.map(([name, span]): [string, string] => [name, String(span)])];
}

/** Each element is written around as much as it holds for, so that none is cut in two. */
function writeInline(leaves: readonly Node[], around: readonly Mark[] = []): string {
  let written = "";
  for (let start = 0; start < leaves.length; ) {
    const [mark, length] = longestMark(leaves, start, around);
    const part = leaves.slice(start, start + length);
    if (mark === undefined) written += writeLeaf(leaves, start);
    else written += tagged(mark.type.name, mark.attrs.kept, writeInline(part, [...around, mark]));
    start += length;
  }
  return written;
}

function longestMark(leaves: readonly Node[], start: number, around: readonly Mark[]): [Mark | undefined, number] {
  let longest: Mark | undefined;
  let most = 0;
  for (const mark of leaves[start]?.marks ?? []) {
    if (mark.isInSet(around)) continue;
    let length = 1;
    while (leaves[start + length] !== undefined && mark.isInSet(leaves[start + length]?.marks ?? [])) length += 1;
    if (length > most) [longest, most] = [mark, length];
  }
  return longest === undefined ? [undefined, 1] : [longest, most];
}

function writeLeaf(leaves: readonly Node[], index: number): string {
  const leaf = leaves[index];
  if (leaf === undefined) return "";
  switch (leaf.type.name) {
    case "text":
      return writeWords(leaf.text ?? "", leaves[index - 1], leaves[index + 1]);
    case "field":
      return `{{${leaf.attrs.key}}}`;
    case "line_break":
      return startTag("br", leaf.attrs.kept);
    default:
      return leaf.attrs.html;
  }
}

/** A brace right beside a field would become a part of it. */
function writeWords(text: string, before: Node | undefined, after: Node | undefined): string {
  const start = before?.type.name === "field" && text.startsWith("}") ? 1 : 0;
  const end = after?.type.name === "field" && text.length > start && text.endsWith("{") ? 1 : 0;
  const inner = escaped(text.slice(start, text.length - end));
  return `${start === 1 ? "&#125;" : ""}${inner}${end === 1 ? "&#123;" : ""}`;
}

function tagged(name: string, kept: Kept, content: string): string {
  return `${startTag(name, kept)}${content}</${name}>`;
}

export const startTag = (name: string, kept: Kept): string =>
  `<${name}${kept.map(([attribute, value]) => ` ${attribute}="${escaped(value).replaceAll('"', "&quot;")}"`).join("")}>`;

/** Only what has to be, so that people can read the source. */
const escaped = (text: string): string => text.replaceAll(/[&<>\r\u00a0]/g, (c) => escapes.get(c) ?? c);

const escapes = new Map([
  ["&", "&amp;"],
  ["<", "&lt;"],
  [">", "&gt;"],
  ["\r", "&#13;"],
  ["\u00a0", "&nbsp;"],
]);
