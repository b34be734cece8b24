import { DomainError } from "#platform/errors.ts";
import { pointerPath } from "#platform/field-path.ts";
import { problem, refusals } from "#platform/problems.ts";
import type { Finding } from "../templating/template-source.ts";

export { problem };

export const { invalid, refuse } = refusals("GEN_INVALID_REQUEST");

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
