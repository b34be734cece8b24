import { refusalOfPattern } from "#platform/linear-pattern.ts";
import type { TabDefinition } from "../../agreement/definition.ts";
import { storable } from "../../agreement/problems.ts";
import type { TabType, TextStyle } from "../../agreement/tab.ts";
import type { FormField } from "./form-fields.ts";

interface Kind {
  readonly type: TabType;
  readonly variant?: string;
  /** Signed, or acted on by hand: it has no value of its own, and is required unless its name says otherwise. */
  readonly isDrawn?: boolean;
}

/** Kinds that the name of a text field asks for, after "DocuSign" or "eSign". The first that fits counts. */
const namedKinds: readonly (readonly [name: string, kind: Kind])[] = [
  ["signhere", { type: "signature", isDrawn: true }],
  ["initialhere", { type: "initials", isDrawn: true }],
  ["signerattachment", { type: "attachment", isDrawn: true }],
  ["envelopeid", { type: "agreement-id" }],
  ["datesigned", { type: "date-signed" }],
  ["fullname", { type: "full-name" }],
  ["firstname", { type: "first-name" }],
  ["lastname", { type: "last-name" }],
  ["emailaddress", { type: "email", variant: "emailAddress" }],
  ["company", { type: "company" }],
  ["title", { type: "title" }],
  ["number", { type: "number" }],
  ["date", { type: "date" }],
  ["ssn", { type: "text", variant: "ssn" }],
  ["zip5", { type: "text", variant: "zip" }],
  ["note", { type: "note" }],
  ["approve", { type: "approve" }],
  ["decline", { type: "decline" }],
];

export function namedKind(name: string): Kind | undefined {
  const said = /(?:docu|e)sign([a-z0-9]+)/i.exec(name)?.[1]?.toLowerCase();
  return said === undefined ? undefined : namedKinds.find(([start]) => said.startsWith(start))?.[1];
}

export const isOptional = (name: string): boolean =>
  /(?:docu|e)sign(?:signhere|initialhere|signerattachment)optional/i.test(name);

/** Forms set formats by calls of functions that readers have (Acrobat JavaScript, AFDate_FormatEx and others). */
export function formatOf({ scripts }: FormField, value: string): Kind {
  if (dateFormatIn(scripts) !== undefined) return { type: "date" };
  const isNumber =
    /AFNumber_(?:Format|Keystroke)\s*\(/.test(scripts) && /^(?:[+-]?\d{1,40}(?:[.,]\d{1,9})?)?$/.test(value);
  if (isNumber) return { type: "number" };
  const special = /AFSpecial_Format\s*\(\s*(\d)/.exec(scripts)?.[1];
  const variant = { 0: "zip", 1: "zip", 2: "phoneNumber", 3: "ssn" }[special ?? ""];
  return { type: "text", ...(variant === undefined ? {} : { variant }) };
}

/** The formats that scripts name by a number. */
const numberedFormats: readonly string[] = [
  ...["m/d", "m/d/yy", "mm/dd/yy", "mm/yy", "d-mmm", "d-mmm-yy", "dd-mmm-yy", "yy-mm-dd", "mmm-yy", "mmmm-yy"],
  ...["mmm d, yyyy", "mmmm d, yyyy", "m/d/yy h:MM tt", "m/d/yy HH:MM"],
];

function dateFormatIn(scripts: string): string | undefined {
  const named = /AFDate_(?:Format|Keystroke)Ex\s*\(\s*(?:"([^"\n]{1,40})"|'([^'\n]{1,40})')/.exec(scripts);
  const numbered = /AFDate_(?:Format|Keystroke)\s*\(\s*(\d{1,2})/.exec(scripts)?.[1];
  return named?.[1] ?? named?.[2] ?? (numbered === undefined ? undefined : numberedFormats[Number(numbered)]);
}

/** Patterns of the parts of a date; all else stands for itself. */
const dateParts: ReadonlyMap<string, string> = new Map([
  ["yyyy", "[0-9]{4}"],
  ["yy", "[0-9]{2}"],
  ["mmmm", "\\p{L}{3,20}"],
  ["mmm", "\\p{L}{3,5}[.]?"],
  ["mm", "[0-9]{2}"],
  ["m", "[0-9]{1,2}"],
  ["dddd", "\\p{L}{3,20}"],
  ["ddd", "\\p{L}{2,5}[.]?"],
  ["dd", "[0-9]{2}"],
  ["d", "[0-9]{1,2}"],
  ["HH", "[0-9]{2}"],
  ["H", "[0-9]{1,2}"],
  ["hh", "[0-9]{2}"],
  ["h", "[0-9]{1,2}"],
  ["MM", "[0-9]{2}"],
  ["M", "[0-9]{1,2}"],
  ["ss", "[0-9]{2}"],
  ["s", "[0-9]{1,2}"],
  ["tt", "[AaPp][Mm]"],
  ["t", "[AaPp]"],
]);

export function dateRule(scripts: string): Pick<TabDefinition, "validationPattern" | "validationMessage"> {
  const format = dateFormatIn(scripts);
  // What nobody could store or enter is no rule.
  if (format === undefined || storable(format) !== format) return {};
  const parts = format.match(/y+|m+|d+|H+|h+|M+|s+|t+|[^ymdHhMst]/gu) ?? [];
  const validationPattern = parts
    .map((part) => dateParts.get(part) ?? part.replace(/[\\^$.*+?()[\]{}|/]/g, (one) => `\\${one}`))
    .join("");
  if (refusalOfPattern(validationPattern) !== undefined) return {};
  return { validationPattern, validationMessage: `must have the form ${format}` };
}

/** `/Helv 12 Tf 0 g`: a font and its size, and a color; a size of 0 fits the field. */
export function styleOf(look: string): TextStyle {
  const [, font = "", points = "0"] = /\/([^\s/]{1,60})\s{1,9}(-?[0-9.]{1,9})\s{1,9}Tf/.exec(look) ?? [];
  const size = Number(points);
  return {
    font: /cour/i.test(font) ? "couriernew" : /^ti(?:ro|bo|it|bi|mes)/i.test(font) ? "timesnewroman" : "helvetica",
    size: size > 0 && size <= 200 ? size : 0,
    color: colorOf(look),
    bold: /b[oi]$|bold/i.test(font),
    italic: /(?:it|ob|bi|italic|oblique)$/i.test(font) || font.endsWith("BO"),
    underline: false,
  };
}

function colorOf(look: string): string {
  const [, given = "", operator = ""] = /((?:[0-9.]{1,9}\s{1,9}){1,4})(g|rg|k)(?:\s|$)/.exec(look) ?? [];
  const parts = given
    .trim()
    .split(/\s+/)
    .map((part) => Math.min(Math.max(Number(part) || 0, 0), 1));
  const [a = 0, b = 0, c = 0, d = 0] = parts;
  const mixed =
    operator === "k" ? [a, b, c].map((ink) => (1 - ink) * (1 - d)) : operator === "rg" ? [a, b, c] : [a, a, a];
  return `#${mixed
    .map((part) =>
      Math.round(part * 255)
        .toString(16)
        .padStart(2, "0"),
    )
    .join("")}`;
}
