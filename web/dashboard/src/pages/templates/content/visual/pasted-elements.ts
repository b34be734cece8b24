// What is read of the elements of a clipboard.
import type { DefaultTreeAdapterTypes } from "parse5";
import type { Kept } from "./schema.ts";

export type Document = DefaultTreeAdapterTypes.Document;
export type Element = DefaultTreeAdapterTypes.Element;
export type Child = DefaultTreeAdapterTypes.ChildNode;

export const startOf = (element: Element): number => {
  const start = Number(attributeOf(element, "start") ?? 1);
  return Number.isInteger(start) ? start : 1;
};

export const directionOf = (element: Element): Kept =>
  attributeOf(element, "dir")?.toLowerCase() === "rtl" ? [["dir", "rtl"]] : [];

export const attributeOf = (element: Element, name: string): string | undefined =>
  element.attrs.find((attribute) => attribute.name === name)?.value;

export const childrenOf = (node: Child | Document): Child[] => ("childNodes" in node ? node.childNodes : []);

export const textIn = (node: Child): string =>
  node.nodeName === "#text" && "value" in node ? node.value : childrenOf(node).map(textIn).join("");

export const styleOf = (element: Element): ReadonlyMap<string, string> =>
  declarationsIn(attributeOf(element, "style") ?? "");

export function declarationsIn(style: string): ReadonlyMap<string, string> {
  const declarations = style.split(";").map((declaration) => declaration.split(":"));
  return new Map(
    declarations.map(([name = "", value = ""]) => [name.trim().toLowerCase(), value.trim().toLowerCase()]),
  );
}
