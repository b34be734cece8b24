import type { ErrorCode } from "#platform/errors.ts";

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
