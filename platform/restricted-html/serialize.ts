import { voidElements } from "./elements.ts";
import type { HtmlElement, HtmlNode } from "./tree.ts";

/**
 * The HTML of a tree that `parseRestrictedHtml` gave, with every tag written out. Browsers, and parseRestrictedHtml,
 * make exactly this tree of it again.
 */
export const renderSafeHtml = (tree: readonly HtmlNode[]): string => tree.map(renderNode).join("");

/** The text as HTML that shows it, in elements and in attributes. */
export const escapeHtml = (text: string): string => text.replaceAll(/[&<>"'\r\u00a0]/g, (c) => escapes[c] ?? c);

const escapes: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
  "\r": "&#13;",
  "\u00a0": "&nbsp;",
};

const renderNode = (node: HtmlNode): string => (node.kind === "text" ? escapeHtml(node.text) : renderElement(node));

function renderElement({ name, attributes, children }: HtmlElement): string {
  const written = attributes.map((attribute) => ` ${attribute.name}="${escapeHtml(attribute.value)}"`).join("");
  if (voidElements.has(name)) return `<${name}${written}>`;
  return `<${name}${written}>${leadingLineFeed(name, children)}${renderSafeHtml(children)}</${name}>`;
}

/** Browsers drop one line feed right after <pre>. */
function leadingLineFeed(name: string, children: readonly HtmlNode[]): string {
  const [first] = children;
  return name === "pre" && first?.kind === "text" && first.text.startsWith("\n") ? "\n" : "";
}

/**
 * A plain text as HTML: lines between blank lines become paragraphs, line ends within them line breaks. Nothing in the
 * text is markup.
 */
export function plainTextToHtml(text: string): string {
  const paragraphs: string[][] = [[]];
  for (const line of text.split(/\r\n|\r|\n/)) {
    if (line.trim() === "") paragraphs.push([]);
    else paragraphs.at(-1)?.push(escapeHtml(line));
  }
  return paragraphs
    .filter((lines) => lines.length > 0)
    .map((lines) => `<p>${lines.join("<br>\n")}</p>\n`)
    .join("");
}
