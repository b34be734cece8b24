import { type Timestamp, timestampDate } from "@bufbuild/protobuf/wkt";
import { DomainError, type ErrorCode, type FieldProblem } from "./errors.ts";

/** What is wrong with a field of a request. */
export const problem = (field: string, code: string, message: string): FieldProblem => ({ field, code, message });

/** The error of a request with one field that is wrong. */
export const refusedField = (
  field: string,
  code: string,
  message: string,
  errorCode: ErrorCode = "VALIDATION_FAILED",
): DomainError => new DomainError(errorCode, { details: [problem(field, code, message)] });

/** How a service refuses requests whose fields are wrong: with this code, naming the first of them. */
export function refusals(code: ErrorCode, most = Number.POSITIVE_INFINITY) {
  const invalid = (...problems: readonly FieldProblem[]): DomainError =>
    new DomainError(code, { details: problems.slice(0, most) });
  /** Throws when there are problems. */
  const refuse = (problems: readonly FieldProblem[]): void => {
    if (problems.length > 0) throw invalid(...problems.slice(0, most));
  };
  return { invalid, refuse };
}

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

/** The names and list indexes that a JSON pointer (RFC 6901) consists of, unescaped. */
const namesIn = (pointer: string): string[] =>
  pointer
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));

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
  email: "an email address",
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

/** A time that a request must have. Throws VALIDATION_FAILED. */
export function momentOf(field: string, timestamp: Timestamp | undefined): Date {
  const date = timestamp && timestampDate(timestamp);
  if (date !== undefined && !Number.isNaN(date.getTime())) return date;
  throw refusedField(field, "FORMAT", "must be a time");
}
