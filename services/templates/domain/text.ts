import type { FieldProblem } from "#platform/errors.ts";
import { problem } from "./problems.ts";

/**
 * The texts and keys inside a value that can be stored neither as text nor as JSON: those with U+0000, which Postgres
 * refuses, and those with half of a surrogate pair, which have no UTF-8 form.
 */
export function unstorableTexts(field: string, value: unknown): FieldProblem[] {
  if (typeof value === "string") {
    return isStorable(value) ? [] : [problem(field, "INVALID_TEXT", "must be valid Unicode without U+0000")];
  }
  if (Array.isArray(value)) return value.flatMap((item, index) => unstorableTexts(`${field}[${index}]`, item));
  if (typeof value !== "object" || value === null || value instanceof Date) return [];
  return Object.entries(value).flatMap(([key, item]) =>
    isStorable(key)
      ? unstorableTexts(field === "" ? key : `${field}.${key}`, item)
      : [problem(field, "INVALID_TEXT", "must have keys that are valid Unicode without U+0000")],
  );
}

/** Length as people count it: a character outside the basic plane is one. */
export const characters = (text: string): number => Array.from(text).length;

const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes("\u0000");
