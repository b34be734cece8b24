import type { HtmlElement, HtmlNode } from "#platform/restricted-html/tree.ts";
import type { Block } from "./blocks.ts";
import { attributeOf, type ElementStyle, integerOf, lookOf, readStyle } from "./element-style.ts";
import { textOf } from "./inline-runs.ts";
import { insideOf, type Place, type TreeState } from "./tree-state.ts";

type ReadBlocks = (nodes: readonly HtmlNode[], place: Place, state: TreeState) => Block[];

/** A list with the labels of its items. What stands in it beside items is an item without a label of its own. */
export function readList(element: HtmlElement, place: Place, state: TreeState, readBlocks: ReadBlocks): Block[] {
  const style = readStyle(element);
  const inside = insideOf(place);
  const items = element.children.filter((node): node is HtmlElement => node.kind === "element");
  const labels = element.name === "ol" ? labelsOf(element, items, style, place) : undefined;
  const read = items.map((item, index) => {
    const clause = style.classes.has("clauses") || place.clause !== undefined ? labels?.[index] : undefined;
    const blocks = readBlocks(item.name === "li" ? item.children : [item], { ...inside, clause }, state);
    const look = item.name === "li" ? lookOf(readStyle(item)) : {};
    return blocks.length === 0 || Object.keys(look).length === 0 ? blocks : [{ kind: "group" as const, look, blocks }];
  });
  if (read.length === 0) return [];
  const list = {
    ...(labels === undefined ? {} : { labels }),
    isPlain: style.classes.has("plain"),
    isTight: read.every(isShort),
    items: read,
  };
  return [{ kind: "list", look: lookOf(style), list }];
}

/** An item of about one line, perhaps with a list of such items below it. */
const isShort = (blocks: readonly Block[]): boolean =>
  blocks.every((block, index) => {
    if (block.kind === "list") return block.list.isTight;
    return index === 0 && block.kind === "paragraph" && textOf(block.runs).length <= maxShortItem;
  });

const maxShortItem = 100;

function labelsOf(
  element: HtmlElement,
  items: readonly HtmlElement[],
  { classes }: ElementStyle,
  place: Place,
): string[] {
  const type = attributeOf(element, "type") ?? "1";
  const isClause = classes.has("clauses") || place.clause !== undefined;
  let number = (integerOf(element, "start", -maxNumber, maxNumber) ?? 1) - 1;
  return items.map((item) => {
    number = integerOf(item, "value", -maxNumber, maxNumber) ?? number + 1;
    if (isClause && type === "1") return clauseLabel(place.clause, number);
    return isClause && place.clause !== undefined ? `(${ordinal(number, type)})` : `${ordinal(number, type)}.`;
  });
}

const maxNumber = 999_999_999;

/** 1. then 1.1 then 1.1.1; below a letter the numbers begin anew. */
function clauseLabel(outer: string | undefined, number: number): string {
  const isNumbered = outer !== undefined && /^[\d.-]+$/.test(outer);
  return isNumbered ? `${outer.replace(/\.$/, "")}.${number}` : `${number}.`;
}

/** Numbers that letters or Roman numerals do not have are written in digits, as browsers do. */
function ordinal(number: number, type: string): string {
  const written = writtenAs(type.toLowerCase(), number) ?? String(number);
  return type === type.toUpperCase() ? written.toUpperCase() : written;
}

function writtenAs(type: string, number: number): string | undefined {
  if (type === "a" && number >= 1) return letters(number);
  return type === "i" && number >= 1 && number <= 3999 ? roman(number) : undefined;
}

const letters = (number: number): string =>
  number === 0 ? "" : letters(Math.floor((number - 1) / 26)) + String.fromCharCode(97 + ((number - 1) % 26));

const numerals: readonly (readonly [number, string])[] = [
  [1000, "m"],
  [900, "cm"],
  [500, "d"],
  [400, "cd"],
  [100, "c"],
  [90, "xc"],
  [50, "l"],
  [40, "xl"],
  [10, "x"],
  [9, "ix"],
  [5, "v"],
  [4, "iv"],
  [1, "i"],
];

function roman(number: number): string {
  const numeral = numerals.find(([value]) => value <= number);
  return numeral === undefined ? "" : numeral[1] + roman(number - numeral[0]);
}
