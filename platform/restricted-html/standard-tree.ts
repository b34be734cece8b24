import { type DefaultTreeAdapterTypes, defaultTreeAdapter, html, parseFragment } from "parse5";
import type { HtmlElement, HtmlNode, SourceRange } from "./tree.ts";

/**
 * Builds the tree of the source as browsers do, inside of an element and with something after it, and compares. Returns
 * the first place where it differs from `nodes`, or where the text would reach beyond its end; undefined when the tree
 * is the same.
 */
export function findDifference(source: string, nodes: readonly HtmlNode[]): SourceRange | undefined {
  const body = defaultTreeAdapter.createElement("body", html.NS.HTML, []);
  const fragment = parseFragment(body, `<div>${source}</div><hr>`, {});
  const [frame, after, ...rest] = fragment.childNodes;
  const end = { offset: source.length, length: 0 };
  if (frame?.nodeName !== "div" || !("childNodes" in frame)) return end;
  const difference = differenceOfLists(frame.childNodes, nodes, end);
  if (difference !== undefined) return difference;
  const isIntact = after?.nodeName === "hr" && rest.length === 0;
  return isIntact ? undefined : end;
}

type StandardNode = DefaultTreeAdapterTypes.ChildNode;

function differenceOfLists(
  standard: readonly StandardNode[],
  nodes: readonly HtmlNode[],
  end: SourceRange,
): SourceRange | undefined {
  const others = withoutComments(standard);
  for (const [index, node] of nodes.entries()) {
    const other = others[index];
    const difference = other === undefined ? node.source : differenceOfNodes(other, node);
    if (difference !== undefined) return difference;
  }
  return others.length > nodes.length ? (nodes.at(-1)?.source ?? end) : undefined;
}

/** Texts that only a comment separates are one text. Where comments are forbidden there are none by now. */
function withoutComments(nodes: readonly StandardNode[]): readonly StandardNode[] {
  if (!nodes.some((node) => node.nodeName === "#comment")) return nodes;
  const merged: StandardNode[] = [];
  for (const node of nodes) {
    const last = merged.at(-1);
    if (node.nodeName === "#comment") continue;
    if ("value" in node && last !== undefined && "value" in last) {
      merged[merged.length - 1] = { ...last, value: last.value + node.value };
    } else merged.push(node);
  }
  return merged;
}

function differenceOfNodes(standard: StandardNode, node: HtmlNode): SourceRange | undefined {
  if (node.kind === "text") {
    return "value" in standard && standard.nodeName === "#text" && standard.value === node.text
      ? undefined
      : node.source;
  }
  if (!("tagName" in standard) || !isSameElement(standard, node)) return node.source;
  return differenceOfLists(standard.childNodes, node.children, node.source);
}

const isSameElement = (standard: DefaultTreeAdapterTypes.Element, element: HtmlElement): boolean =>
  standard.tagName === element.name &&
  standard.namespaceURI === html.NS.HTML &&
  standard.attrs.length === element.attributes.length &&
  standard.attrs.every((attribute, index) => {
    const other = element.attributes[index];
    return attribute.name === other?.name && attribute.value === other.value;
  });
