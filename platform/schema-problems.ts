import type { FieldProblem } from "./errors.ts";
import { memberPath, namesIn } from "./field-path.ts";

/** An error of a JSON Schema validator: its place in the value (RFC 6901), and what its keyword says of it. */
interface SchemaError {
  readonly instancePath: string;
  readonly keyword: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly message?: string | undefined;
}

/**
 * The errors of a value as problems of its fields. The code is the schema's keyword in capitals: `MIN_LENGTH`; a member
 * that the schema does not know is `ADDITIONAL_PROPERTIES`.
 */
export const schemaProblems = (errors: readonly SchemaError[] | null | undefined, value: unknown): FieldProblem[] =>
  (errors ?? []).map((error) => ({
    field: schemaPath(error, value),
    code: error.keyword.replaceAll(/[A-Z]/g, "_$&").toUpperCase(),
    message: messageOf(error),
  }));

function messageOf({ keyword, params, message }: SchemaError): string {
  if (keyword === "required") return "is required";
  if (keyword === "enum") return `must be one of ${(params.allowedValues as unknown[]).join(", ")}`;
  if (keyword === "format") return `must be ${formatNames[String(params.format)] ?? "of another form"}`;
  return message ?? "is not valid";
}

const formatNames: Readonly<Record<string, string>> = {
  uuid: "a UUID",
  date: "a day such as 2026-11-20",
  "date-time": "a date and time such as 2026-11-20T17:00:00.123Z",
  "language-tag": "a BCP 47 language tag such as en-US",
  "https-url": "an absolute https URL without credentials",
  uri: "an absolute https URL without credentials",
  email: "an e-mail address",
};

/** The path of an error: `/recipients/0/name` becomes `recipients[0].name`. */
function schemaPath({ instancePath, keyword, params }: SchemaError, value: unknown): string {
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
