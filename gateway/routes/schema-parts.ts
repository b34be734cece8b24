import type { JsonSchema } from "#api/kinds.ts";

/** A text of so many characters (Unicode code points). */
export const text = (minLength: number, maxLength: number, description?: string): JsonSchema => ({
  type: "string",
  minLength,
  maxLength,
  ...(description === undefined ? {} : { description }),
});

/** A value that stands for the real ones in the reference. */
export const example = (schema: JsonSchema, value: unknown): JsonSchema => ({ ...schema, examples: [value] });

export const described = (schema: JsonSchema, description: string): JsonSchema => ({ ...schema, description });

/** Null means absent, as in our answers. */
export const orNull = ({ type, enum: values, ...schema }: JsonSchema): JsonSchema => ({
  ...schema,
  type: [type, "null"].flat(),
  ...(Array.isArray(values) ? { enum: [...values, null] } : {}),
});

/** Null in the usual answer. */
export const absent = (schema: JsonSchema, meaning: string): JsonSchema => ({
  ...described(orNull(schema), meaning),
  examples: [null],
});

export const flag: JsonSchema = { type: "boolean" };
export const uuid: JsonSchema = { type: "string", format: "uuid" };
export const day: JsonSchema = { type: "string", format: "date", description: "A day in UTC, such as 2026-11-20." };
export const dateTime: JsonSchema = { type: "string", format: "date-time" };
export const languageTag: JsonSchema = { type: "string", format: "language-tag", description: "BCP 47." };
export const httpsUrl: JsonSchema = { type: "string", format: "https-url", maxLength: 2_048 };
export const anyObject: JsonSchema = { type: "object" };
export const hash: JsonSchema = { type: "string", description: "sha256:<64 hex digits>" };
export const oneOf = (...values: string[]): JsonSchema => ({ type: "string", enum: values });
export const integer = (minimum: number, maximum: number): JsonSchema => ({ type: "integer", minimum, maximum });
export const count: JsonSchema = { type: "integer", minimum: 0 };
export const anyText: JsonSchema = { type: "string" };
export const listOf = (items: JsonSchema): JsonSchema => ({ type: "array", items });

/** Up to 50 texts of the customer's own. */
export const metadata: JsonSchema = {
  type: "object",
  maxProperties: 50,
  propertyNames: { minLength: 1, maxLength: 500 },
  additionalProperties: text(0, 500),
};

export const object = (properties: Readonly<Record<string, JsonSchema>>, required: readonly string[]): JsonSchema => ({
  type: "object",
  properties,
  required,
});

/** An object of an answer, in which nothing is ever left out. */
export const answer = (properties: Readonly<Record<string, JsonSchema>>): JsonSchema =>
  object(properties, Object.keys(properties));

/** The same object, which has these too when they are asked for. */
export const extended = (schema: JsonSchema, properties: Readonly<Record<string, JsonSchema>>): JsonSchema => ({
  ...schema,
  properties: { ...(schema.properties as object), ...properties },
});

/** The header that tells a repetition from a record. */
export const replayedHeaderDescription = {
  "Idempotent-Replayed": {
    description: "When nothing new was recorded: the answer is that of the first request with this key.",
    schema: { type: "string", enum: ["true"] },
    example: "true",
  },
} as const;
