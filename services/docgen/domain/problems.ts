import { DomainError, type FieldProblem } from "#platform/errors.ts";

export const problem = (field: string, code: string, message: string): FieldProblem => ({ field, code, message });

/** The error of a request whose fields are wrong; names each of them. */
export const invalid = (...details: FieldProblem[]): DomainError => new DomainError("GEN_INVALID_REQUEST", { details });

/** Throws when there are problems. */
export function refuse(problems: readonly FieldProblem[]): void {
  if (problems.length > 0) throw invalid(...problems);
}
