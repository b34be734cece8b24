import type { PDFDict } from "pdf-lib";
import { refusalOfPattern } from "#platform/linear-pattern.ts";
import type { TabDefinition } from "../../agreement/definition.ts";
import { storable } from "../../agreement/problems.ts";
import { maxTabs, type TabType, type TextStyle } from "../../agreement/tab.ts";
import { PdfProblem } from "../pdf-limits.ts";
import { type FieldPlace, type FormField, maxOptions, valueOfState } from "./form-fields.ts";

/** The tabs that a form becomes, and the widgets that they stand for; all others are drawn. */
export interface FormTabs {
  readonly tabs: readonly TabDefinition[];
  readonly widgets: ReadonlySet<PDFDict>;
}

/** Makes tabs of the fields that somebody can fill in, and of those that show a value. Throws a PdfProblem. */
export function formTabs(fields: readonly FormField[]): FormTabs {
  const tabs: TabDefinition[] = [];
  const widgets = new Set<PDFDict>();
  const labels = new Map<string, number>();
  for (const field of fields) {
    const made = tabsOf(field);
    if (made.length === 0) continue;
    const label = freeLabel(labels, field.name);
    tabs.push(...made.map((tab, index) => ({ ...tab, label, tabOrder: tabs.length + index + 1 })));
    for (const { widget } of field.places) widgets.add(widget);
  }
  if (tabs.length > maxTabs) {
    throw new PdfProblem(`The PDF has more than ${maxTabs.toLocaleString("en")} form fields to fill in.`);
  }
  if (JSON.stringify(tabs).length > maxCharacters) {
    throw new PdfProblem("The form fields of the PDF have too many choices, or too long values.");
  }
  return { tabs, widgets };
}

/** They travel in one message, and are kept with the agreement. */
const maxCharacters = 1_000_000;

/**
 * Tabs with one label share their value, so two fields never get the same. What is taken has the number to go on with, so
 * that thousands of fields with one name take no longer than others.
 */
function freeLabel(taken: Map<string, number>, name: string): string {
  const base = oneLine(name).slice(0, maxLabel).toWellFormed() || "field";
  let [label, number] = [base, taken.get(base) ?? 2];
  for (; taken.has(label); number += 1) label = `${base} ${number}`;
  taken.set(base, number);
  if (label !== base) taken.set(label, 2);
  return label;
}

/** Leaves room for a number in the 500 characters of a label. */
const maxLabel = 490;

const flags = {
  readOnly: 1 << 0,
  required: 1 << 1,
  severalLines: 1 << 12,
  password: 1 << 13,
  radio: 1 << 15,
  push: 1 << 16,
  file: 1 << 20,
};

/** Whether a flag is set; flags are numbered from 1 in the standard and from 0 here. */
const has = (field: FormField, flag: keyof typeof flags): boolean => (field.flags & flags[flag]) !== 0;

/** Nothing for what no tab can be: it is drawn as it looks. */
function tabsOf(field: FormField): TabDefinition[] {
  if (field.isUnreadable || /(?:docu|e)signignoretransform/i.test(field.name)) return [];
  switch (field.type) {
    case "Sig":
      return signatureTabs(field);
    case "Tx":
      return has(field, "file") ? [] : textTabs(field);
    case "Ch":
      return listTabs(field);
    case "Btn":
      return has(field, "push") ? [] : buttonTabs(field);
  }
}

/** What all tabs of a field have in common. */
function sharedMembers(field: FormField) {
  const isLocked = has(field, "readOnly");
  const tooltip = oneLine(field.tooltip).slice(0, 500).toWellFormed();
  return {
    required: has(field, "required") && !isLocked,
    locked: isLocked,
    ...(tooltip === "" ? {} : { tooltip, name: tooltip }),
  };
}

const placeOf = ({ page, x, y, width, height }: FieldPlace) => ({ page, x, y, width, height });

function signatureTabs(field: FormField): TabDefinition[] {
  if (has(field, "readOnly")) return [];
  const type = namedKind(field.name)?.type === "initials" ? "initials" : "signature";
  const common = { ...sharedMembers(field), type, required: !isOptional(field.name) } as const;
  return field.places.map((place) => ({ ...common, ...placeOf(place) }));
}

function textTabs(field: FormField): TabDefinition[] {
  const value = severalLines(field.values[0] ?? "");
  const { type, variant, isDrawn } = namedKind(field.name) ?? formatOf(field, value);
  const given = sharedMembers(field);
  // Without a text there is nothing that a locked one would show.
  if ((given.locked && value === "") || value.length > maxValue) return [];
  const style = styleOf(field.look);
  // Programs write a size that fits what was there last, which may have been nothing.
  const fits = (height: number): boolean => style.size <= height / (has(field, "severalLines") ? 2 : 1);
  const common = {
    ...{ ...given, type },
    ...(variant === undefined ? {} : { variant }),
    ...(isDrawn || !keepsValue.has(type) ? {} : { value }),
    ...(type === "date" ? dateRule(field.scripts) : {}),
    ...(field.maxLength > 0 && !isDrawn
      ? { maxLength: Math.min(Math.max(field.maxLength, value.length), maxValue) }
      : {}),
    ...(has(field, "password") ? { conceal: true } : {}),
    ...(isDrawn ? { required: !isOptional(field.name) } : {}),
  };
  return field.places.map((place) => ({
    ...{ ...common, ...placeOf(place) },
    style: fits(place.height) ? style : { ...style, size: 0 },
  }));
}

/** What a tab's value may have. */
const maxValue = 10_000;

/** Of the others, the value comes from the recipient. */
const keepsValue: ReadonlySet<TabType> = new Set(["text", "number", "date", "company", "title", "email", "note"]);

/** Several that are chosen at once are no value of a list. */
function listTabs(field: FormField): TabDefinition[] {
  const { options, values } = field;
  if (options.length === 0 || options.length > maxOptions || values.length > 1) return [];
  const known = new Map<string, string>();
  for (const { text, value } of options) {
    const words = oneLine(value === "" ? text : value);
    if (words !== "" && !known.has(words)) known.set(words, oneLine(text) || words);
  }
  const chosen = oneLine(values[0] ?? "");
  // In a list that may be written in, the value need not be one of the choices.
  if (chosen !== "" && !known.has(chosen)) known.set(chosen, chosen);
  const items = [...known].map(([value, text]) => ({ value, text, selected: value === chosen }));
  if (items.length === 0 || items.some(({ value, text }) => value.length > maxChoice || text.length > maxChoice))
    return [];
  const common = { ...sharedMembers(field), type: "list" as const, items, value: chosen, style: styleOf(field.look) };
  return field.places.map((place) => ({ ...common, ...placeOf(place) }));
}

const maxChoice = 1_000;

/** Checkboxes of one field that stand for different things are a choice of one, as radio buttons are. */
function buttonTabs(field: FormField): TabDefinition[] {
  const states = field.places.map(
    ({ state }, index) => oneLine(valueOfState(state, field.options)) || String(index + 1),
  );
  const isChoice = has(field, "radio") || new Set(states).size > 1;
  // Readers draw the state of each button, whatever the value of the field.
  const chosen = states[field.places.findIndex(({ isOn }) => isOn)] ?? oneLine(field.values[0] ?? "");
  if (!isChoice) {
    const isOn = chosen !== "" && chosen !== "Off";
    const common = { ...sharedMembers(field), type: "checkbox" as const, value: String(isOn) };
    return field.places.map((place) => ({ ...common, ...squareIn(place) }));
  }
  if (field.places.length > maxOptions || states.some((state) => state.length > maxChoice)) return [];
  const buttons = field.places.map((place, index) => {
    const value = states[index] ?? "";
    const [x, y] = [place.x + (place.width - radioSize) / 2, place.y + (place.height - radioSize) / 2];
    return {
      tabId: "",
      value,
      page: place.page,
      x: Math.max(x, 0),
      y: Math.max(y, 0),
      anchor: null,
      selected: value === chosen,
    };
  });
  const [first] = field.places;
  const value = states.includes(chosen) ? chosen : "";
  return first === undefined
    ? []
    : [{ ...sharedMembers(field), type: "radio-group", buttons, value, page: first.page, x: first.x, y: first.y }];
}

/** The size in which radio buttons are shown. */
const radioSize = 12;

/** A check mark fills its box. */
function squareIn({ page, x, y, width, height }: FieldPlace) {
  const side = Math.min(width, height);
  return { page, x: x + (width - side) / 2, y: y + (height - side) / 2, width: side, height: side };
}

const oneLine = (text: string): string =>
  storable(text)
    .replaceAll(/[\p{Cc}\u2028\u2029]+/gu, " ")
    .trim();

/** Lines end as in HTML forms. */
const severalLines = (text: string): string =>
  storable(text)
    .replaceAll(/\r\n?/g, "\n")
    .replaceAll(/[^\P{Cc}\n\t]/gu, " ")
    .trimEnd();

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

function namedKind(name: string): Kind | undefined {
  const said = /(?:docu|e)sign([a-z0-9]+)/i.exec(name)?.[1]?.toLowerCase();
  return said === undefined ? undefined : namedKinds.find(([start]) => said.startsWith(start))?.[1];
}

const isOptional = (name: string): boolean =>
  /(?:docu|e)sign(?:signhere|initialhere|signerattachment)optional/i.test(name);

/** Forms set formats by calls of functions that readers have (Acrobat JavaScript, AFDate_FormatEx and others). */
function formatOf({ scripts }: FormField, value: string): Kind {
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

function dateRule(scripts: string): Pick<TabDefinition, "validationPattern" | "validationMessage"> {
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
function styleOf(look: string): TextStyle {
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
