import type { JsonObject } from "@bufbuild/protobuf";

/** JSON Schema 2020-12, as it is shown to clients and as it is checked. */
export type JsonSchema = JsonObject;

/** An object that takes no other property; properties with a default get it when they are absent. */
export const closedObject = (properties: JsonObject, required: string[] = []): JsonObject => ({
  type: "object",
  additionalProperties: false,
  ...(required.length > 0 ? { required } : {}),
  properties,
});

export const text = (maxLength: number): JsonObject => ({ type: "string", minLength: 1, maxLength });

export const listOf = (items: JsonObject, maxItems: number): JsonObject => ({ type: "array", maxItems, items });

export const flag = (fallback: boolean): JsonObject => ({ type: "boolean", default: fallback });

export const oneOf = (...values: string[]): JsonObject => ({ type: "string", enum: values });

export const httpsUrl: JsonObject = { ...text(2048), format: "uri", pattern: "^https://" };

export const emailAddress: JsonObject = { ...text(254), format: "email" };

export const described = (schema: JsonObject, description: string): JsonObject => ({ ...schema, description });

export const topLevel = (title: string, schema: JsonObject): JsonSchema => ({
  $schema: "https://json-schema.org/draft/2020-12/schema",
  title,
  ...schema,
});
