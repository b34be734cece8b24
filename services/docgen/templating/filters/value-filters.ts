import { type Context, Drop } from "liquidjs";
import { formatOf, type LiquidState, stateOf, TemplateProblem, ValueProblem } from "../liquid-state.ts";
import type { FilterSpec } from "./filter-spec.ts";

/** Rounds to fifteen digits, which removes the errors of binary fractions: 0.1 + 0.2 is 0.3. */
function exact(number: number): number {
  if (!Number.isFinite(number)) throw new ValueProblem("number that can be calculated with");
  return Number.isSafeInteger(number) ? number : Number(number.toPrecision(15));
}

const onNumber = (change: (number: number) => number): FilterSpec => ({
  input: "number",
  arguments: [],
  required: 0,
  handler: (value: unknown) => exact(change(toNumber(value))),
});

const onNumbers = (change: (number: number, other: number) => number): FilterSpec => ({
  input: "number",
  arguments: ["number"],
  required: 1,
  handler: (value: unknown, other: unknown) => exact(change(toNumber(value), toNumber(other))),
});

function divide(number: number, by: number): number {
  if (by === 0) throw new ValueProblem("number other than 0");
  return number / by;
}

function modulo(number: number, by: number): number {
  if (by === 0) throw new ValueProblem("number other than 0");
  return ((number % by) + by) % by;
}

/** Rounds half away from zero. Works on the decimal digits, because 1.005 is slightly less than that in binary. */
const round: FilterSpec = {
  input: "number",
  arguments: ["digits"],
  required: 0,
  handler: (value: unknown, digits: unknown = 0) => {
    const number = toNumber(value);
    const shifted = Math.round(Number(shift(Math.abs(number), toDigits(digits))));
    return exact(Math.sign(number) * Number(shift(shifted, -toDigits(digits))));
  },
};

function shift(number: number, digits: number): string {
  const [mantissa = "0", exponent = "0"] = String(number).split("e");
  return `${mantissa}e${Number(exponent) + digits}`;
}

/** As ISO 4217 and Intl have it at most. */
const maxDigits = 15;

function toDigits(value: unknown): number {
  const digits = toNumber(value);
  if (Number.isInteger(digits) && digits >= 0 && digits <= maxDigits) return digits;
  throw new TemplateProblem(`The number of digits must be 0 to ${maxDigits}.`);
}

export const isCurrency = (text: string): boolean => /^[A-Z]{3}$/.test(text);

const money: FilterSpec = {
  input: "number",
  arguments: ["currency"],
  required: 1,
  handler(this: FilterCall, value: unknown, currency: unknown) {
    const number = toNumber(value);
    if (typeof currency !== "string" || !isCurrency(currency)) {
      throw new ValueProblem("currency of three letters, such as EUR");
    }
    const state = stateOf(this.context);
    const format = formatOf(
      state,
      `money ${currency}`,
      () => new Intl.NumberFormat(state.locale, { style: "currency", currency }),
    );
    return format.format(number);
  },
};

const number: FilterSpec = {
  input: "number",
  arguments: ["digits"],
  required: 0,
  handler(this: FilterCall, value: unknown, digits?: unknown) {
    const shown = toNumber(value);
    const state = stateOf(this.context);
    const options = digits === undefined ? { maximumFractionDigits: maxDigits } : fixed(toDigits(digits));
    const format = formatOf(state, `number ${digits ?? ""}`, () => new Intl.NumberFormat(state.locale, options));
    return format.format(shown);
  },
};

const fixed = (digits: number) => ({ minimumFractionDigits: digits, maximumFractionDigits: digits });

export const numberFilters = {
  plus: onNumbers((number, other) => number + other),
  minus: onNumbers((number, other) => number - other),
  times: onNumbers((number, other) => number * other),
  divided_by: onNumbers(divide),
  modulo: onNumbers(modulo),
  at_least: onNumbers(Math.max),
  at_most: onNumbers(Math.min),
  abs: onNumber(Math.abs),
  ceil: onNumber(Math.ceil),
  floor: onNumber(Math.floor),
  round,
  money,
  number,
} satisfies Record<string, FilterSpec>;

/** What filters are called with. */
export interface FilterCall {
  readonly context: Context;
}

/** Texts, numbers and booleans as text, nothing as empty text; everything else is no text. */
export function toText(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (isNothing(value)) return "";
  throw new ValueProblem("string");
}

/** Numbers, and texts that are one: what split and slice give. */
export function toNumber(value: unknown): number {
  const number = typeof value === "string" && numeric.test(value) ? Number(value) : value;
  if (typeof number === "number" && Number.isFinite(number)) return number;
  throw new ValueProblem("number");
}

export function toList(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  if (isNothing(value)) return [];
  throw new ValueProblem("array");
}

/** The value of a property by its path, such as `address.city`; undefined when there is none. */
export function propertyOf(item: unknown, path: string): unknown {
  let value = item;
  for (const name of path.split(".")) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Record<string, unknown>)[name];
  }
  return value;
}

export const isNothing = (value: unknown): boolean => value === undefined || value === null || value instanceof Drop;

/** Counts what a filter is about to make. */
export const take = ({ context }: FilterCall, amount: number): void => context.memoryLimit.use(amount);

const numeric = /^\s*-?\d{1,300}(?:\.\d{1,300})?(?:[eE][+-]?\d{1,3})?\s*$/;

export const dateStyles = ["short", "medium", "long", "full"] as const;
type DateStyle = (typeof dateStyles)[number];

/** What is wrong with a date format; undefined when it is one. */
export function dateFormatProblem(format: string): string | undefined {
  if (isStyle(format)) return undefined;
  if (!format.includes("%")) return `A date format is ${dateStyles.join(", ")}, or has directives such as %Y-%m-%d.`;
  const unknown = directivesOf(format).find(({ isKnown }) => !isKnown);
  return unknown && `There is no date directive ${unknown.text}.`;
}

export const isStyle = (format: string): format is DateStyle => (dateStyles as readonly string[]).includes(format);

/** `{{ d | date: "long" }}`, with a time: `{{ d | date: "long", "short" }}`, or by directives: `{{ d | date: "%d.%m.%Y" }}`. */
const date: FilterSpec = {
  input: "date",
  arguments: ["dateFormat", "timeFormat"],
  required: 0,
  handler(this: FilterCall, value: unknown, format: unknown = "long", timeStyle?: unknown) {
    const state = stateOf(this.context);
    const when = readDate(value, state.now);
    if (when === undefined) throw new ValueProblem("date such as 2026-03-31 or 2026-03-31T10:00:00Z");
    if (typeof format !== "string") throw new TemplateProblem("A date format must be a text.");
    const problem = dateFormatProblem(format);
    if (problem !== undefined) throw new TemplateProblem(problem);
    if (!isStyle(format)) return formatDirectives(format, when, state);
    if (timeStyle === undefined) return styled(state, when, { dateStyle: format });
    if (typeof timeStyle !== "string" || !isStyle(timeStyle)) {
      throw new TemplateProblem(`A time format is ${dateStyles.join(", ")}.`);
    }
    return styled(state, when, { dateStyle: format, timeStyle });
  },
};

function styled(state: LiquidState, when: PointInTime, style: Intl.DateTimeFormatOptions): string {
  const timeZone = when.isDay ? "UTC" : state.timeZone;
  const key = `date ${style.dateStyle} ${style.timeStyle} ${timeZone}`;
  const format = formatOf(state, key, () => new Intl.DateTimeFormat(state.locale, { ...style, timeZone }));
  return format.format(when.time);
}

export const dateFilters = { date };

interface Directive {
  readonly text: string;
  readonly isKnown: boolean;
}

/** What begins with % in a format, in its order. */
const directivesOf = (format: string): Directive[] =>
  Array.from(format.matchAll(directive), ([text]) => ({ text, isKnown: text === "%%" || directives.has(text) }));

/** Fills in a format; what is no directive stays as it is. */
const formatDirectives = (format: string, when: PointInTime, state: LiquidState): string =>
  format.replaceAll(directive, (text) => (text === "%%" ? "%" : (directives.get(text)?.(when, state) ?? text)));

const directive = /%-?[\s\S]?/gu;

type Part = Intl.DateTimeFormatPart["type"];
type Show = (when: PointInTime, state: LiquidState) => string;

/** A part of the date in the language of the job. */
const words = (type: Part, options: Intl.DateTimeFormatOptions): Show => shown(type, options, (state) => state.locale);

/** A part of the date in Western digits: the year, month and hour of ISO 8601. */
const digits =
  (type: Part, length: number, change: (number: number) => number = (number) => number): Show =>
  (when, state) =>
    String(change(Number(isoPart(type)(when, state)))).padStart(length, "0");

const isoPart = (type: Part): Show =>
  shown(type, { ...allParts, hourCycle: "h23", calendar: "gregory", numberingSystem: "latn" }, () => "en-u-hc-h23");

const allParts = {
  year: "numeric",
  month: "numeric",
  day: "numeric",
  hour: "numeric",
  minute: "numeric",
  second: "numeric",
} as const;

const shown =
  (type: Part, options: Intl.DateTimeFormatOptions, localeOf: (state: LiquidState) => string): Show =>
  (when, state) => {
    const timeZone = when.isDay ? "UTC" : state.timeZone;
    const locale = localeOf(state);
    const key = `part ${locale} ${timeZone} ${JSON.stringify(options)}`;
    const format = formatOf(state, key, () => new Intl.DateTimeFormat(locale, { ...options, timeZone }));
    return format.formatToParts(when.time).find((part) => part.type === type)?.value ?? "";
  };

const halfDay = (hour: number): number => hour % 12 || 12;

const directives: ReadonlyMap<string, Show> = new Map<string, Show>([
  ["%Y", digits("year", 4)],
  ["%y", digits("year", 2, (year) => year % 100)],
  ["%m", digits("month", 2)],
  ["%-m", digits("month", 1)],
  ["%d", digits("day", 2)],
  ["%-d", digits("day", 1)],
  ["%e", (when, state) => digits("day", 1)(when, state).padStart(2, " ")],
  ["%H", digits("hour", 2)],
  ["%-H", digits("hour", 1)],
  ["%I", digits("hour", 2, halfDay)],
  ["%-I", digits("hour", 1, halfDay)],
  ["%M", digits("minute", 2)],
  ["%S", digits("second", 2)],
  ["%p", (when, state) => (Number(isoPart("hour")(when, state)) < 12 ? "AM" : "PM")],
  // Formatted together with a day, because some languages write the month differently then.
  ["%B", words("month", { day: "numeric", month: "long" })],
  ["%b", words("month", { day: "numeric", month: "short" })],
  ["%A", words("weekday", { weekday: "long" })],
  ["%a", words("weekday", { weekday: "short" })],
]);

/** A point in time, or a day of the calendar that has no time zone. */
export interface PointInTime {
  /** Of a day: its midnight in UTC. */
  readonly time: Date;
  readonly isDay: boolean;
}

/** Reads `2026-03-31`, an RFC 3339 time, and the words now and today, which are the time of the job. */
function readDate(value: unknown, now: Date): PointInTime | undefined {
  if (value === "now" || value === "today") return { time: now, isDay: false };
  if (typeof value !== "string") return undefined;
  if (isDay(value)) return { time: new Date(`${value}T00:00:00Z`), isDay: true };
  return isTime(value) ? { time: new Date(value), isDay: false } : undefined;
}

/** RFC 3339 full-date of a day that exists. */
export function isDay(text: string): boolean {
  const [, year, month, day] = dayPattern.exec(text) ?? [];
  const date = new Date(0);
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  return date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day);
}

/** RFC 3339 date-time of a time that exists. Leap seconds are not times that can be calculated with. */
export function isTime(text: string): boolean {
  return timePattern.test(text) && isDay(text.slice(0, 10)) && !Number.isNaN(Date.parse(text));
}

const dayPattern = /^(\d{4})-(\d{2})-(\d{2})$/;
const timePattern = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/;
