// Lists as Word writes them, in its files and on the web.
import { attributeOf, type Child, childrenOf, type Element, startOf, styleOf, textIn } from "./pasted-elements.ts";

/** Items of Word's lists. */
export interface ListParagraph {
  readonly element: Element;
  /** What stands around it alone, from outside in. */
  readonly around: readonly Element[];
  readonly level: number;
  readonly isOrdered: boolean;
  readonly type: string | undefined;
  readonly start: number;
}

/** The items of one list that follow each other from this child on, and where it ends. */
export function listParagraphs(
  children: readonly Child[],
  start: number,
  isHidden: (element: Element) => boolean,
): { readonly items: ListParagraph[]; readonly end: number } {
  const items: ListParagraph[] = [];
  let end = start;
  for (let index = start; index < children.length; index += 1) {
    const child = children[index] as Child;
    const isNothing = isBlank(child) || ("tagName" in child && isHidden(child));
    const found = isNothing ? [] : itemsOf(child);
    if (found.length > 0) end = index + 1;
    else if (!isNothing || items.length === 0) break;
    items.push(...found);
  }
  return { items, end };
}

/** Word writes an item as a paragraph, and on the web as a list of its own; both say how deep it is. */
function itemsOf(child: Child): ListParagraph[] {
  if (!("tagName" in child)) return [];
  const level = /(?:^|;)\s*mso-list:[^;]*\blevel(\d+)/i.exec(attributeOf(child, "style") ?? "")?.[1];
  if (level !== undefined)
    return [{ element: child, around: [], level: Number(level), ...numberingOf(markerIn(child)) }];
  const inside = childrenOf(child).filter((one) => !isBlank(one));
  if (child.tagName === "div") {
    const [list] = inside;
    if (inside.length !== 1 || list === undefined || !["ul", "ol"].includes(list.nodeName)) return [];
    return itemsOf(list).map((item) => ({ ...item, around: [child, ...item.around] }));
  }
  if (child.tagName !== "ul" && child.tagName !== "ol") return [];
  const isOrdered = child.tagName === "ol";
  const numbering = { isOrdered, type: isOrdered ? numberTypeOf(child) : undefined };
  const items = inside.flatMap((element, index): ListParagraph[] => {
    if (!("tagName" in element) || element.tagName !== "li") return [];
    const depth = Number(attributeOf(element, "data-aria-level"));
    return depth >= 1 ? [{ element, around: [child], level: depth, ...numbering, start: startOf(child) + index }] : [];
  });
  return items.length === inside.length ? items : [];
}

const isBlank = (child: Child): boolean =>
  child.nodeName === "#comment" || (child.nodeName === "#text" && "value" in child && child.value.trim() === "");

const numberTypes = new Map<string, string>([
  ...([
    ["lower-alpha", "a"],
    ["lower-latin", "a"],
    ["upper-alpha", "A"],
    ["upper-latin", "A"],
  ] as const),
  ...([
    ["lower-roman", "i"],
    ["upper-roman", "I"],
  ] as const),
]);

export const numberTypeOf = (list: Element): string | undefined =>
  attributeOf(list, "type") ?? numberTypes.get(styleOf(list).get("list-style-type") ?? "");

/** What Word shows before an item, which browsers show themselves. */
function markerIn(element: Element): string {
  if (/mso-list:\s*ignore/i.test(attributeOf(element, "style") ?? "")) return textIn(element).trim();
  for (const child of childrenOf(element)) {
    const marker = "tagName" in child ? markerIn(child) : "";
    if (marker !== "") return marker;
  }
  return "";
}

function numberingOf(marker: string): Pick<ListParagraph, "isOrdered" | "type" | "start"> {
  const number = /^\(?(?:\d+\.)*(\d+|[a-z]+)[.)]/i.exec(marker)?.[1];
  // Word draws one of its bullets with the letter o.
  if (number === undefined || (number === "o" && marker === "o"))
    return { isOrdered: false, type: undefined, start: 1 };
  const type = /^\d/.test(number) ? undefined : /^[ivx]+$/i.test(number) && number.toLowerCase() !== "v" ? "i" : "a";
  return { isOrdered: true, type, start: /^\d/.test(number) ? Number(number) : 1 };
}
