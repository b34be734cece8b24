import type { DomainError, ErrorCode } from "#platform/errors.ts";

/** The body of an error of document generation. */
export const genErrorBody = (error: DomainError): Readonly<Record<string, unknown>> => ({
  code: genErrorName(error.code),
  message: error.message,
  details: detailsOf(error),
});

/** `GEN_INVALID_DATA` is `invalid_data`; what any operation can answer has no prefix. */
export const genErrorName = (code: ErrorCode): string => code.replace(/^GEN_/, "").toLowerCase();

/** Facts of an error as clients read them: counts and places are numbers. */
export const factsOf = (facts: Readonly<Record<string, string>>): Record<string, string | number> =>
  Object.fromEntries(
    Object.entries(facts)
      .filter(([name]) => !hidden.has(name))
      .map(([name, value]) => [name, numeric.has(name) && /^\d{1,15}$/.test(value) ? Number(value) : value]),
  );

const numeric: ReadonlySet<string> = new Set([
  "limit",
  "windowSeconds",
  "retryAfterSeconds",
  "line",
  "column",
  "pages",
  "bytes",
  "maxPages",
  "maxBytes",
]);

/** What only headers say. */
const hidden: ReadonlySet<string> = new Set(["resetAt", "allow"]);

function detailsOf({ code, details, metadata }: DomainError): Record<string, unknown> {
  const facts = factsOf(metadata);
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
