import { DomainError, type FieldProblem } from "#platform/errors.ts";
import { pointerPath } from "#platform/field-path.ts";
import type { Finding } from "../templating/template-source.ts";

export const problem = (field: string, code: string, message: string): FieldProblem => ({ field, code, message });

/** The error of a request whose fields are wrong; names each of them. */
export const invalid = (...details: FieldProblem[]): DomainError => new DomainError("GEN_INVALID_REQUEST", { details });

/** Throws when there are problems. */
export function refuse(problems: readonly FieldProblem[]): void {
  if (problems.length > 0) throw invalid(...problems);
}

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
