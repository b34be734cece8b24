import { type Context, Drop } from "liquidjs";
import { formatOf, stateOf, TemplateProblem, ValueProblem } from "../liquid-state.ts";
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
