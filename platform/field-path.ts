/**
 * How a member is written in the path of a problem: `policyFlags.minAge`, and `metadata["order id"]` for what is no plain
 * name. Items of lists are `recipients[0]`. The path is the one in the body that was sent.
 */
export function memberPath(path: string, name: string): string {
  if (!/^[\p{L}_$][\p{L}\p{N}_$-]*$/u.test(name)) return `${path}[${JSON.stringify(name)}]`;
  return path === "" ? name : `${path}.${name}`;
}

/** What a JSON Schema says of a place in a value (RFC 6901), and of a member that it has not. */
interface SchemaProblem {
  readonly instancePath: string;
  readonly keyword: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** The path of what a JSON Schema has found in a value: `/recipients/0/name` is `recipients[0].name`. */
export function schemaPath({ instancePath, keyword, params }: SchemaProblem, value: unknown): string {
  const names = instancePath
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
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
