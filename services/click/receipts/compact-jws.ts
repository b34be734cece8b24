import { type KeyObject, sign, verify } from "node:crypto";

/** The parts of a compact JWS (RFC 7515 §3.1) that is well-formed; nothing about them has been verified yet. */
export interface ParsedJws {
  readonly kid: string;
  readonly payload: unknown;
  /** The bytes that the signature covers. */
  readonly signed: Buffer;
  readonly signature: Buffer;
}

const algorithm = "EdDSA";

/** Signs with Ed25519 (RFC 8037 §3.1). The same payload and key give the same text. */
export function signJws(options: { typ: string; kid: string; key: KeyObject; payload: object }): string {
  const { typ, kid, key, payload } = options;
  const signed = `${encode({ alg: algorithm, kid, typ })}.${encode(payload)}`;
  return `${signed}.${sign(null, Buffer.from(signed), key).toString("base64url")}`;
}

const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString("base64url");

export const isSignedBy = ({ signed, signature }: ParsedJws, publicKey: KeyObject): boolean =>
  verify(null, signed, publicKey, signature);

const signatureBytes = 64;

/**
 * Reads only the one kind of token that we make: the header must have exactly our members, so that it can neither
 * choose an algorithm nor bring its own key, and every part has exactly one valid encoding.
 */
export function parseJws(token: string, options: { typ: string; maxLength: number }): ParsedJws | undefined {
  if (token.length > options.maxLength) return undefined;
  const parts = token.split(".");
  const [headerBytes, payloadBytes, signature] = parts.map(decode);
  if (parts.length !== 3 || headerBytes === undefined || payloadBytes === undefined) return undefined;
  if (signature?.length !== signatureBytes) return undefined;
  const header = parseJson(headerBytes);
  const payload = parseJson(payloadBytes);
  if (!isHeader(header, options.typ) || payload === undefined) return undefined;
  const signed = Buffer.from(token.slice(0, token.lastIndexOf(".")));
  return { kid: header.kid, payload, signed, signature };
}

/** The decoder skips characters that are not base64url, so only an exact round trip proves that there were none. */
function decode(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, "base64url");
  return text !== "" && bytes.toString("base64url") === text ? bytes : undefined;
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(utf8.decode(bytes));
  } catch {
    return undefined;
  }
}

/** The form of our key ids: a SHA-256 in base64url. */
const kidPattern = /^[A-Za-z0-9_-]{43}$/;

function isHeader(value: unknown, typ: string): value is { readonly kid: string } {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const header = value as Record<string, unknown>;
  return (
    Object.keys(header).length === 3 &&
    header.alg === algorithm &&
    header.typ === typ &&
    typeof header.kid === "string" &&
    kidPattern.test(header.kid)
  );
}
