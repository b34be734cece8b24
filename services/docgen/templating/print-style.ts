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
