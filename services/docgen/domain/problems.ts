import type { JsonObject } from "@bufbuild/protobuf";
import { DomainError, type FieldProblem } from "#platform/errors.ts";
import { isStorable, parseJsonObject as parseAny } from "#platform/json-object.ts";
import { parseLocale as parseTag } from "#platform/locale.ts";
import { pointerPath, problem, refusals } from "#platform/problems.ts";
import type { Finding } from "../templating/template-source.ts";

export { problem };

export const { invalid, refuse } = refusals("GEN_INVALID_REQUEST");

/**
 * Parses the text of a JSON object; throws GEN_INVALID_REQUEST for anything else, and for values that cannot be stored. The
 * proto's rules limit the length.
 */
export const parseJsonObject = (field: string, text: string): JsonObject =>
  parseAny(field, text, Number.POSITIVE_INFINITY, (name, code, message) =>
    code === "NOT_ALLOWED"
      ? invalid(problem(name, "INVALID_TEXT", "must have texts and keys of valid Unicode without U+0000"))
      : invalid(problem(name, code, message)),
  ) as JsonObject;

// Errors travel in HTTP/2 trailers, which have little room.
const maxFindings = 20;
const maxLength = 200;

/** The error of data that does not fit a template: the first finding in its metadata, all in its details. */
export function invalidData(findings: readonly Finding[]): DomainError {
  const [first] = findings;
  if (first === undefined) throw new TypeError("a data error needs a finding");
  return new DomainError("GEN_INVALID_DATA", {
    message: short(first.message),
    metadata: { path: short(first.path ?? ""), expected: short(first.expected ?? ""), code: first.code },
    details: findings
      .slice(0, maxFindings)
      .map(({ code, message, path = "" }) => problem(short(pointerPath("data", path)), code, short(message))),
  });
}

const short = (text: string): string => text.slice(0, maxLength).toWellFormed();

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

/** The canonical form of a BCP 47 tag; throws GEN_INVALID_REQUEST when it is not one. */
export const parseLocale = (field: string, tag: string): string => parseTag(field, tag, "GEN_INVALID_REQUEST");
