import type { AttributeRule, AttributeRules, HtmlRules } from "#platform/restricted-html/rules.ts";
import { isImageAddress } from "./image-address.ts";

/** What `style` may say. */
export interface PrintStyle {
  readonly textAlign?: "left" | "right" | "center" | "justify" | "start" | "end";
  readonly width?: { readonly value: number; readonly unit: "%" | "mm" };
  readonly breakBefore?: "auto" | "page" | "avoid";
  readonly breakAfter?: "auto" | "page" | "avoid";
  readonly breakInside?: "auto" | "avoid";
}

export type ReadPrintStyle =
  | { readonly style: PrintStyle; readonly problem?: undefined }
  /** The end of a sentence that begins with the attribute. */
  | { readonly style?: undefined; readonly problem: string };

/** Reads the value of a style attribute. */
export function readPrintStyle(text: string): ReadPrintStyle {
  let style: PrintStyle = {};
  for (const declaration of text.split(";")) {
    if (declaration.trim() === "") continue;
    const [name, value] = partsOf(declaration);
    const read = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (read === undefined) return { problem: `may have only ${Object.keys(properties).join(", ")}.` };
    const added = read(value);
    if (added === undefined) return { problem: `has a value of ${name} that is not available.` };
    style = { ...style, ...added };
  }
  return { style };
}

function partsOf(declaration: string): readonly [name: string, value: string] {
  const colon = declaration.indexOf(":");
  if (colon < 0) return [declaration.trim().toLowerCase(), ""];
  return [
    declaration.slice(0, colon).trim().toLowerCase(),
    declaration
      .slice(colon + 1)
      .trim()
      .toLowerCase(),
  ];
}

type ReadProperty = (value: string) => PrintStyle | undefined;

const alignments = ["left", "right", "center", "justify", "start", "end"] as const;
/** The old names of page breaks say always where the new ones say page. */
const breaks = new Map([
  ["auto", "auto"],
  ["page", "page"],
  ["always", "page"],
  ["avoid", "avoid"],
] as const);

const readBreakBefore: ReadProperty = (value) => named("breakBefore", breaks.get(value as "auto"));
const readBreakAfter: ReadProperty = (value) => named("breakAfter", breaks.get(value as "auto"));
const readBreakInside: ReadProperty = (value) =>
  value === "auto" || value === "avoid" ? { breakInside: value } : undefined;

const properties: Readonly<Record<string, ReadProperty>> = {
  "text-align": (value) =>
    named(
      "textAlign",
      alignments.find((alignment) => alignment === value),
    ),
  width: readWidth,
  "break-before": readBreakBefore,
  "break-after": readBreakAfter,
  "break-inside": readBreakInside,
  "page-break-before": readBreakBefore,
  "page-break-after": readBreakAfter,
  "page-break-inside": readBreakInside,
};

const named = <Name extends keyof PrintStyle>(name: Name, value: PrintStyle[Name] | undefined) =>
  value === undefined ? undefined : { [name]: value };

/** No page is wider than half a metre. */
const maxMillimetres = 500;

function readWidth(text: string): PrintStyle | undefined {
  const [, number, unit] = /^(\d{1,4}(?:\.\d{1,4})?)(%|mm)$/.exec(text) ?? [];
  const value = Number(number);
  if (unit !== "%" && unit !== "mm") return undefined;
  return value > 0 && value <= (unit === "%" ? 100 : maxMillimetres) ? { width: { value, unit } } : undefined;
}

/** What `class` may name. Each is a way to typeset and means nothing else. */
const printClasses = [
  /** Alignment of a block or a cell. */
  ...["left", "center", "right", "justify"],
  /** Larger text of a first paragraph; smaller text; grey text. */
  ...["lead", "small", "muted"],
  /** A cell or column of numbers: to the right, with figures of one width. */
  "number",
  /** Tables: lines around all cells; every other row shaded; little space in the cells. */
  ...["bordered", "striped", "compact"],
  /** An ordered list of numbered clauses: 1., 1.1, 1.1.1. A list without bullets, a table without lines. */
  ...["clauses", "plain"],
  /** A block whose children stand side by side. */
  "columns",
  /** A block with a frame around it. */
  "box",
  /** A line to sign on. */
  "signature",
  /** Starts on a new page; stays on one page. */
  ...["page-break", "no-break"],
] as const;

const text = (maxLength: number): AttributeRule => ({ kind: "text", maxLength });
const integer = (min: number, max: number): AttributeRule => ({ kind: "integer", min, max });
const choice = (...choices: string[]): AttributeRule => ({ kind: "choice", choices });
const classes: AttributeRule = { kind: "choices", choices: printClasses };

const cell: AttributeRules = {
  colspan: integer(1, 100),
  rowspan: integer(1, 1000),
  align: choice("left", "center", "right"),
};

const withoutOwnAttributes =
  "h1 h2 h3 h4 h5 h6 p br hr ul li table thead tbody tr strong b em i u s sub sup blockquote pre span div section";

/**
 * The HTML that documents are typeset of. Closed tags everywhere, so that each branch of a template can be told to be
 * whole. Shows nothing from the network and names no place in itself.
 */
export const printRules: HtmlRules = {
  elements: {
    ...Object.fromEntries(withoutOwnAttributes.split(" ").map((name) => [name, {}])),
    a: { href: { kind: "link", fragments: false }, title: text(1000) },
    // Markdown names the language of fenced code.
    code: { class: { kind: "custom", problem: codeClassProblem } },
    img: {
      src: { kind: "custom", problem: imageProblem },
      alt: text(2000),
      title: text(1000),
    },
    ol: { start: integer(0, 999_999_999), type: choice("1", "a", "i") },
    td: cell,
    th: { ...cell, scope: choice("row", "col") },
  },
  attributes: { class: classes, style: { kind: "custom", problem: styleProblem } },
  linkSchemes: ["https", "http", "mailto"],
  resourceSchemes: [],
  maxDepth: 60,
  comments: true,
  endTags: true,
};

function imageProblem(value: string): string | undefined {
  if (isImageAddress(value)) return undefined;
  return "must be asset: with the id of an asset, or data:image/png;base64, or data:image/jpeg;base64, with its bytes.";
}

function styleProblem(value: string): string | undefined {
  const { problem } = readPrintStyle(value);
  return problem;
}

function codeClassProblem(value: string): string | undefined {
  const words = value.split(/[\t\n\f ]+/).filter((word) => word !== "");
  const isAllowed = (word: string) => (printClasses as readonly string[]).includes(word) || languageClass.test(word);
  return words.every(isAllowed) ? undefined : "must be language- with a name.";
}

const languageClass = /^language-[\p{L}\p{N}_+#.-]{1,40}$/u;
