import { DomainError } from "#platform/errors.ts";
import type { CheckedTemplate } from "../templating/checked-template.ts";
import type { Finding, JsonSchema } from "../templating/template-source.ts";
import { problem } from "./problems.ts";

// Errors travel in HTTP/2 trailers, which have little room.
const maxFindings = 20;
const maxMessageLength = 200;

/** The schema of a template without findings; throws GEN_TEMPLATE_ERROR for one that has some. */
export function requireSchema({ findings, schema }: CheckedTemplate): JsonSchema {
  if (findings.length > 0) throw templateError(findings);
  if (schema === undefined) throw new TypeError("a template without findings has no schema");
  return schema;
}

/** The error of a template that has these findings: the first in its metadata, all in its details. */
function templateError(findings: readonly Finding[]): DomainError {
  const [first] = findings;
  if (first === undefined) throw new TypeError("a template error needs a finding");
  return new DomainError("GEN_TEMPLATE_ERROR", {
    message: short(first.message),
    metadata: { line: String(first.line), column: String(first.column), code: first.code },
    details: findings
      .slice(0, maxFindings)
      .map(({ code, message, line, column }) => problem(`content:${line}:${column}`, code, short(message))),
  });
}

const short = (message: string): string => message.slice(0, maxMessageLength).toWellFormed();
