import { Fragment, type Node } from "prosemirror-model";
import { TableMap } from "prosemirror-tables";
import { voidElements } from "#platform/restricted-html/elements.ts";
import { textOf } from "#platform/restricted-html/outline.ts";
import { parseRestrictedHtml } from "#platform/restricted-html/parse.ts";
import type { HtmlElement, HtmlNode, SourceRange } from "#platform/restricted-html/tree.ts";
import { InlineRun, type Place, type Placed } from "./inline-run.ts";
import { areaOf, isBoxName, isInlineName, type Kept, maxArea, nodeType } from "./schema.ts";
import { type Section, startTag, writeText } from "./write.ts";

export interface ReadText {
  readonly doc: Node;
  /** Where a part of the source stands in the document; undefined when it is nowhere. */
  placeOf(range: SourceRange): { readonly from: number; readonly to: number } | undefined;
}

/** Why a text cannot be shown as it will look. */
export type Refusal = "ERRORS" | "FORM";

/**
 * Reads restricted HTML as a document that `writeText` writes as the same text again: the same elements with the same
 * attributes around the same words. What differs is what nobody sees: blanks between blocks and those that browsers
 * show as one, and which of two elements around the very same words is the outer one. What the editor has no form for
 * is kept as it is, in a block that cannot be changed.
 */
export function readText(source: string, withFields: boolean): ReadText | Refusal {
  const { tree } = parseRestrictedHtml(source);
  if (tree === undefined) return "ERRORS";
  const { node: doc, places } = createReader(source, withFields).document(tree);
  // Nobody's text is at stake if this is wrong one day.
  const again = parseRestrictedHtml(writeText(doc.content)).tree;
  if (again === undefined) return "FORM";
  const written = writeText(createReader(writeText(doc.content), withFields).document(again).node.content);
  if (written !== writeText(doc.content)) return "FORM";
  return { doc, placeOf: (range) => placeOf(places, range) };
}

function createReader(source: string, withFields: boolean) {
  const raw = ({ offset, length }: SourceRange): string => source.slice(offset, offset + length);

  /** As it stands in the source, but for end tags, which are all written. */
  const verbatim = (node: HtmlNode): string => {
    if (node.kind === "text") return raw(node.source);
    const start = node.source.length === 0 ? startTag(node.name, keptOf(node)) : raw(node.source);
    if (voidElements.has(node.name)) return start;
    return `${start}${node.children.map(verbatim).join("")}</${node.name}>`;
  };

  const opaque = (...nodes: readonly [HtmlNode, ...HtmlNode[]]): Placed => {
    const text = textOf(nodes).replaceAll(/\s+/g, " ").trim();
    const html = nodes
      .map(verbatim)
      .join("")
      .replaceAll(/^[\t\n\f\r ]+|(?<![\t\n\f\r ])[\t\n\f\r ]+$/g, "");
    const [{ source }] = nodes;
    const { offset, length } = (nodes.at(-1) ?? nodes[0]).source;
    const range = { offset: source.offset, length: offset + length - source.offset };
    return placed(nodeType("opaque").create({ html, text }), [], range);
  };

  const inline = (nodes: readonly HtmlNode[], isPre = false): Placed[] => {
    const run = new InlineRun({ raw, verbatim, withFields, isPre });
    run.add(nodes);
    return run.finish();
  };

  const textblock = (name: string, node: HtmlElement, attrs: object = {}): Placed =>
    node.children.every(isInline)
      ? placed(
          nodeType(name).create({ kept: keptOf(node), ...attrs }),
          inline(node.children, name === "pre"),
          node.source,
        )
      : opaque(node);

  /** Blocks, and lines of what stands between them. */
  const flow = (nodes: readonly HtmlNode[]): Placed[] => {
    const blocks: Placed[] = [];
    let run: HtmlNode[] = [];
    const endRun = () => {
      const [first, ...others] = run;
      // In a line with what stands beside it, of which a line end of the source would part it.
      if (first !== undefined && !run.every(isInline)) blocks.push(opaque(first, ...others));
      else {
        const leaves = inline(run);
        if (leaves.length > 0) blocks.push(placed(nodeType("line").create(), leaves));
      }
      run = [];
    };
    for (const node of nodes) {
      if (node.kind === "text" || isInlineElement(node.name)) run.push(node);
      else {
        endRun();
        blocks.push(block(node));
      }
    }
    endRun();
    return blocks.length > 0 ? blocks : [placed(nodeType("line").create(), [])];
  };

  const gathered = (name: string, node: HtmlElement, members: readonly string[]): Placed => {
    const children = node.children.filter((child) => !isBlank(child));
    const isRegular = children.every((child) => child.kind === "element" && members.includes(child.name));
    if (!isRegular || children.length === 0 || hasHiddenBraces(node)) return opaque(node);
    const items = children.map((child) =>
      child.kind === "element" && !hasHiddenBraces(child)
        ? placed(nodeType(child.name).create({ kept: keptOf(child) }), flow(child.children), child.source)
        : undefined,
    );
    const known = items.filter((item) => item !== undefined);
    if (known.length < items.length) return opaque(node);
    return placed(nodeType(name).create({ kept: keptOf(node) }), known, node.source);
  };

  const cell = (node: HtmlElement): Placed => {
    const spans = { colspan: spanOf(node, "colspan"), rowspan: spanOf(node, "rowspan") };
    return placed(nodeType(node.name).create({ kept: keptOf(node), ...spans }), flow(node.children), node.source);
  };

  const table = (node: HtmlElement): Placed => {
    const children = node.children.filter((child) => !isBlank(child)) as HtmlElement[];
    const first = children.findIndex(({ name }) => isSectionName(name));
    const lead = children.slice(0, first);
    const sections = children.slice(first);
    const isRegular =
      first !== -1 &&
      sections.every(({ name }) => isSectionName(name)) &&
      sections.every((section) => hasOnly(section, ["tr"]) && !hasHiddenBraces(section)) &&
      sections.flatMap(elementsIn).every((row) => hasOnly(row, ["td", "th"]) && !hasHiddenBraces(row)) &&
      sections.flatMap(elementsIn).flatMap(elementsIn).every(isPlainCell);
    if (!isRegular || hasHiddenBraces(node)) return opaque(node);
    const rows = sections.flatMap((section, index) => {
      const own: Section = { name: section.name, kept: keptOf(section), index };
      return elementsIn(section).map((row) =>
        placed(nodeType("row").create({ kept: keptOf(row), section: own }), elementsIn(row).map(cell), row.source),
      );
    });
    const caption = textOf(lead.filter(({ name }) => name === "caption"))
      .replaceAll(/\s+/g, " ")
      .trim();
    const attrs = { kept: keptOf(node), lead: lead.map(verbatim).join(""), caption };
    const made = placed(nodeType("table").create(attrs), rows, node.source);
    // The editor would fill up a table whose rows differ in length.
    return isOfSize(rows) && TableMap.get(made.node).problems === null ? made : opaque(node);
  };

  const block = (node: HtmlNode): Placed => {
    if (node.kind === "text") return placed(nodeType("line").create(), inline([node]));
    const { name } = node;
    if (hasHiddenBraces(node)) return opaque(node);
    if (name === "p") return textblock("paragraph", node);
    if (/^h[1-6]$/.test(name)) return textblock("heading", node, { level: Number(name[1]) });
    if (name === "pre") return textblock("pre", node);
    if (name === "hr") return placed(nodeType("rule").create({ kept: keptOf(node) }), [], node.source);
    if (name === "ul" || name === "ol") return gathered(name, node, ["li"]);
    if (name === "dl") return gathered(name, node, ["dt", "dd"]);
    if (name === "table") return table(node);
    if (!isBoxName(name)) return opaque(node);
    return placed(nodeType("box").create({ name, kept: keptOf(node) }), flow(node.children), node.source);
  };

  /** Written as it is decoded, a brace in an attribute would look like a merge field. */
  const hasHiddenBraces = (node: HtmlElement): boolean =>
    node.source.length > 0 &&
    node.attributes.some(({ value }) => /[{}]/.test(value) && !raw(node.source).includes(value));

  return {
    document: (tree: readonly HtmlNode[]): Placed =>
      tree.length === 0
        ? placed(nodeType("doc").create(), [placed(nodeType("paragraph").create(), [])])
        : placed(nodeType("doc").create(), flow(tree)),
  };
}

const keptOf = ({ attributes }: HtmlElement): Kept => attributes.map(({ name, value }) => [name, value]);

const isBlank = (node: HtmlNode): boolean => node.kind === "text" && /^[\t\n\f\r ]*$/.test(node.text);

const isSectionName = (name: string): boolean => ["thead", "tbody", "tfoot"].includes(name);

const elementsIn = (node: HtmlElement): HtmlElement[] =>
  node.children.filter((child): child is HtmlElement => child.kind === "element");

const hasOnly = (node: HtmlElement, names: readonly string[]): boolean =>
  elementsIn(node).length > 0 &&
  node.children.every((c) => (c.kind === "element" ? names.includes(c.name) : isBlank(c)));

const isPlainCell = (node: HtmlElement): boolean =>
  spanOf(node, "rowspan") > 0 && !node.attributes.some(({ value }) => /[{}]/.test(value));

/** The editor has a place in its memory for each cell that the spans reach over. */
const isOfSize = (rows: readonly Placed[]): boolean => areaOf(rows.map(({ node }) => node)) <= maxArea;

const spanOf = (node: HtmlElement, name: string): number =>
  Number(node.attributes.find((attribute) => attribute.name === name)?.value ?? 1);

const isInline = (node: HtmlNode): boolean =>
  node.kind === "text" || (isInlineElement(node.name) && node.children.every(isInline));

const isInlineElement = (name: string): boolean =>
  isInlineName(name) || ["br", "wbr", "img", "ruby", "rt", "rp"].includes(name);

/** A node with its content, and the places of both counted from its start. */
function placed(node: Node, children: readonly Placed[], source?: SourceRange): Placed {
  const filled = node.copy(Fragment.fromArray(children.map((child) => child.node)));
  // The document itself has no start.
  const start = node.type.name === "doc" ? 0 : 1;
  const places: Place[] = source === undefined ? [] : [{ source, from: 0, to: filled.nodeSize }];
  let position = start;
  for (const child of children) {
    for (const place of child.places) {
      places.push({ ...place, from: place.from + position, to: place.to + position });
    }
    position += child.node.nodeSize;
  }
  return { node: filled, places };
}

function placeOf(places: readonly Place[], { offset, length }: SourceRange) {
  const first = places.find(({ source }) => source.offset <= offset && offset < source.offset + source.length);
  if (first === undefined) return undefined;
  if (first.positionOf === undefined) return { from: first.from, to: first.to };
  const from = Math.min(first.from + first.positionOf(offset), first.to - 1);
  const end = offset + length;
  const to = end > first.source.offset + first.source.length ? first.to : first.from + first.positionOf(end);
  return { from, to: Math.max(from + 1, to) };
}
