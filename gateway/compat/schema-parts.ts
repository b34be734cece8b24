import type { JsonSchema } from "#api/kinds.ts";

export { sampleId, sampleTime } from "#api/spelling.ts";

import { listOf } from "../routes/schema-parts.ts";

/**
 * A body as clients of the compatible interface send it: names in any case, numbers for texts. Its properties are
 * therefore documented with their meaning but without a type.
 */
export const looseBody = (properties: Readonly<Record<string, string>>): JsonSchema => ({
  type: "object",
  properties: Object.fromEntries(
    Object.entries(properties).map(([name, description]) => [name, { description, examples: ["text"] }]),
  ),
});

/** An object of an answer: texts with these examples, and other members. Members without a value are left out. */
export const textsAnswer = (
  examples: Readonly<Record<string, string>>,
  others: Readonly<Record<string, JsonSchema>> = {},
  required: readonly string[] = [],
): JsonSchema => ({
  type: "object",
  properties: {
    ...Object.fromEntries(
      Object.entries(examples).map(([name, value]) => [name, { type: "string", examples: [value] }]),
    ),
    ...others,
  },
  required,
});

export const pageAnswer = (name: string, items: JsonSchema): JsonSchema =>
  textsAnswer(
    {
      resultSetSize: "1",
      startPosition: "0",
      endPosition: "0",
      totalSetSize: "1",
      nextUri: "/templates?start_position=1",
    },
    { [name]: listOf(items) },
    ["resultSetSize", "startPosition", "endPosition", "totalSetSize", name],
  );
