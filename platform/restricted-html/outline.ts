import type { HtmlElement, HtmlNode, SourceRange } from "./tree.ts";

export interface Heading {
  /** 1 to 6. */
  readonly level: number;
  readonly source: SourceRange;
}

export interface Link {
  readonly text: string;
  readonly source: SourceRange;
}

export interface LanguageMark {
  readonly language: string;
  /** True when it holds for all of the text. */
  readonly isOfAll: boolean;
  readonly source: SourceRange;
}

/** What a reader finds their way by. */
export interface Outline {
  readonly headings: readonly Heading[];
  readonly links: readonly Link[];
  readonly languages: readonly LanguageMark[];
}

/** The outline of a tree; the places are those of its elements. */
export function outlineOf(tree: readonly HtmlNode[]): Outline {
  const headings: Heading[] = [];
  const links: Link[] = [];
  const languages: LanguageMark[] = [];
  const around = soleElement(tree);
  for (const element of elementsOf(tree)) {
    const { name, source } = element;
    const level = /^h([1-6])$/.exec(name)?.[1];
    if (level !== undefined) headings.push({ level: Number(level), source });
    if (name === "a" && hasAttribute(element, "href")) links.push({ text: textOf(element.children), source });
    const language = element.attributes.find((attribute) => attribute.name === "lang")?.value;
    if (language !== undefined) languages.push({ language, isOfAll: element === around, source });
  }
  return { headings, links, languages };
}

/** All elements in the order of their start tags. */
function* elementsOf(nodes: readonly HtmlNode[]): Generator<HtmlElement> {
  for (const node of nodes) {
    if (node.kind === "text") continue;
    yield node;
    yield* elementsOf(node.children);
  }
}

/** The text of nodes without their markup. */
export const textOf = (nodes: readonly HtmlNode[]): string =>
  nodes.map((node) => (node.kind === "text" ? node.text : textOf(node.children))).join("");

const hasAttribute = (element: HtmlElement, name: string): boolean =>
  element.attributes.some((attribute) => attribute.name === name);

/** The element that everything but blanks stands in. */
function soleElement(tree: readonly HtmlNode[]): HtmlElement | undefined {
  const [first, ...others] = tree.filter((node) => node.kind === "element" || node.text.trim() !== "");
  return first?.kind === "element" && others.length === 0 ? first : undefined;
}
