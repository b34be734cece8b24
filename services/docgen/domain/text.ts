import type { FieldProblem } from "#platform/errors.ts";
import { invalid, problem } from "./problems.ts";

/** True for strings that can be stored as text and inside JSON: without U+0000 and unpaired surrogates. */
export const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes("\u0000");

/** The problem of a multi-line text, if any. */
export const textProblems = (field: string, text: string): FieldProblem[] =>
  isStorable(text) ? [] : [problem(field, "INVALID_TEXT", "must be valid Unicode without U+0000")];

/** The problem of a one-line text, if any. */
export const lineProblems = (field: string, text: string): FieldProblem[] =>
  text.isWellFormed() && !/[\p{Cc}\u2028\u2029]/u.test(text)
    ? []
    : [problem(field, "INVALID_TEXT", "must be one line of valid Unicode without control characters")];

/** What is wrong with a name. */
export const nameProblems = (field: string, name: string): FieldProblem[] =>
  name.trim() === "" ? [problem(field, "REQUIRED", "must not be blank")] : lineProblems(field, name);

export const defaultLocale = "en";

/** The canonical form of a BCP 47 tag (`EN-us` is `en-US`); throws GEN_INVALID_REQUEST when it is not one. */
export function parseLocale(field: string, tag: string): string {
  try {
    const [locale] = Intl.getCanonicalLocales(tag);
    if (locale !== undefined) return locale;
  } catch {
    // Answered below.
  }
  throw invalid(problem(field, "INVALID_LOCALE", "must be a BCP 47 language tag such as en or pt-BR"));
}
