import type { HtmlElement } from "#platform/restricted-html/tree.ts";
import { type PrintStyle, readPrintStyle } from "../templating/print-style.ts";
import type { Align, Look, Marks, Width } from "./blocks.ts";

/** What an element's attributes say about how it is set. */
export interface ElementStyle {
  readonly classes: ReadonlySet<string>;
  readonly align: Align | undefined;
  readonly width: Width | undefined;
  readonly breakBefore: boolean;
  readonly breakAfter: boolean;
  readonly keep: boolean;
}

/** What is unknown says nothing; what is allowed is decided where templates are checked. */
export function readStyle(element: HtmlElement): ElementStyle {
  const classes = new Set(words(attributeOf(element, "class") ?? ""));
  const style = readPrintStyle(attributeOf(element, "style") ?? "").style ?? {};
  return {
    classes,
    align: style.textAlign ?? alignOf(attributeOf(element, "align")) ?? aligns.find((align) => classes.has(align)),
    width: widthOf(style),
    breakBefore: style.breakBefore === "page" || classes.has("page-break"),
    breakAfter: style.breakAfter === "page",
    keep: style.breakInside === "avoid" || classes.has("no-break"),
  };
}

export const attributeOf = (element: HtmlElement, name: string): string | undefined =>
  element.attributes.find((attribute) => attribute.name === name)?.value;

/** The integer of an attribute, brought within these bounds; undefined when there is none. */
export function integerOf(element: HtmlElement, name: string, min: number, max: number): number | undefined {
  const value = attributeOf(element, name) ?? "";
  return /^-?\d{1,9}$/.test(value) ? Math.min(max, Math.max(min, Number(value))) : undefined;
}

/** The style as blocks have it. */
export const lookOf = ({ classes, align, keep }: ElementStyle): Look => ({
  ...(align === undefined ? {} : { align }),
  ...(classes.has("small") ? { small: true } : {}),
  ...(classes.has("muted") ? { muted: true } : {}),
  ...(classes.has("lead") ? { lead: true } : {}),
  ...(classes.has("number") ? { number: true } : {}),
  ...(keep ? { keep: true } : {}),
});

/** The style as runs of text have it. */
export const marksOf = ({ classes }: ElementStyle): Marks => ({
  ...(classes.has("small") ? { small: true } : {}),
  ...(classes.has("muted") ? { muted: true } : {}),
  ...(classes.has("number") ? { number: true } : {}),
});

const aligns: readonly Align[] = ["left", "center", "right", "justify"];

const alignOf = (value: string | undefined): Align | undefined =>
  aligns.find((align) => align === value?.trim().toLowerCase());

const words = (text: string): string[] =>
  text
    .toLowerCase()
    .split(/[\t\n\f\r ]+/)
    .filter((word) => word !== "");

/** The width of the widest paper that there is, across. */
const maxMillimetres = 356;

function widthOf({ width }: PrintStyle): Width | undefined {
  if (width === undefined) return undefined;
  return width.unit === "%" ? { percent: width.value } : { mm: Math.min(width.value, maxMillimetres) };
}
