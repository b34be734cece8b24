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

export const flag: JsonSchema = { type: "boolean" };
export const uuid: JsonSchema = { type: "string", format: "uuid" };
export const day: JsonSchema = { type: "string", format: "date", description: "A day in UTC, such as 2026-11-20." };
export const dateTime: JsonSchema = { type: "string", format: "date-time" };
export const languageTag: JsonSchema = { type: "string", format: "language-tag", description: "BCP 47." };
export const anyObject: JsonSchema = { type: "object" };
export const oneOf = (...values: string[]): JsonSchema => ({ type: "string", enum: values });
export const integer = (minimum: number, maximum: number): JsonSchema => ({ type: "integer", minimum, maximum });
export const count: JsonSchema = { type: "integer", minimum: 0 };
export const anyText: JsonSchema = { type: "string" };
export const listOf = (items: JsonSchema): JsonSchema => ({ type: "array", items });

export const object = (properties: Readonly<Record<string, JsonSchema>>, required: readonly string[]): JsonSchema => ({
  type: "object",
  properties,
  required,
});

/** An object of an answer, in which nothing is ever left out. */
export const answer = (properties: Readonly<Record<string, JsonSchema>>): JsonSchema =>
  object(properties, Object.keys(properties));

/** The header that tells a repetition from a record. */
export const replayedHeaderDescription = {
  "Idempotent-Replayed": {
    description: "Present if nothing new was recorded: this is the response to the first request with this key.",
    schema: { type: "string", enum: ["true"] },
    example: "true",
  },
} as const;

/** The message of an answer that always has one; its absence is a defect of the service. */
export function required<T>(message: T | undefined): T {
  if (message === undefined) throw new Error("a service answered without the message that its contract promises");
  return message;
}
