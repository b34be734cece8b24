/**
 * How a member is written in the path of a problem: `policyFlags.minAge`, and `metadata["order id"]` for what is no plain
 * name. Items of lists are `recipients[0]`. The path is the one in the body that was sent.
 */
export function memberPath(path: string, name: string): string {
  if (!/^[\p{L}_$][\p{L}\p{N}_$-]*$/u.test(name)) return `${path}[${JSON.stringify(name)}]`;
  return path === "" ? name : `${path}.${name}`;
}

/** A JSON pointer (RFC 6901) below a member as such a path, where the value is not at hand: digits are places in lists. */
export const pointerPath = (root: string, pointer: string): string =>
  namesIn(pointer).reduce((path, name) => (/^\d+$/.test(name) ? `${path}[${name}]` : memberPath(path, name)), root);

const namesIn = (pointer: string): string[] =>
  pointer
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));

/** What a JSON Schema says of a place in a value (RFC 6901), and of a member that it has not. */
interface SchemaProblem {
  readonly instancePath: string;
  readonly keyword: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** The path of what a JSON Schema has found in a value: `/recipients/0/name` is `recipients[0].name`. */
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
