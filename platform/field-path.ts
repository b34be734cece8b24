/**
 * The path of a member in a field problem: `policyFlags.minAge`, `metadata["order id"]` for names that are not
 * identifiers, `recipients[0]` for list items. Paths refer to the body as it was sent.
 */
export function memberPath(path: string, name: string): string {
  if (!/^[\p{L}_$][\p{L}\p{N}_$-]*$/u.test(name)) return `${path}[${JSON.stringify(name)}]`;
  return path === "" ? name : `${path}.${name}`;
}

/**
 * Converts a JSON pointer (RFC 6901) to such a path without looking at the value: numbers count as list
 * indexes.
 */
export const pointerPath = (root: string, pointer: string): string =>
  namesIn(pointer).reduce((path, name) => (/^\d+$/.test(name) ? `${path}[${name}]` : memberPath(path, name)), root);

const namesIn = (pointer: string): string[] =>
  pointer
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));

/** A JSON Schema error: its place in the value (RFC 6901), and the missing or unknown member, if any. */
interface SchemaProblem {
  readonly instancePath: string;
  readonly keyword: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** The path of a JSON Schema error: `/recipients/0/name` becomes `recipients[0].name`. */
export function schemaPath({ instancePath, keyword, params }: SchemaProblem, value: unknown): string {
  const names = namesIn(instancePath);
  if (keyword === "required") names.push(String(params.missingProperty));
  if (keyword === "additionalProperties") names.push(String(params.additionalProperty));
  let path = "";
  let at: unknown = value;
  for (const name of names) {
    path = Array.isArray(at) ? `${path}[${name}]` : memberPath(path, name);
    at = typeof at === "object" && at !== null ? (at as Readonly<Record<string, unknown>>)[name] : undefined;
  }
  return path;
}
