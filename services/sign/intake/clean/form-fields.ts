import {
  PDFArray,
  type PDFContext,
  PDFDict,
  PDFHexString,
  PDFName,
  PDFNull,
  PDFNumber,
  type PDFObject,
  PDFString,
} from "pdf-lib";
import { type FoundPage, pageBoxOf, shownPoint } from "../page-tree.ts";
import { maxFieldDepth } from "../pdf-limits.ts";
import { isShownOnScreen, numbersOf } from "./annotations.ts";

/** A field of a form with everything that it inherits, and the places where a page shows it. */
export interface FormField {
  /** With those of its parents: `applicant.name`. */
  readonly name: string;
  readonly type: "Tx" | "Btn" | "Ch" | "Sig";
  readonly flags: number;
  /** Several in a list in which several may be chosen. */
  readonly values: readonly string[];
  /** Whether its value is something else than texts and names, which no tab could hold. */
  readonly isUnreadable: boolean;
  readonly tooltip: string;
  /** 0 for no limit. */
  readonly maxLength: number;
  /** How its text looks: operators of a content stream. */
  readonly look: string;
  readonly options: readonly { readonly text: string; readonly value: string }[];
  /** The beginnings of the scripts that format it, one after the other. */
  readonly scripts: string;
  readonly places: readonly FieldPlace[];
}

export interface FieldPlace {
  readonly widget: PDFDict;
  /** From 1. */
  readonly page: number;
  /** Points from the upper left corner of the page as displayed, within it. */
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** Of a button: the name of its appearance when it is on; empty when nothing says so. */
  readonly state: string;
  /** Whether a button is drawn as being on. */
  readonly isOn: boolean;
}

/** The visible fields of all pages, in the order in which the tab key visits them. */
export function readForm(context: PDFContext, catalog: PDFDict, pages: readonly FoundPage[]): FormField[] {
  const form = dictOf(catalog.lookup(PDFName.of("AcroForm")));
  const byName = new Map<string, Omit<FormField, "places"> & { readonly places: FieldPlace[] }>();
  for (const [index, { node }] of pages.entries()) {
    for (const { widget, place } of placesOn(context, node, index + 1)) {
      const chain = chainOf(widget);
      const type = inheritedIn(chain, "FT");
      if (!(type instanceof PDFName) || !isType(type.decodeText())) continue;
      // Without a name, each is a field of its own.
      const name = nameIn(chain);
      const key = name === "" ? `\u0000${byName.size}` : name;
      const field = byName.get(key) ?? fieldOf(chain, { name, type: type.decodeText() as FormField["type"], form });
      byName.set(key, field);
      field.places.push(place);
    }
  }
  return [...byName.values()];
}

const isType = (name: string): boolean => ["Tx", "Btn", "Ch", "Sig"].includes(name);

interface PlacedWidget {
  readonly widget: PDFDict;
  readonly place: FieldPlace;
}

function placesOn(context: PDFContext, page: PDFDict, number: number): PlacedWidget[] {
  const annotations = page.lookup(PDFName.of("Annots"));
  if (!(annotations instanceof PDFArray)) return [];
  const seen = new Set<PDFDict>();
  const found = annotations.asArray().flatMap((link): PlacedWidget[] => {
    const widget = context.lookup(link);
    if (!(widget instanceof PDFDict) || seen.has(widget) || !isVisibleWidget(widget)) return [];
    seen.add(widget);
    const box = shownBoxOf(page, widget);
    const state = stateOf(widget);
    const isOn = state !== "" && textOf(widget.lookup(PDFName.of("AS"))) === state;
    return box === undefined ? [] : [{ widget, place: { widget, page: number, ...box, state, isOn } }];
  });
  const order = page.lookup(PDFName.of("Tabs"));
  const [first, second] = order === PDFName.of("C") ? (["x", "y"] as const) : (["y", "x"] as const);
  if (order !== PDFName.of("C") && order !== PDFName.of("R")) return found;
  return found.sort((a, b) => a.place[first] - b.place[first] || a.place[second] - b.place[second]);
}

const isVisibleWidget = (annotation: PDFDict): boolean =>
  annotation.lookup(PDFName.of("Subtype")) === PDFName.of("Widget") && isShownOnScreen(annotation);

/** Undefined for a field without extent or outside of its page. */
function shownBoxOf(page: PDFDict, widget: PDFDict) {
  const corners = numbersOf(widget.lookup(PDFName.of("Rect")), 4);
  if (corners === undefined || !corners.every(Number.isFinite)) return undefined;
  const [x0 = 0, y0 = 0, x1 = 0, y1 = 0] = corners;
  const box = pageBoxOf(page);
  const [a, b] = [shownPoint(box, x0, y0), shownPoint(box, x1, y1)];
  const [pageWidth, pageHeight] = box.rotation % 180 === 0 ? [box.width, box.height] : [box.height, box.width];
  const [left, right] = [Math.max(0, Math.min(a.x, b.x)), Math.min(pageWidth, Math.max(a.x, b.x))];
  const [top, bottom] = [Math.max(0, Math.min(a.y, b.y)), Math.min(pageHeight, Math.max(a.y, b.y))];
  if (right - left < minExtent || bottom - top < minExtent) return undefined;
  return { x: rounded(left), y: rounded(top), width: rounded(right - left), height: rounded(bottom - top) };
}

/** Points; smaller ones are there for programs. */
const minExtent = 1;

const rounded = (points: number): number => Math.round(points * 100) / 100;

/** The widget, and its parents up to the root. Deeper ones were refused before. */
function chainOf(widget: PDFDict): PDFDict[] {
  const chain = [widget];
  let parent = dictOf(widget.lookup(PDFName.Parent));
  while (parent !== undefined && chain.length <= maxFieldDepth) {
    chain.push(parent);
    parent = dictOf(parent.lookup(PDFName.Parent));
  }
  return chain;
}

function inheritedIn(chain: readonly PDFDict[], name: string): PDFObject | undefined {
  for (const dictionary of chain) {
    const value = dictionary.lookup(PDFName.of(name));
    if (value !== undefined && value !== PDFNull) return value;
  }
  return undefined;
}

const nameIn = (chain: readonly PDFDict[]): string =>
  chain
    .map((dictionary) => textOf(dictionary.lookup(PDFName.of("T"))) ?? "")
    .filter((name) => name !== "")
    .reverse()
    .join(".");

function fieldOf(
  chain: readonly PDFDict[],
  { name, type, form }: Pick<FormField, "name" | "type"> & { readonly form: PDFDict | undefined },
) {
  // What nobody has entered yet may have been suggested.
  const value = inheritedIn(chain, "V") ?? inheritedIn(chain, "DV");
  const given = value instanceof PDFArray ? value.asArray().map((_, index) => value.lookup(index)) : [value];
  const options = optionsOf(inheritedIn(chain, "Opt"));
  const values = given.map(textOf).filter((one) => one !== undefined);
  return {
    ...{ name, type, options, flags: countOf(inheritedIn(chain, "Ff")) },
    values: type === "Btn" ? values.map((state) => valueOfState(state, options)) : values,
    // Of a signature field it is a signature that somebody has made.
    isUnreadable: value !== undefined && (type === "Sig" || values.length < given.length),
    tooltip: textOf(inheritedIn(chain, "TU")) ?? "",
    maxLength: countOf(inheritedIn(chain, "MaxLen")),
    look: textOf(inheritedIn(chain, "DA")) ?? textOf(form?.lookup(PDFName.of("DA"))) ?? "",
    scripts: scriptsIn(chain),
    places: [] as FieldPlace[],
  };
}

const dictOf = (value: PDFObject | undefined): PDFDict | undefined => (value instanceof PDFDict ? value : undefined);

const countOf = (value: PDFObject | undefined): number =>
  value instanceof PDFNumber && value.asNumber() > 0 ? Math.trunc(value.asNumber()) : 0;

/** Texts and names; undefined for anything else. */
function textOf(value: PDFObject | undefined): string | undefined {
  const isText = value instanceof PDFString || value instanceof PDFHexString || value instanceof PDFName;
  return isText ? value.decodeText() : undefined;
}

/** What a list of an agreement takes. */
export const maxOptions = 1_000;

function optionsOf(list: PDFObject | undefined): FormField["options"] {
  if (!(list instanceof PDFArray)) return [];
  return list
    .asArray()
    .slice(0, maxOptions + 1)
    .map((_, index) => {
      const option = list.lookup(index);
      if (!(option instanceof PDFArray)) return { text: textOf(option) ?? "", value: textOf(option) ?? "" };
      const value = textOf(option.lookup(0)) ?? "";
      return { value, text: textOf(option.lookup(1)) ?? value };
    });
}

/** The name of the appearance that a checkbox or radio button has when it is on. */
function stateOf(widget: PDFDict): string {
  const appearances = dictOf(widget.lookup(PDFName.of("AP")));
  const states = dictOf(appearances?.lookup(PDFName.of("N"))) ?? dictOf(appearances?.lookup(PDFName.of("D")));
  const names = states?.keys().map((name) => name.decodeText()) ?? [];
  return names.find((name) => name !== "Off") ?? "";
}

/** With options, the name of a state is the number of its option. */
export function valueOfState(state: string, options: FormField["options"]): string {
  const option = /^\d{1,4}$/.test(state) ? options[Number(state)]?.value : undefined;
  return option === undefined || option === "" ? state : option;
}

/** Enough for any call of the functions with which forms set formats. */
const maxScript = 10_000;

function scriptsIn(chain: readonly PDFDict[]): string {
  const found: string[] = [];
  for (const dictionary of chain) {
    const actions = dictOf(dictionary.lookup(PDFName.of("AA")));
    for (const event of ["F", "K"]) {
      const script = textOf(dictOf(actions?.lookup(PDFName.of(event)))?.lookup(PDFName.of("JS")));
      if (script !== undefined) found.push(script.slice(0, maxScript));
    }
  }
  return found.join("\n");
}

/** The frame and background of a field in operators of its page; empty when it has none. */
export function frameOf(widget: PDFDict): string {
  const [left = 0, bottom = 0, right = 0, top = 0] = numbersOf(widget.lookup(PDFName.of("Rect")), 4) ?? [];
  const colors = dictOf(widget.lookup(PDFName.of("MK")));
  const [paper, ink] = [colorIn(colors, "BG", ["g", "rg", "k"]), colorIn(colors, "BC", ["G", "RG", "K"])];
  const width = lineWidthOf(widget);
  const parts = [
    ...(paper === undefined ? [] : [`${paper} ${boxPath([left, bottom, right, top], 0)} f`]),
    ...(ink === undefined || width === 0
      ? []
      : [`${ink} ${width} w ${boxPath([left, bottom, right, top], width / 2)} S`]),
  ];
  return parts.length === 0 ? "" : `q ${parts.join(" ")} Q\n`;
}

function colorIn(colors: PDFDict | undefined, name: string, operators: readonly [string, string, string]) {
  const given = colors?.lookup(PDFName.of(name));
  const count = given instanceof PDFArray ? given.size() : 0;
  const operator = { 1: operators[0], 3: operators[1], 4: operators[2] }[count];
  const parts = numbersOf(given, count);
  if (operator === undefined || parts === undefined) return undefined;
  return `${parts.map((part) => Math.min(Math.max(part, 0), 1).toFixed(4)).join(" ")} ${operator}`;
}

function lineWidthOf(widget: PDFDict): number {
  const style = dictOf(widget.lookup(PDFName.of("BS")))?.lookup(PDFName.of("W"));
  const border = widget.lookup(PDFName.of("Border"));
  const old = border instanceof PDFArray && border.size() >= 3 ? border.lookup(2) : undefined;
  const width = style ?? old;
  return width instanceof PDFNumber ? Math.min(Math.max(width.asNumber(), 0), 12) : 1;
}

function boxPath(corners: readonly [number, number, number, number], inset: number): string {
  const [x0, y0, x1, y1] = corners;
  const [left, bottom] = [Math.min(x0, x1) + inset, Math.min(y0, y1) + inset];
  const [width, height] = [Math.abs(x1 - x0) - 2 * inset, Math.abs(y1 - y0) - 2 * inset];
  return `${[left, bottom, Math.max(width, 0), Math.max(height, 0)].map((one) => one.toFixed(3)).join(" ")} re`;
}
