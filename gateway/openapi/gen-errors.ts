import { type ErrorCode, errorCatalogue } from "#platform/errors.ts";
import { genErrorName } from "../../views/generation/error-facts.ts";
import type { JsonSchema } from "../routes/route.ts";
import { anyObject, described, object } from "../routes/schema-parts.ts";

/** The body of the errors of document generation. */
export const genErrorSchema: JsonSchema = object(
  {
    code: { type: "string", description: "For programs." },
    message: { type: "string", description: "For people: what was wrong and what to do." },
    details: described(
      anyObject,
      "Facts for programs: `fields` lists bad fields, `path` and `expected` say where data does not fit, `line`, `column` and `errors` where a template is wrong, every 429 has `plan`, `limit`, `windowSeconds` and `retryAfterSeconds`: the plan of the organization, and the window that is used up, which is one of the plan where something is made, and else the minute of the client's requests. `plan` is null where an address is refused before it is known who asks.",
    ),
  },
  ["code", "message", "details"],
);

export const genErrorExample = (code: ErrorCode): Record<string, unknown> => ({
  code: genErrorName(code),
  message: errorCatalogue[code].message,
  details: examples[code] ?? {},
});

const examples: Readonly<Partial<Record<ErrorCode, object>>> = {
  GEN_INVALID_REQUEST: { fields: [{ field: "name", code: "REQUIRED", message: "is required" }] },
  GEN_INVALID_DATA: { path: "/price", expected: "number" },
  GEN_TEMPLATE_ERROR: {
    line: 3,
    column: 12,
    code: "unknown_filter",
    errors: [{ code: "unknown_filter", message: "there is no filter monye", line: 3, column: 12 }],
  },
  GEN_RATE_LIMITED: { plan: "gen_pro", limit: 10, windowSeconds: 60, retryAfterSeconds: 37 },
  GEN_RANGE_NOT_SATISFIABLE: { bytes: 37_920 },
  GEN_RENDER_FAILED: { reason: "too_many_pages", documentId: "01961234-5678-7abc-8def-0123456789ab" },
};
