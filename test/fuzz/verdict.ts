import { isUtf8 } from "node:buffer";
import { Ajv2020 } from "ajv/dist/2020.js";
import type { JsonSchema } from "#api/kinds.ts";
import { readQuery } from "../../gateway/http/params.ts";
import { createTextFormats } from "../../gateway/http/validate.ts";
import type { FuzzOperation } from "./operations.ts";
import type { FuzzRequest } from "./requests.ts";

/** What a document says of a request: whether it has the shape that its operation wants. */
export type Verdict =
  | { readonly kind: "fits" }
  | { readonly kind: "misfits"; readonly why: string }
  /** Nothing that the document says decides it. */
  | { readonly kind: "unknown" };

export interface Judge {
  verdict(operation: FuzzOperation, request: FuzzRequest): Verdict;
  /** Whether the schema of the body says anything about a field such as `policyFlags.minAge`. */
  describesField(operation: FuzzOperation, field: string): boolean;
}

const fits: Verdict = { kind: "fits" };
const unknown: Verdict = { kind: "unknown" };
const misfits = (why: string): Verdict => ({ kind: "misfits", why });

/** How large a body may be is not in the document. */
const decidedUpToBytes = 16_000;
const maxDepth = 32;

export function createJudge(): Judge {
  const formats = createTextFormats();
  // It keeps what it has compiled. Most of it looks at few values, for which smaller code is not worth its time.
  const options = { strictRequired: false, allowUnionTypes: true, validateSchema: false };
  const ajv = new Ajv2020({ ...options, formats, code: { optimize: false } });
  const isValid = (schema: JsonSchema, value: unknown): boolean => ajv.validate(schema, value);

  const parametersVerdict = ({ parameters, path }: FuzzOperation, request: FuzzRequest): Verdict => {
    const [plain = "", query = ""] = request.path.split("?", 2);
    if (query.includes("%zz") || query.includes("%00")) return unknown;
    const inPath = pathValues(path, plain);
    if (inPath === undefined) return unknown;
    const schemas = Object.fromEntries(
      parameters.filter((parameter) => parameter.in === "query").map(({ name, schema }) => [name, schema]),
    );
    const sent: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
      path: inPath,
      query: readQuery(request.path, schemas),
      header: request.headers,
    };
    for (const { name, in: place, required, schema } of parameters) {
      const value = sent[place]?.[place === "header" ? name.toLowerCase() : name];
      if (value === undefined && required) return misfits(`${place} ${name} is missing`);
      // Headers that only name a request are replaced, not refused.
      if (place === "header" && !required) continue;
      if (value !== undefined && !isValid(schema, value)) return misfits(`${place} ${name}`);
    }
    return fits;
  };

  const bodyVerdict = ({ body }: FuzzOperation, { headers, body: bytes }: FuzzRequest): Verdict => {
    if (body === undefined) return fits;
    if (bytes === undefined || bytes.length === 0) return body.required ? misfits("no body") : fits;
    const type = mediaTypeOf(headers["content-type"]);
    if (type === undefined || ![type, "*/*"].some((one) => body.types.includes(one)))
      return misfits(`a body of ${headers["content-type"]}`);
    if (bytes.length > decidedUpToBytes) return unknown;
    if (type !== "application/json") return unknown;
    const parsed = parse(bytes);
    if (parsed.problem !== undefined) return misfits(parsed.problem);
    return isValid(body.schema, parsed.value) ? fits : misfits("the body by its schema");
  };

  return {
    verdict: (operation, request) => {
      const parameters = parametersVerdict(operation, request);
      if (parameters.kind === "unknown") return parameters;
      const body = bodyVerdict(operation, request);
      return parameters.kind === "misfits" ? parameters : body;
    },
    describesField: ({ body, parameters }, field) =>
      parameters.some(({ name }) => name === field) || (body !== undefined && describes(body.schema, field.split("."))),
  };
}

/** Undefined when the address does not lead to the operation. */
function pathValues(template: string, path: string): Record<string, string> | undefined {
  const names = [...template.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? "");
  const parts = template.split(/\{\w+\}/).map((literal) => literal.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const match = new RegExp(`^${parts.join("([^/]+)")}$`).exec(path);
  if (match === null) return undefined;
  const values = match.slice(1).map(decodeURIComponent);
  // A dot alone is a step in a path for some and a name for others.
  if (values.some((value) => /^\.*$/.test(value))) return undefined;
  return Object.fromEntries(names.map((name, n) => [name, values[n] ?? ""]));
}

/** Without a charset other than UTF-8. */
function mediaTypeOf(contentType: string | undefined): string | undefined {
  const [type, ...parameters] = (contentType ?? "")
    .toLowerCase()
    .split(";")
    .map((part) => part.trim());
  return parameters.every((parameter) => parameter === "charset=utf-8") ? type : undefined;
}

function parse(bytes: Buffer): { readonly value?: unknown; readonly problem?: string } {
  if (!isUtf8(bytes)) return { problem: "no UTF-8" };
  try {
    const value = JSON.parse(bytes.toString("utf8")) as unknown;
    return isStorable(value, maxDepth) ? { value } : { problem: "JSON that cannot be stored" };
  } catch {
    return { problem: "no JSON" };
  }
}

/** No half of a surrogate pair, no NUL, not too deep. */
function isStorable(value: unknown, levels: number): boolean {
  if (typeof value === "string") return value.isWellFormed() && !value.includes("\0");
  if (typeof value !== "object" || value === null) return true;
  return levels > 0 && Object.entries(value).every((part) => part.every((of) => isStorable(of, levels - 1)));
}

function describes(schema: JsonSchema | undefined, [first, ...rest]: readonly string[]): boolean {
  if (schema === undefined) return false;
  if (first === undefined || first === "") return true;
  const {
    properties = {},
    items,
    additionalProperties,
  } = schema as Readonly<Record<string, Record<string, JsonSchema>>>;
  const name = first.replace(/\[.*$/, "");
  if (Object.hasOwn(properties, name)) return describes(properties[name], rest);
  if (items !== undefined && /^\d+$/.test(first)) return describes(items as JsonSchema, rest);
  return typeof additionalProperties === "object" && describes(additionalProperties as JsonSchema, rest);
}
