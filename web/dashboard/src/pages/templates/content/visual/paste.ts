import { parse } from "parse5";
import { Fragment, type Mark, type Node, Slice } from "prosemirror-model";
import { findMergeFields } from "#platform/merge-fields.ts";
import { readAddress } from "#platform/restricted-html/address.ts";
import { parseRestrictedHtml } from "#platform/restricted-html/parse.ts";
import { documentRules } from "#platform/restricted-html/rules.ts";
import { unsafeCharacter } from "#platform/restricted-html/text.ts";
import {
  attributeOf,
  type Child,
  childrenOf,
  type Document,
  directionOf,
  type Element,
  startOf,
  styleOf,
} from "./pasted-elements.ts";
import { type ListParagraph, listParagraphs, numberTypeOf } from "./pasted-lists.ts";
import { hiddenClassesIn, isHidden, type Unseen, unseenIn } from "./pasted-visibility.ts";
import { areaOf, type Kept, markType, maxArea, nodeType, schema } from "./schema.ts";
import { type Section, writeText } from "./write.ts";

/**
 * What other programs put on the clipboard, as a part of a text: its headings, paragraphs, lists, tables, links and
 * emphasis, without their looks. Knows how Word and Google Docs write these. Undefined when it is no text that may be
 * shown, as where it is nested too deeply.
 */
export function readClipboard(html: string, withFields: boolean): Slice | undefined {
  const document = parse(html);
  if (isDeep(document)) return undefined;
  const body = childrenOf(document)
    .flatMap(childrenOf)
    .find(({ nodeName }) => nodeName === "body");
  const gathered = new Gathered({ withFields, hiddenClasses: hiddenClassesIn(document) });
  if (body !== undefined) gathered.children(childrenOf(body), []);
  const content = Fragment.fromArray(gathered.finish());
  return parseRestrictedHtml(writeText(content)).tree === undefined ? undefined : Slice.maxOpen(content);
}

/** What is nested more deeply than browsers do is from nobody who writes texts. */
const maxDepth = 512;

function isDeep(document: Document): boolean {
  let level = childrenOf(document);
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > maxDepth) return true;
    level = level.flatMap(childrenOf);
  }
  return false;
}

/** Lines between blank lines become paragraphs. */
export function readPlainText(text: string, withFields: boolean): Slice {
  const gathered = new Gathered({ withFields });
  for (const paragraph of text.replaceAll(/\r\n?/g, "\n").split(/\n[\t ]*\n\s*/)) {
    for (const [index, line] of paragraph.split("\n").entries()) {
      if (index > 0) gathered.leaf(nodeType("line_break").create());
      gathered.text(line, []);
    }
    gathered.end();
  }
  return Slice.maxOpen(Fragment.fromArray(gathered.finish()));
}

/** An address that a link of the text may have; undefined when there is none in it. */
export function linkAddress(written: string): string | undefined {
  const address = written.trim();
  // Google Docs sends whoever follows a link past itself.
  const around = URL.parse(address);
  const isGoogle = around !== null && /(?:^|\.)google\.com$/.test(around.hostname);
  const inside = isGoogle && around.pathname === "/url" && around.searchParams.get("q");
  const target = inside || address;
  const read = readAddress(target);
  if (read.kind === "scheme" && documentRules.linkSchemes.includes(read.scheme)) return target;
  return undefined;
}

interface Source {
  readonly withFields: boolean;
  /** Of styles that show nothing. */
  readonly hiddenClasses?: ReadonlySet<string>;
}

/** Gathers blocks; what stands between them becomes paragraphs. What nobody saw is left out. */
class Gathered {
  readonly #source: Source;
  readonly #blocks: Node[] = [];
  #line: Node[] = [];
  #kept: Kept = [];
  #unseen: Unseen;

  constructor(source: Source, unseen: Unseen = {}) {
    this.#source = source;
    this.#unseen = unseen;
  }

  finish(): Node[] {
    this.end();
    return this.#blocks;
  }

  /** Ends the paragraph that is open; one without words is left out. */
  end(): void {
    const words = trimmed(this.#line);
    this.#line = [];
    if (words.length > 0) this.#blocks.push(nodeType("paragraph").create({ kept: this.#kept }, words));
    this.#kept = [];
  }

  leaf(node: Node): void {
    this.#line.push(node);
  }

  text(text: string, marks: readonly Mark[]): void {
    if (this.#unseen.isEmpty === true || this.#unseen.isInvisible === true) return;
    const last = this.#line.at(-1);
    const isAfterBlank = last === undefined || last.type.name === "line_break" || last.text?.endsWith(" ") === true;
    const clean = text.replaceAll(unsafeCharacter, "").replaceAll(/[\t\n\f\r ]+/g, " ");
    const shown = isAfterBlank ? (clean.trimStart() === "" ? "" : clean.replace(/^ /, "")) : clean;
    let end = 0;
    for (const { key, offset, length } of this.#source.withFields ? findMergeFields(shown).fields : []) {
      if (offset > end) this.leaf(schema.text(shown.slice(end, offset), marks));
      this.leaf(nodeType("field").create({ key }, null, marks));
      end = offset + length;
    }
    if (end < shown.length) this.leaf(schema.text(shown.slice(end), marks));
  }

  children(children: readonly Child[], marks: readonly Mark[]): void {
    for (let index = 0; index < children.length; ) {
      const { items, end } = listParagraphs(children, index, (element) => this.#isHidden(element));
      if (items.length > 0) {
        this.end();
        this.#blocks.push(...this.#wordList(items));
        // Blanks between them belong to them.
        index = end;
      } else {
        const child = children[index];
        if (child !== undefined) this.#child(child, marks);
        index += 1;
      }
    }
  }

  #child(child: Child, marks: readonly Mark[]): void {
    if (child.nodeName === "#text" && "value" in child) this.text(child.value, marks);
    else if ("tagName" in child && !this.#isHidden(child)) {
      const around = this.#unseen;
      this.#unseen = unseenIn(child, around);
      this.#element(child, marks);
      this.#unseen = around;
    }
  }

  #isHidden(element: Element): boolean {
    const { hiddenClasses } = this.#source;
    if (isHidden(element)) return true;
    if (hiddenClasses === undefined || hiddenClasses.size === 0) return false;
    return (attributeOf(element, "class") ?? "").split(/\s+/).some((name) => hiddenClasses.has(name));
  }

  #element(element: Element, marks: readonly Mark[]): void {
    const name = element.tagName;
    const level = levelOf(element);
    if (name === "br") {
      if (attributeOf(element, "class") !== "Apple-interchange-newline") this.leaf(nodeType("line_break").create());
    } else if (level !== undefined) {
      this.#add(this.#inside(element).map((block) => asHeading(block, level)));
    } else if (name === "ul" || name === "ol") this.#add([this.#list(element)]);
    else if (name === "table") this.#add(this.#table(element));
    else if (name === "hr") this.#add([nodeType("rule").create()]);
    else if (name === "blockquote") {
      const inside = this.#inside(element);
      this.#add(inside.length > 0 ? [nodeType("box").create({ name }, inside)] : []);
    } else if (name === "pre") {
      const text = this.#textIn(element).replaceAll(unsafeCharacter, "").replace(/\n$/, "");
      this.#add(text === "" ? [] : [nodeType("pre").create(null, schema.text(text))]);
    } else if (blockNames.has(name)) {
      this.end();
      this.#kept = directionOf(element);
      this.children(childrenOf(element), []);
      this.end();
    } else this.children(childrenOf(element), marksOf(element, marks));
  }

  #add(blocks: readonly (Node | undefined)[]): void {
    this.end();
    this.#blocks.push(...blocks.filter((block) => block !== undefined));
  }

  /** Of what stands as it was typed. */
  #textIn(node: Child): string {
    if ("tagName" in node && this.#isHidden(node)) return "";
    const { isEmpty, isInvisible } = this.#unseen;
    if (node.nodeName === "#text" && "value" in node) return isEmpty || isInvisible ? "" : node.value;
    const around = this.#unseen;
    if ("tagName" in node) this.#unseen = unseenIn(node, around);
    const text = childrenOf(node)
      .map((child) => this.#textIn(child))
      .join("");
    this.#unseen = around;
    return text;
  }

  #inside(element: Element, around: readonly Element[] = []): Node[] {
    const unseen = [...around, element].reduce((outer, one) => unseenIn(one, outer), this.#unseen);
    const inside = new Gathered(this.#source, unseen);
    inside.#kept = directionOf(element);
    inside.children(childrenOf(element), []);
    return inside.finish();
  }

  /** Google Docs puts a list that belongs to an item beside it. */
  #list(element: Element): Node | undefined {
    const items: Node[][] = [];
    for (const child of childrenOf(element)) {
      if (!("tagName" in child) || this.#isHidden(child)) continue;
      if (child.tagName === "li") items.push(this.#inside(child));
      else if (child.tagName === "ul" || child.tagName === "ol") {
        const outer = this.#unseen;
        this.#unseen = unseenIn(child, outer);
        const inner = this.#list(child);
        this.#unseen = outer;
        if (inner !== undefined) (items.at(-1) ?? items[items.push([]) - 1])?.push(inner);
      } else items.push(this.#inside(child));
    }
    return makeList(
      { isOrdered: element.tagName === "ol", type: numberTypeOf(element), start: startOf(element) },
      items,
    );
  }

  /** Word writes the items of lists as paragraphs that say how deep they are. */
  #wordList(items: readonly ListParagraph[]): Node[] {
    const lists: Node[] = [];
    for (let index = 0; index < items.length; ) {
      const first = items[index] as ListParagraph;
      const own: Node[][] = [];
      while (index < items.length) {
        const item = items[index] as ListParagraph;
        if (item.level <= first.level && (item.isOrdered !== first.isOrdered || item.level < first.level)) break;
        if (item.level > first.level) {
          const end = items.findIndex(({ level }, at) => at > index && level <= first.level);
          const deeper = items.slice(index, end === -1 ? items.length : end);
          (own.at(-1) ?? own[own.push([]) - 1])?.push(...this.#wordList(deeper));
          index += deeper.length;
        } else {
          const { around, element } = item;
          if (![...around, element].some((one) => this.#isHidden(one))) own.push(this.#inside(element, around));
          index += 1;
        }
      }
      const list = makeList(first, own);
      if (list !== undefined) lists.push(list);
    }
    return lists;
  }

  #table(element: Element): Node[] {
    const rows = rowsIn(element).flatMap(({ row, section }) => {
      const { parentNode } = row;
      if (this.#isHidden(row) || (parentNode !== null && "tagName" in parentNode && this.#isHidden(parentNode)))
        return [];
      const cells = childrenOf(row).flatMap((child) => {
        const isCell = "tagName" in child && (child.tagName === "td" || child.tagName === "th");
        return isCell && !this.#isHidden(child) ? [this.#cell(child, row)] : [];
      });
      return cells.length > 0 ? [nodeType("row").create({ section }, cells)] : [];
    });
    // One that the editor cannot hold becomes lines.
    if (areaOf(rows) > maxArea) return rows.flatMap((row) => row.content.content.flatMap((one) => one.content.content));
    return rows.length > 0 ? [nodeType("table").create(null, rows)] : [];
  }

  #cell(element: Element, row: Element): Node {
    const attrs = { colspan: spanOf(element, "colspan"), rowspan: spanOf(element, "rowspan") };
    return nodeType(element.tagName).create(attrs, asLines(this.#inside(element, [row])));
  }
}

function makeList(
  list: Pick<ListParagraph, "isOrdered" | "type" | "start">,
  items: readonly Node[][],
): Node | undefined {
  if (items.length === 0) return undefined;
  const { isOrdered, type, start } = list;
  const kept: [string, string][] = [];
  if (isOrdered && start !== 1 && start >= 0 && start <= 999_999) kept.push(["start", String(start)]);
  if (isOrdered && type !== undefined && ["a", "i"].includes(type.toLowerCase())) kept.push(["type", type]);
  return nodeType(isOrdered ? "ol" : "ul").create(
    { kept },
    items.map((blocks) => nodeType("li").create(null, asLines(blocks))),
  );
}

/** Items and cells that say one thing need no paragraph around it. */
function asLines(blocks: readonly Node[]): Node[] {
  const [first, ...others] = blocks;
  if (first === undefined) return [nodeType("line").create()];
  const isAlone = others.every(({ type }) => type.name === "ul" || type.name === "ol");
  const isPlain = first.type.name === "paragraph" && first.attrs.kept.length === 0;
  return isAlone && isPlain ? [nodeType("line").create(null, first.content), ...others] : [...blocks];
}

const asHeading = (block: Node, level: number): Node =>
  block.type.name === "paragraph"
    ? nodeType("heading").create({ level, kept: block.attrs.kept }, withoutMark(block.content, "strong"))
    : block;

/** Headings are bold already. */
const withoutMark = (content: Fragment, name: string): Fragment =>
  Fragment.fromArray(content.content.map((node) => node.mark(markType(name).removeFromSet(node.marks))));

function levelOf(element: Element): number | undefined {
  const level = /^h([1-6])$/.exec(element.tagName)?.[1];
  if (level !== undefined) return Number(level);
  if (element.tagName !== "p") return undefined;
  const told = attributeOf(element, "role") === "heading" ? attributeOf(element, "aria-level") : undefined;
  if (told !== undefined && /^[1-6]$/.test(told)) return Number(told);
  const kind = attributeOf(element, "class") ?? "";
  if (kind === "MsoTitle") return 1;
  const outline = /^Mso(?:o?)Heading([1-6])$/i.exec(kind)?.[1];
  return outline === undefined ? undefined : Number(outline);
}

const blockNames = new Set(
  `p div section article aside address figure figcaption footer header main center form fieldset dl dt dd li nav
  details summary`.split(/\s+/),
);

const emphasis = new Map([
  ...["b", "strong"].map((name) => [name, "strong"] as const),
  ...["i", "em"].map((name) => [name, "em"] as const),
  ...["strike", "s"].map((name) => [name, "s"] as const),
  ...["u", "sub", "sup", "code", "kbd", "samp", "mark", "small", "q", "del", "ins"].map(
    (name) => [name, name] as const,
  ),
]);

function marksOf(element: Element, around: readonly Mark[]): readonly Mark[] {
  const style = styleOf(element);
  const name = element.tagName;
  let marks = around;
  const add = (added: string, kept: Kept = []) => {
    marks = markType(added)
      .create({ kept })
      .addToSet(marks.filter(({ type }) => type.name !== added));
  };
  const weight = style.get("font-weight");
  const isUnstyled =
    name === "b" || name === "strong"
      ? /^(?:normal|[1-5]00)$/.test(weight ?? "")
      : style.get("font-style") === "normal";
  const own = emphasis.get(name);
  if (own !== undefined && !(["strong", "em"].includes(own) && isUnstyled)) add(own);
  const href = name === "a" ? linkAddress(attributeOf(element, "href") ?? "") : undefined;
  if (href !== undefined) add("a", [["href", href]]);
  if (/^(?:bold|bolder|[6-9]00)$/.test(weight ?? "")) add("strong");
  if (/italic|oblique/.test(style.get("font-style") ?? "")) add("em");
  const decoration = `${style.get("text-decoration") ?? ""} ${style.get("text-decoration-line") ?? ""}`;
  const isInLink = marks.some(({ type }) => type.name === "a") || name === "a";
  if (decoration.includes("underline") && !isInLink) add("u");
  if (decoration.includes("line-through")) add("s");
  if (style.get("vertical-align") === "super") add("sup");
  if (style.get("vertical-align") === "sub") add("sub");
  return isInLink ? marks.filter(({ type }) => type.name !== "u") : marks;
}

/** Without the blanks around it and without line breaks at its end; nothing when there are no words. */
function trimmed(line: readonly Node[]): Node[] {
  const words = [...line];
  while (words.length > 0) {
    const last = words.at(-1) as Node;
    // From the first blank of many only, or each of them would begin a search of its own.
    const text = last.text?.replace(/(?<![ \u00a0])[ \u00a0]+$/, "");
    if (last.type.name !== "line_break" && text === undefined) break;
    words.pop();
    if (text !== undefined && text !== "") {
      words.push(schema.text(text, last.marks));
      break;
    }
  }
  return words;
}

function rowsIn(table: Element): { readonly row: Element; readonly section: Section }[] {
  return childrenOf(table).flatMap((child, index) => {
    if (!("tagName" in child) || !["thead", "tbody", "tfoot"].includes(child.tagName)) return [];
    const section: Section = { name: child.tagName, kept: [], index };
    return childrenOf(child).flatMap((row) => ("tagName" in row && row.tagName === "tr" ? [{ row, section }] : []));
  });
}

function spanOf(element: Element, name: string): number {
  const span = Number(attributeOf(element, name) ?? 1);
  return Number.isInteger(span) && span >= 1 && span <= 1000 ? span : 1;
}
