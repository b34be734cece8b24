export type Json = Readonly<Record<string, unknown>>;

export interface Response {
  readonly headers?: Json;
  /** By content type. */
  readonly content?: Readonly<Record<string, { readonly schema?: Json }>>;
}

export interface Operation {
  readonly operationId: string;
  /** By status. */
  readonly responses: Readonly<Record<string, unknown>>;
}

interface FoundOperation {
  readonly name: string;
  /** Absent when the path is known and the method is not. */
  readonly operation: Operation | undefined;
}

/** Finds the operation that answers a request; undefined for an address that the document does not have. */
export function operationFinder(
  document: Json,
): (request: { readonly method: string; readonly path: string }) => FoundOperation | undefined {
  // Literal segments come before parameters.
  const order = (path: string): string => path.replaceAll(/\{\w+\}/g, "\uffff");
  const paths = Object.entries(document.paths as Record<string, Record<string, Operation>>)
    .sort(([a], [b]) => (order(a) < order(b) ? -1 : 1))
    .map(([path, item]) => ({ path, item, pattern: patternOf(path) }));
  return ({ method, path }) => {
    const [plain = ""] = path.split(/[?#]/);
    const found = paths.find(({ pattern }) => pattern.test(plain));
    if (found === undefined) return undefined;
    const operation = found.item[method === "HEAD" ? "get" : method.toLowerCase()];
    return { name: operation?.operationId ?? `${method} ${found.path}`, operation };
  };
}

function patternOf(path: string): RegExp {
  const parts = path.split(/\{\w+\}/).map((literal) => literal.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join("[^/]+")}$`);
}

/** Follows a reference within the document, if there is one. */
export const resolver =
  (document: Json) =>
  (value: unknown): Json => {
    const { $ref } = value as { $ref?: string };
    if ($ref === undefined) return value as Json;
    const parts = $ref.replace("#/", "").split("/");
    return parts.reduce((place, part) => place[part] as Json, document);
  };

/** The same schema, with objects that allow nothing but the properties they name, for a document of the id "document". */
export function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== "object" || schema === null) return schema;
  const copy = Object.fromEntries(
    Object.entries(schema).map(([keyword, value]) => [
      keyword,
      keyword === "$ref" ? String(value).replace("#", "document#") : closed(value),
    ]),
  );
  const isOpen = copy.type === "object" && "properties" in copy && !("additionalProperties" in copy);
  return isOpen ? { ...copy, additionalProperties: false } : copy;
}

/** Without its parameters. */
export const mediaType = (contentType: string | null): string =>
  (contentType ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
