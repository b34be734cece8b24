import type { JsonSchema } from "#api/kinds.ts";

import { answer, anyObject, anyText, count, described, example, object, oneOf } from "../schema-parts.ts";

export const formats = ["html", "markdown"] as const;
export const profiles = ["pdf", "pdf/a-2a", "pdf/ua-1"] as const;

/** Hex, in contrast to the hashes of evidence. */
export const sha256: JsonSchema = {
  type: "string",
  description: "SHA-256 of the bytes, 64 hex digits; the ETag of the content.",
  examples: ["0123456789abcdef".repeat(4)],
};

export const format = described(
  oneOf(...formats),
  "html is restricted HTML, markdown is CommonMark; both with Liquid.",
);

/** Like the error body, within an answer. */
export const failure: JsonSchema = {
  ...answer({
    code: example(anyText, "invalid_data"),
    message: example(anyText, "The data does not fit the template. See details.path."),
    details: example(described(anyObject, "Facts for programs, such as path, expected, line and column."), {
      path: "/price",
      expected: "number",
    }),
  }),
  type: ["object", "null"],
  description: "Why it failed; null when it has not.",
};

export const warning = object(
  {
    code: example(anyText, "missing_glyph"),
    message: example(anyText, "No font has a glyph for this character."),
    path: example({ type: ["string", "null"], description: "Where in the data, when that is known." }, "data.name"),
    char: example({ type: ["string", "null"] }, "U+6C49"),
  },
  ["code", "message", "path", "char"],
);

export const pageCount = described(count, "Pages; 0 until it is completed.");

export const location = (path: string) => ({ Location: `Where it is read: ${path}.` }) as const;

export const replayed = { "Idempotent-Replayed": "true" } as const;
export const replayedHeader = {
  "Idempotent-Replayed":
    "true when nothing new was made: the answer is about what the first request with this key made.",
} as const;
