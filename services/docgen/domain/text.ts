import type { FieldProblem } from "#platform/errors.ts";
import { invalid, problem } from "./problems.ts";

/** True for what can be stored as text and inside JSON: neither U+0000 nor half of a surrogate pair. */
export const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes("\u0000");

/** What is wrong with a text that may have any characters and lines. */
export const textProblems = (field: string, text: string): FieldProblem[] =>
  isStorable(text) ? [] : [problem(field, "INVALID_TEXT", "must be valid Unicode without U+0000")];

/** What is wrong with a text that is to stand on one line. */
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
