import { DomainError, type ErrorCode, type FieldProblem } from "./errors.ts";

/** What is wrong with a field of a request. */
export const problem = (field: string, code: string, message: string): FieldProblem => ({ field, code, message });

/** How a service refuses requests whose fields are wrong: with this code, naming the first of them. */
export function refusals(code: ErrorCode, most = Number.POSITIVE_INFINITY) {
  const invalid = (...problems: readonly FieldProblem[]): DomainError =>
    new DomainError(code, { details: problems.slice(0, most) });
  /** Throws when there are problems. */
  const refuse = (problems: readonly FieldProblem[]): void => {
    if (problems.length > 0) throw invalid(...problems.slice(0, most));
  };
  return { invalid, refuse };
}
