import { type Bytes, fromBase64Url, utf8, utf8Text } from "./bytes.ts";
import { ensure, fail } from "./finding.ts";

export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [name: string]: Json;
}

export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * Reads JSON. A name that stands twice in one object fails: programs differ in which of the two they see, so two readers
 * of one file could see two different records (RFC 7493 §2.3).
 */
export function parseJson(text: string, name: string): Json {
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch {
    return fail(`${name} is not JSON`);
  }
  requireUniqueNames(text, name);
  return value;
}

/** The text is known to be JSON, so only strings and brackets need to be told apart. */
function requireUniqueNames(text: string, name: string): void {
  const open: (Set<string> | undefined)[] = [];
  let awaitsName = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (character === '"') {
      const end = endOfString(text, at);
      if (awaitsName) addName(open.at(-1), text.slice(at, end), name);
      awaitsName = false;
      at = end - 1;
    } else if (character === "{" || character === "[") {
      open.push(character === "{" ? new Set() : undefined);
      awaitsName = character === "{";
    } else if (character === "}" || character === "]") {
      open.pop();
      awaitsName = false;
    } else if (character === ",") {
      awaitsName = open.at(-1) !== undefined;
    }
  }
}

function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
  return at + 1;
}

function addName(names: Set<string> | undefined, quoted: string, name: string): void {
  const member = JSON.parse(quoted) as string;
  if (names?.has(member)) fail(`${name} has the member ${quoted} twice in one object`);
  names?.add(member);
}

/** The canonical form of a JSON value (RFC 8785): equal values give equal text, whatever the order of their members. */
export function canonicalJson(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (!isObject(value)) return JSON.stringify(value);
  // The default order compares UTF-16 code units, as RFC 8785 §3.2.3 asks.
  const names = Object.keys(value).sort();
  return `{${names.map((name) => `${JSON.stringify(name)}:${canonicalJson(value[name] as Json)}`).join(",")}}`;
}

export const isSameJson = (a: Json, b: Json): boolean => canonicalJson(a) === canonicalJson(b);

/** The parts of a compact JWS (RFC 7515 §3.1) whose form is right; nothing is proven by them yet. */
export interface Jws {
  readonly kid: string;
  readonly payload: Bytes;
  /** What the signature is over. */
  readonly signed: Bytes;
  readonly signature: Bytes;
}

const signatureBytes = 64;

/**
 * Reads a JWS of one kind. The header has exactly three members, so it can neither choose another algorithm nor bring a
 * key of its own.
 */
export function parseJws(jws: string, typ: string, name: string): Jws {
  const [header = "", payload = "", signature = "", ...others] = jws.split(".");
  ensure(others.length === 0 && signature !== "", `${name} is not a compact JWS`);
  const values = parseJson(utf8Text(fromBase64Url(header, `the header of ${name}`), `the header of ${name}`), name);
  const isOurs = isObject(values) && Object.keys(values).length === 3 && values.alg === "EdDSA" && values.typ === typ;
  ensure(isOurs && typeof values.kid === "string", `the header of ${name} is not exactly alg EdDSA, kid, typ ${typ}`);
  const signatureOf = fromBase64Url(signature, `the signature of ${name}`);
  ensure(signatureOf.length === signatureBytes, `the signature of ${name} does not have 64 bytes`);
  return {
    kid: values.kid,
    payload: fromBase64Url(payload, `the payload of ${name}`),
    signed: utf8(`${header}.${payload}`),
    signature: signatureOf,
  };
}
