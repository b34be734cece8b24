import { filledLength, fillMerge, prepareMerge } from "#platform/restricted-html/merge-html.ts";
import { parseRestrictedHtml } from "#platform/restricted-html/parse.ts";
import { type ContentFormat, contentToHtml, UnsafeContentError } from "#platform/restricted-html/read-content.ts";
import { renderSafeHtml } from "#platform/restricted-html/serialize.ts";
import type { HtmlAttribute, HtmlElement, HtmlNode } from "#platform/restricted-html/tree.ts";

/** A text of the templates service from which a document is made. */
export interface TextJob {
  readonly format: ContentFormat;
  readonly content: string;
  /** The values of its fields; null for a text without fields. */
  readonly values: readonly (readonly [key: string, value: string])[] | null;
}

export type ConvertedText =
  | { readonly kind: "html"; readonly html: string }
  /** The values make it longer than a document may be. */
  | { readonly kind: "too_long" }
  /** The text must not be shown. */
  | { readonly kind: "unsafe"; readonly message: string };

/** Twice the longest text, as where such texts are shown to people. */
const maxCharacters = 2_097_152;

/** Takes up to a second for 1 MiB of HTML, and longer for Markdown; run large texts in a thread. */
export function convertText({ format, content, values }: TextJob): ConvertedText {
  try {
    const html = contentToHtml(format, content);
    const filled = values === null ? html : fill(html, new Map(values));
    if (filled === undefined) return { kind: "too_long" };
    const { tree, findings } = parseRestrictedHtml(filled);
    if (tree === undefined) return { kind: "unsafe", message: findings[0]?.message ?? "The text has errors." };
    return { kind: "html", html: printableHtml(tree) };
  } catch (error) {
    // A RangeError means that a field is at a place where no value is allowed.
    if (!(error instanceof UnsafeContentError || error instanceof RangeError)) throw error;
    return { kind: "unsafe", message: error.message };
  }
}

function fill(html: string, values: ReadonlyMap<string, string>): string | undefined {
  const merge = prepareMerge(html);
  return filledLength(merge, values) > maxCharacters ? undefined : fillMerge(merge, values);
}

/**
 * Converts the HTML of a text for the screen to that of a document: texts may have elements that only make sense on a
 * screen. Visible content is kept; what paper cannot do, such as a link within the page, becomes its text.
 */
const printableHtml = (tree: readonly HtmlNode[]): string => renderSafeHtml(tree.flatMap(printable));

function printable(node: HtmlNode): HtmlNode[] {
  if (node.kind === "text") return [node];
  if (dropped.has(node.name)) return [];
  if (node.name === "img") return textNodes(node, attributeOf(node, "alt") ?? "");
  if (node.name === "table") return printableTable(node);
  return [printableElement(node)];
}

function printableElement(node: HtmlElement): HtmlElement {
  const attributes = node.attributes.filter((attribute) => isKept(node.name, attribute));
  const isNoLink = node.name === "a" && attributes.length === 0;
  const name = isNoLink ? "span" : (renamed[node.name] ?? node.name);
  const children = node.children.flatMap(printable);
  const quoted = node.name === "q" ? [...textNodes(node, "“"), ...children, ...textNodes(node, "”")] : children;
  return { ...node, name, attributes, children: quoted };
}

/** A caption becomes a paragraph before its table. */
function printableTable(table: HtmlElement): HtmlNode[] {
  const isCaption = (node: HtmlNode) => node.kind === "element" && node.name === "caption";
  const captions = table.children.filter(isCaption).flatMap(printable);
  return [...captions, printableElement({ ...table, children: table.children.filter((node) => !isCaption(node)) })];
}

const textNodes = ({ source }: HtmlElement, text: string): HtmlNode[] =>
  text === "" ? [] : [{ kind: "text", text, source }];

const attributeOf = (node: HtmlElement, name: string): string | undefined =>
  node.attributes.find((attribute) => attribute.name === name)?.value;

const names = (list: string, name: string) => Object.fromEntries(list.split(" ").map((one) => [one, name]));

const dropped = new Set(["col", "colgroup", "wbr", "rp"]);

const renamed: Readonly<Record<string, string>> = {
  ...names("address article aside dd dl dt figcaption figure footer header main caption", "div"),
  ...names("abbr bdi mark q rt ruby small time", "span"),
  ...names("cite dfn var", "em"),
  ...names("kbd samp", "code"),
  del: "s",
  ins: "u",
  tfoot: "tbody",
};

function isKept(element: string, { name, value }: HtmlAttribute): boolean {
  switch (`${element} ${name}`) {
    case "a href":
      return /^(?:https|mailto):/i.test(value);
    case "td colspan":
    case "th colspan":
      return Number(value) <= 100;
    case "td rowspan":
    case "th rowspan":
      return Number(value) >= 1;
    case "td align":
    case "th align":
      return /^(?:left|center|right)$/i.test(value);
    case "th scope":
      return /^(?:row|col)$/i.test(value);
    case "ol start":
      return Number(value) >= 0;
    default:
      return element === "ol" && name === "type";
  }
}
