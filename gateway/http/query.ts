import type { FieldProblem } from "#platform/errors.ts";
import type { JsonSchema } from "../routes/route.ts";

/**
 * The query parameters that a route knows, as values of the types that its schema names. What does not look like its
 * type stays a text, and what comes twice a list, so that validation refuses it.
 */
export function readQuery(url: string, properties: Readonly<Record<string, JsonSchema>>): Record<string, unknown> {
  const question = url.indexOf("?");
  if (question === -1) return {};
  const sent = new URLSearchParams(url.slice(question + 1));
  const query: Record<string, unknown> = {};
  for (const [name, schema] of Object.entries(properties)) {
    const values = sent.getAll(name);
    if (values.length === 1) query[name] = readValue(values[0] ?? "", schema);
    else if (values.length > 1) query[name] = values;
  }
  return query;
}

/** The parameters with the character U+0000, which no database can hold. What is no text is refused elsewhere. */
export const findUnstorable = (query: Readonly<Record<string, unknown>>): FieldProblem[] =>
  Object.entries(query)
    .filter(([, value]) => typeof value === "string" && value.includes("\0"))
    .map(([field]) => ({ field, code: "PATTERN", message: "must not have the character U+0000" }));

function readValue(text: string, { type }: JsonSchema): unknown {
  if (type === "boolean") {
    if (text === "true" || text === "1") return true;
    return text === "false" || text === "0" ? false : text;
  }
  if (type === "integer" && /^\d{1,15}$/.test(text)) return Number(text);
  return text;
}
