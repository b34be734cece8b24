import { readAddress } from "#platform/restricted-html/address.ts";
import type { HtmlElement, HtmlNode } from "#platform/restricted-html/tree.ts";
import { textHtml } from "./markup.ts";

/** A text's inline formatting and link. */
export interface Marks {
  readonly strong?: boolean;
  readonly em?: boolean;
  readonly u?: boolean;
  readonly s?: boolean;
  readonly code?: boolean;
  readonly small?: boolean;
  readonly shift?: "sub" | "sup";
  readonly href?: string;
}

export const noMarks: Marks = {};

/** A position in the printed text. */
export interface Place {
  readonly marks: Marks;
  /** The number of enclosing lists, quotations and tables. */
  readonly depth: number;
}

/** Deeper elements lose their frame but keep their text, because the renderer limits nesting. */
export const maxDepth = 10;

export const attributeOf = ({ attributes }: HtmlElement, wanted: string): string | undefined =>
  attributes.find(({ name }) => name === wanted)?.value;

export const elementsOf = (nodes: readonly HtmlNode[]): HtmlElement[] =>
  nodes.filter((node): node is HtmlElement => node.kind === "element");

/** The formatting inside an element. The renderer knows few inline elements, so several map to one. */
export function withElement(marks: Marks, element: HtmlElement): Marks {
  if (element.name === "a") {
    const href = attributeOf(element, "href");
    return href === undefined || !isPrintable(href) ? marks : { ...marks, href };
  }
  return { ...marks, ...(Object.hasOwn(marksOfElements, element.name) ? marksOfElements[element.name] : undefined) };
}

const marksOfElements: Readonly<Record<string, Marks>> = {
  b: { strong: true },
  strong: { strong: true },
  mark: { strong: true },
  cite: { em: true },
  dfn: { em: true },
  em: { em: true },
  i: { em: true },
  var: { em: true },
  ins: { u: true },
  u: { u: true },
  del: { s: true },
  s: { s: true },
  code: { code: true },
  kbd: { code: true },
  samp: { code: true },
  small: { small: true },
  sub: { shift: "sub" },
  sup: { shift: "sup" },
};

/** Other links, such as to a phone number or a place in the text, keep only their text. */
function isPrintable(href: string): boolean {
  const address = readAddress(href);
  return address.kind === "scheme" && ["https", "http", "mailto"].includes(address.scheme);
}

export function markedHtml(text: string, marks: Marks): string {
  let html = textHtml(text);
  if (html.trim() === "") return html;
  const wrap = (tag: string, attributes = ""): void => {
    html = `<${tag}${attributes}>${html}</${tag}>`;
  };
  if (marks.code) wrap("code");
  if (marks.shift !== undefined) wrap(marks.shift);
  if (marks.s) wrap("s");
  if (marks.u) wrap("u");
  if (marks.em) wrap("em");
  if (marks.strong) wrap("strong");
  if (marks.small) wrap("span", ' class="small"');
  if (marks.href !== undefined) wrap("a", ` href="${textHtml(marks.href)}"`);
  return html;
}
