import { renderSafeHtml } from "#platform/restricted-html/serialize.ts";
import type { HtmlAttribute, HtmlElement, HtmlNode } from "#platform/restricted-html/tree.ts";

/**
 * The HTML of a text for readers as a document has it: texts may have elements that only mean something on a screen.
 * What is shown stays; what paper cannot do, such as a link within the page, becomes the text that it is.
 */
export const printableHtml = (tree: readonly HtmlNode[]): string => renderSafeHtml(tree.flatMap(printable));

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

/** A caption stands before its table, as a paragraph. */
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
