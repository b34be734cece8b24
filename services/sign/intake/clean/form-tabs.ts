import type { PDFDict } from "pdf-lib";
import type { TabDefinition } from "../../agreement/definition.ts";
import { storable } from "../../agreement/problems.ts";
import { maxTabs, type TabType } from "../../agreement/tab.ts";
import { PdfProblem } from "../pdf-limits.ts";
import { type FieldPlace, type FormField, maxOptions, valueOfState } from "./form-fields.ts";
import { dateRule, formatOf, isOptional, namedKind, styleOf } from "./form-formats.ts";

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
