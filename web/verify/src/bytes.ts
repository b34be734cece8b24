import { fail } from "./finding.ts";

/** Bytes as Web Crypto takes them. */
export type Bytes = Uint8Array<ArrayBuffer>;

export const utf8 = (text: string): Bytes => new TextEncoder().encode(text);

/** Fails for bytes that are no UTF-8. */
export function utf8Text(bytes: Bytes, name: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return fail(`${name} is not UTF-8`);
  }
}

/** RFC 4648 §4. Fails unless the text is exactly how its bytes are written: no bit of it may be ignored. */
export function fromBase64(text: string, name: string): Bytes {
  const bytes = decode(text);
  return bytes === undefined || toBase64(bytes) !== text ? fail(`${name} is not base64`) : bytes;
}

/** RFC 4648 §5 without padding; as strict as fromBase64. */
export function fromBase64Url(text: string, name: string): Bytes {
  const bytes = decode(text.replaceAll("-", "+").replaceAll("_", "/"));
  return bytes === undefined || toBase64Url(bytes) !== text ? fail(`${name} is not base64url`) : bytes;
}

function decode(text: string): Bytes | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

const pieceBytes = 8_192;

function toBase64(bytes: Bytes): string {
  let binary = "";
  for (let start = 0; start < bytes.length; start += pieceBytes) {
    binary += String.fromCharCode(...bytes.subarray(start, start + pieceBytes));
  }
  return btoa(binary);
}

export const toBase64Url = (bytes: Bytes): string =>
  toBase64(bytes).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");

export const toHex = (bytes: Bytes): string => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

export function concat(...parts: readonly Bytes[]): Bytes {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    whole.set(part, offset);
    offset += part.length;
  }
  return whole;
}

export const isSame = (a: Bytes, b: Bytes): boolean =>
  a.length === b.length && a.every((byte, index) => byte === b[index]);

export type HashName = "SHA-1" | "SHA-256" | "SHA-384" | "SHA-512";

export const digest = async (hash: HashName, bytes: Bytes): Promise<Bytes> =>
  new Uint8Array(await crypto.subtle.digest(hash, bytes));

export const sha256 = (bytes: Bytes): Promise<Bytes> => digest("SHA-256", bytes);

/** A hash in the form that bundles show: `sha256:<64 hex>`. */
export const hashLabel = async (bytes: Bytes): Promise<string> => `sha256:${toHex(await sha256(bytes))}`;
