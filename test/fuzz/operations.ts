import type { JsonSchema } from "#api/kinds.ts";

/** What an OpenAPI document says of one parameter. */
export interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required: boolean;
  readonly schema: JsonSchema;
}

export interface BodyDescription {
  readonly required: boolean;
  readonly schema: JsonSchema;
  /** The media types that are understood. */
  readonly types: readonly string[];
  readonly examples: readonly unknown[];
}

/** One operation as the document describes it, with every reference replaced by what it names. */
export interface FuzzOperation {
  readonly operationId: string;
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly Parameter[];
  readonly body: BodyDescription | undefined;
  readonly isProtected: boolean;
  /** Those that the document names; any one of them is enough, and any credential when there is none. */
  readonly scopes: readonly string[];
  /** Whether a query parameter may stand in for the credential. */
  readonly tokenParameter: string | undefined;
  /** The codes that each status may carry. */
  readonly errorCodes: ReadonlyMap<number, ReadonlySet<string>>;
}

// biome-ignore lint/suspicious/noExplicitAny: a document is whatever the server says, and the contract checks it elsewhere
type Json = any;

/** Reads the operations of an OpenAPI document. What it describes tomorrow is covered without a change here. */
export function readOperations(document: Json): FuzzOperation[] {
  const resolve = createResolver(document);
  const tokens: Record<string, Json> = document.components.securitySchemes ?? {};
  return Object.entries<Json>(document.paths).flatMap(([path, item]) =>
    Object.entries<Json>(item).map(([method, row]) => {
      const security: Record<string, string[]>[] = row.security ?? [];
      const inQuery = security.flatMap(Object.keys).find((name) => tokens[name]?.in === "query");
      return {
        operationId: row.operationId,
        method: method.toUpperCase(),
        path,
        parameters: (row.parameters ?? []).map((parameter: Json) => parameterOf(parameter, resolve)),
        body: row.requestBody && bodyOf(resolve(row.requestBody), resolve),
        // Others have credentials of their own, or none.
        isProtected: security.some((way) => Object.hasOwn(way, "bearer")),
        scopes: security.flatMap(({ oauth = [] }) => oauth),
        tokenParameter: inQuery === undefined ? undefined : tokens[inQuery]?.name,
        errorCodes: errorCodesOf(row.responses, resolve),
      };
    }),
  );
}

function parameterOf(parameter: Json, resolve: Resolve): Parameter {
  const { name, in: place, required = false, schema } = resolve(parameter);
  return { name, in: place, required, schema };
}

function bodyOf({ required = false, content }: Json, _resolve: Resolve): BodyDescription {
  const [media] = Object.values<Json>(content);
  const named = Object.values<Json>(media.examples ?? {}).map(({ value }) => value);
  const examples = media.example === undefined ? named : [media.example, ...named];
  return { required, schema: media.schema, types: Object.keys(content), examples };
}

/** The examples of an error answer have the codes for names. */
function errorCodesOf(responses: Record<string, Json>, resolve: Resolve): Map<number, Set<string>> {
  return new Map(
    Object.entries(responses)
      .filter(([status]) => Number(status) >= 400)
      .map(([status, response]) => {
        const media = resolve(response).content?.["application/json"];
        const values = Object.values<Json>(media?.examples ?? {}).map(({ value }) => value);
        return [Number(status), new Set(values.map((value) => value.errorCode ?? value.code ?? value.error))];
      }),
  );
}

type Resolve = (value: Json) => Json;

/** Replaces references, wherever they stand. Schemas that contain themselves stop at the second level. */
function createResolver(document: Json): Resolve {
  const lookUp = (pointer: string): Json =>
    pointer
      .split("/")
      .slice(1)
      .reduce((value, part) => value[part], document);
  const resolve = (value: Json, within: readonly string[] = []): Json => {
    if (Array.isArray(value)) return value.map((item) => resolve(item, within));
    if (typeof value !== "object" || value === null) return value;
    const { $ref: pointer } = value;
    if (typeof pointer !== "string") {
      return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, resolve(part, within)]));
    }
    return within.includes(pointer) ? {} : resolve(lookUp(pointer), [...within, pointer]);
  };
  return (value) => resolve(value);
}
