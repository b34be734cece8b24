import type { JsonSchema } from "#api/kinds.ts";
import { exampleOf } from "../openapi/components.ts";

/**
 * The text of an answer that has everything that its schema promises, and these fields. The spaces are ones that no
 * writer makes, so that a test sees whether the text goes out as it is.
 */
export const wholeJson = (schema: JsonSchema, fields: object = {}): string =>
  JSON.stringify({ ...(exampleOf(schema) as object), ...fields }).replace(",", ",  ");
