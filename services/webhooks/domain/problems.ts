import { DomainError, type FieldProblem } from "#platform/errors.ts";
import { isStorable } from "#platform/json-object.ts";

export const problem = (field: string, code: string, message: string): FieldProblem => ({ field, code, message });

/** Errors travel in HTTP/2 trailers, which have little room. */
const maxProblems = 50;

/** Throws VALIDATION_FAILED when there are problems; names the first of them. */
export function refuse(problems: readonly FieldProblem[]): void {
  if (problems.length > 0) throw new DomainError("VALIDATION_FAILED", { details: problems.slice(0, maxProblems) });
}

/** The proto's rules limit the length. */
export const textProblems = (field: string, text: string): readonly FieldProblem[] =>
  isStorable(text) ? [] : [problem(field, "NOT_ALLOWED", "has characters that are no text")];
