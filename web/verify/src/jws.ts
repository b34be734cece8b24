import { type Bytes, fromBase64Url, utf8, utf8Text } from "./bytes.ts";
import { ensure } from "./finding.ts";
import { isObject, parseJson } from "./json.ts";

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
