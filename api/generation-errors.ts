import { type Failure, FailureSchema } from "#gen/assent/docgen/v1/docgen_pb.ts";
import { type ErrorCode, isErrorCode } from "#platform/errors.ts";
import { text } from "./kinds.ts";
import { computed, readOnly } from "./members.ts";
import { shown } from "./resource.ts";

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

/** Like the body of the error that the same failure is for who waits, within an answer. */
export const failure = shown(FailureSchema, {
  code: computed(
    { type: "string" },
    ({ errorCode }: Failure) => (isErrorCode(errorCode) ? genErrorName(errorCode) : "render_failed"),
    { example: "invalid_data" },
  ),
  message: readOnly(text(), { example: "The data does not fit the template. See details.path." }),
  details: computed({ type: "object" }, ({ details }: Failure) => factsOf(details), {
    description: "Details for programs, such as path, expected, line and column.",
    example: { path: "/price", expected: "number" },
  }),
});
