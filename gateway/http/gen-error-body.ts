import type { DomainError } from "#platform/errors.ts";
import { factsOf, genErrorName } from "../../views/generation/error-facts.ts";

/** The body of an error of document generation. */
export const genErrorBody = (error: DomainError): Readonly<Record<string, unknown>> => ({
  code: genErrorName(error.code),
  message: error.message,
  details: detailsOf(error),
});

function detailsOf({ code, details, metadata }: DomainError): Record<string, unknown> {
  // Whoever is refused before it is known who asks has no plan yet.
  const facts = { ...(code === "GEN_RATE_LIMITED" ? { plan: null } : {}), ...factsOf(metadata) };
  if (details.length === 0) return facts;
  if (code === "GEN_TEMPLATE_ERROR") return { ...facts, errors: details.map(templateFinding) };
  return { ...facts, fields: details.map(({ field, code, message }) => ({ field, code, message })) };
}

/** The place of a finding travels as `content:<line>:<column>`. */
function templateFinding({ field, code, message }: DomainError["details"][number]) {
  const [, line, column] = /:(\d+):(\d+)$/.exec(field) ?? [];
  return { code, message, line: placeOf(line), column: placeOf(column) };
}

/** Places begin with 1; null when a finding has none. */
const placeOf = (text: string | undefined): number | null => (text === undefined || text === "0" ? null : Number(text));
