import { readAddress } from "#platform/restricted-html/address.ts";
import type { HtmlElement, HtmlNode } from "#platform/restricted-html/tree.ts";
import { textHtml } from "./markup.ts";

/** How a text in a line looks, and where it leads. */
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

/** Where in the printed text something stands. */
export interface Place {
  readonly marks: Marks;
  /** How many lists, quotations and tables are around it. */
  readonly depth: number;
}

/** Deeper ones lose their frames and keep their texts: what is typeset may not be nested without end. */
export const maxDepth = 10;

export const attributeOf = ({ attributes }: HtmlElement, wanted: string): string | undefined =>
  attributes.find(({ name }) => name === wanted)?.value;

export const elementsOf = (nodes: readonly HtmlNode[]): HtmlElement[] =>
  nodes.filter((node): node is HtmlElement => node.kind === "element");

/** The marks inside of an element; documents have no others, so some elements share one. */
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

/** Other links, such as to a telephone or to a place in the text itself, keep their text only. */
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
