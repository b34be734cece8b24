import type { Context } from "liquidjs";
import { Drop } from "liquidjs";
import { ValueProblem } from "../liquid-problem.ts";

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
