import type { Request } from "express";
import type { JsonSchema } from "#api/kinds.ts";
import { DomainError, type ErrorCode, errorCatalogue, type FieldProblem } from "#platform/errors.ts";
import { isUuid } from "#platform/ids.ts";
import { paramsOf, type Route, type TextParam } from "../routes/route.ts";
import { headerCount } from "./client-error.ts";
import type { CompileSchema, Validate } from "./validate.ts";

/** A header such as `file; filename="NDA.pdf"; documentid=3`, or one with parameters only. */
interface HeaderValue {
  /** In lower case. */
  readonly value: string;
  /** Names in lower case. */
  readonly params: ReadonlyMap<string, string>;
}

const maxLength = 4_096;

/** Parses a header; undefined when it is malformed, too long, or repeats a parameter. */
export function parseHeaderParams(header: string): HeaderValue | undefined {
  if (header.length > maxLength) return undefined;
  const params = new Map<string, string>();
  const end = indexOrEnd(header, ";", 0);
  const hasValue = !header.slice(0, end).includes("=");
  const value = hasValue ? header.slice(0, end).trim().toLowerCase() : "";
  let at = hasValue ? end + 1 : 0;
  while (at < header.length) {
    const read = readParam(header, at);
    if (read === undefined || params.has(read.name)) return undefined;
    if (read.name !== "") params.set(read.name, read.value);
    at = read.next;
  }
  return { value, params };
}

interface ReadParam {
  readonly name: string;
  readonly value: string;
  /** Where the next parameter begins. */
  readonly next: number;
}

/** Reads one parameter; an empty name means an empty parameter, as after a trailing semicolon. */
function readParam(header: string, from: number): ReadParam | undefined {
  const end = indexOrEnd(header, ";", from);
  const equals = header.indexOf("=", from);
  if (equals < 0 || equals > end) {
    return header.slice(from, end).trim() === "" ? { name: "", value: "", next: end + 1 } : undefined;
  }
  const name = header.slice(from, equals).trim().toLowerCase();
  if (name === "") return undefined;
  let start = equals + 1;
  while (header[start] === " " || header[start] === "\t") start += 1;
  if (header[start] === '"') return readQuoted(header, start + 1, name);
  return { name, value: header.slice(start, Math.max(start, end)).trim(), next: end + 1 };
}

function readQuoted(header: string, from: number, name: string): ReadParam | undefined {
  let value = "";
  for (let at = from; at < header.length; at += 1) {
    const char = header[at] as string;
    if (char === '"') {
      const end = indexOrEnd(header, ";", at);
      return header.slice(at + 1, end).trim() === "" ? { name, value, next: end + 1 } : undefined;
    }
    // Only quotes and backslashes are unescaped, because old browsers send Windows paths.
    if (char === "\\" && (header[at + 1] === '"' || header[at + 1] === "\\")) at += 1;
    value += header[at];
  }
  return undefined;
}

function indexOrEnd(text: string, wanted: string, from: number): number {
  const found = text.indexOf(wanted, from);
  return found < 0 ? text.length : found;
}

/** By the names of the path parameters that are no UUIDs. */
export type TextValidators = ReadonlyMap<string, Validate>;

export const compileTexts = ({ texts = {} }: Route, compileSchema: CompileSchema): TextValidators =>
  new Map(Object.entries<TextParam>(texts).map(([name, { schema }]) => [name, compileSchema(schema)]));

/** Ids in canonical form; texts exactly as sent, percent-decoded. */
export const readParams = (params: Request["params"], { notFound = {} }: Route): Record<string, string> =>
  Object.fromEntries(
    Object.entries(params).map(([name, value]) => {
      const text = String(value);
      return [name, Object.hasOwn(notFound, name) ? text.toLowerCase() : text];
    }),
  );

/** Path texts that make a request bad instead of naming nothing. */
export const textProblems = (
  params: Readonly<Record<string, string>>,
  { texts = {} }: Route,
  validators: TextValidators,
): FieldProblem[] =>
  Object.entries<TextParam>(texts)
    .filter(([, { otherwise }]) => otherwise === undefined)
    .flatMap(([name]) => (validators.get(name)?.(params[name]) ?? []).map((problem) => ({ ...problem, field: name })));

/** A text without the form of an id names nothing: the caller gets not found, and the service is not asked. */
export function requireExistingNames(
  params: Readonly<Record<string, string>>,
  { path, notFound = {}, texts = {} }: Route,
  validators: TextValidators,
): void {
  const codes: Readonly<Record<string, ErrorCode>> = notFound;
  const kinds: Readonly<Record<string, TextParam>> = texts;
  for (const name of paramsOf(path)) {
    const value = params[name] ?? "";
    const code = codes[name];
    if (code !== undefined && !isUuid(value)) throw new DomainError(code);
    const { otherwise } = kinds[name] ?? {};
    const problems = otherwise === undefined ? [] : (validators.get(name)?.(value) ?? []);
    if (otherwise !== undefined && problems.length > 0) throw new DomainError(otherwise);
  }
}

/**
 * The query parameters that a route declares, converted to the types of its schema. A value that does not fit its
 * type stays a text, and a repeated one becomes a list, so that validation refuses it.
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

/** The parameters that contain U+0000, which Postgres cannot store. Values of other types are refused elsewhere. */
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

const headerName = "x-idempotency-key";
const printable = /^[\x20-\x7e]{1,255}$/;

/**
 * The idempotency key of a request; empty when an optional one is missing. Throws when a required one is missing, and
 * for one that was sent more than once or is not what a key may be, with the given code.
 */
export function readIdempotencyKey(req: Request, need: "required" | "optional", invalid: ErrorCode): string {
  const key = req.headers[headerName];
  if (key === undefined && need === "optional") return "";
  if (key === undefined) throw new DomainError("CLICK_IDEMPOTENCY_KEY_REQUIRED");
  // Node joins repeated headers with a comma, which a key may contain.
  if (
    typeof key !== "string" ||
    key.length > 255 ||
    !printable.test(key) ||
    headerCount(req.rawHeaders, headerName) > 1
  ) {
    throw new DomainError(invalid, { message: errorCatalogue.CLICK_IDEMPOTENCY_KEY_INVALID.message });
  }
  return key;
}
