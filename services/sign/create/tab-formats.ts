import { isStorable } from "#platform/json-object.ts";
import { compileLinearPattern, type PatternWork } from "#platform/linear-pattern.ts";
import { lengthOf } from "../agreement/problems.ts";
import type { Tab, TabType } from "../agreement/tab.ts";

/** Why a value is not valid for a tab; undefined when it is. */
export interface ValueFault {
  readonly code: string;
  readonly message: string;
}

/** Also applies to tabs that set no limit of their own. */
const maxValueLength = 10_000;

/**
 * Checks a value that is not empty. If none of the shared work budget is left afterwards, the value was too
 * expensive to check.
 */
export const faultOf = (tab: Tab, value: string, work?: PatternWork): ValueFault | undefined =>
  basicFaultOf(tab, value) ?? formatFaultOf(tab, value, work);

/** Checks whether a value is possible for the tab at all, without its format. */
export function basicFaultOf(tab: Tab, value: string): ValueFault | undefined {
  if (!isStorable(value)) return fault("NOT_ALLOWED", "contains characters that cannot be stored as text");
  const limit = tab.maxLength === 0 ? maxValueLength : Math.min(tab.maxLength, maxValueLength);
  if (lengthOf(value) > limit) return fault("TOO_LONG", `must have at most ${limit} characters`);
  switch (tab.type) {
    case "checkbox":
      return value === "true" || value === "false" ? undefined : fault("NOT_ALLOWED", "must be true or false");
    case "list":
      return choiceFault(tab.items, value);
    case "radio-group":
      return choiceFault(tab.buttons, value);
    default:
      return undefined;
  }
}

/** The fault when all fields of a recipient are too long together; reported on any one of them. */
export const tooLong: ValueFault = { code: "TOO_LONG", message: "is too long together with the other fields" };

const fault = (code: string, message: string): ValueFault => ({ code, message });

function formatFaultOf(tab: Tab, value: string, work: PatternWork | undefined): ValueFault | undefined {
  if (tab.type === "number" && !isNumber(value)) return fault("INVALID_NUMBER", "must be a number");
  return tab.type === "date" ? dateFault(tab, value, work) : patternFault(tab, value, work);
}

const choiceFault = (choices: readonly { readonly value: string }[], value: string): ValueFault | undefined =>
  choices.some((choice) => choice.value === value) ? undefined : fault("NOT_ALLOWED", "must be one of the choices");

/** An unreadable pattern is the sender's mistake and must not keep anybody from signing. */
function patternFault(
  { validationPattern, validationMessage }: Tab,
  value: string,
  work: PatternWork | undefined,
): ValueFault | undefined {
  if (validationPattern === "") return undefined;
  const pattern = compileLinearPattern(validationPattern);
  if (pattern.kind === "refused" || pattern.matches(value, work)) return undefined;
  if (work !== undefined && work.left < 0) return tooLong;
  return fault(
    "PATTERN_MISMATCH",
    validationMessage === "" ? "must have the form that is asked for" : validationMessage,
  );
}

const maxNumberLength = 50;
const numberPattern = /^[+-]?[0-9]+([.,][0-9]+)?$/;

const isNumber = (value: string): boolean => value.length <= maxNumberLength && numberPattern.test(value);

/** A sender's pattern takes precedence over our date formats. */
function dateFault(tab: Tab, value: string, work: PatternWork | undefined): ValueFault | undefined {
  if (tab.validationPattern !== "") return patternFault(tab, value, work);
  return isDate(value) ? undefined : fault("INVALID_DATE", "must be a date such as 2026-12-31 or 12/31/2026");
}

/** Positions of year, month and day in each date format; the separator tells the formats apart. */
const dateForms = [
  { pattern: /^([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})$/, order: [1, 2, 3] },
  { pattern: /^([0-9]{1,2})\/([0-9]{1,2})\/([0-9]{4})$/, order: [3, 1, 2] },
  { pattern: /^([0-9]{1,2})\.([0-9]{1,2})\.([0-9]{4})$/, order: [3, 2, 1] },
] as const;

function isDate(value: string): boolean {
  if (value.length > 10) return false;
  return dateForms.some(({ pattern, order }) => {
    const parts = pattern.exec(value);
    if (parts === null) return false;
    const [year, month, day] = order.map((index) => Number(parts[index]));
    return isDay(year ?? 0, month ?? 0, day ?? 0);
  });
}

function isDay(year: number, month: number, day: number): boolean {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return date.getUTCFullYear() === year && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}

interface TabDefaults {
  readonly width: number;
  readonly height: number;
  readonly required: boolean;
}

/** Default size in points, and whether the tab is required by default. */
export const tabDefaults: Readonly<Record<TabType, TabDefaults>> = {
  signature: { width: 110, height: 35, required: true },
  initials: { width: 55, height: 35, required: true },
  "date-signed": { width: 100, height: 16, required: false },
  "full-name": { width: 100, height: 16, required: false },
  "first-name": { width: 100, height: 16, required: false },
  "last-name": { width: 100, height: 16, required: false },
  email: { width: 100, height: 16, required: false },
  company: { width: 100, height: 16, required: true },
  title: { width: 100, height: 16, required: true },
  text: { width: 100, height: 16, required: true },
  number: { width: 100, height: 16, required: true },
  date: { width: 100, height: 16, required: true },
  checkbox: { width: 12, height: 12, required: false },
  "radio-group": { width: 12, height: 12, required: true },
  list: { width: 100, height: 18, required: true },
  note: { width: 200, height: 40, required: false },
  approve: { width: 90, height: 25, required: false },
  decline: { width: 90, height: 25, required: false },
  attachment: { width: 30, height: 30, required: true },
  "agreement-id": { width: 100, height: 16, required: false },
};

/** The defaults that all tab types share. */
export const blankTab: Tab = {
  tabId: "",
  type: "text",
  label: "",
  documentId: null,
  page: 1,
  x: 0,
  y: 0,
  width: 0,
  height: 0,
  anchor: null,
  isPlaced: true,
  required: false,
  locked: false,
  value: "",
  originalValue: "",
  items: [],
  buttons: [],
  tooltip: "",
  name: "",
  maxLength: 0,
  validationPattern: "",
  validationMessage: "",
  scale: 1,
  conditionLabel: "",
  conditionValue: "",
  variant: "",
  style: null,
  shared: false,
  tabOrder: 0,
  conceal: false,
  status: "active",
};

/** A tab with the defaults of its type. */
export function defaultTab(type: TabType, tabId: string): Tab {
  const value = type === "checkbox" ? "false" : "";
  return { ...blankTab, ...tabDefaults[type], tabId, type, label: type, value };
}
