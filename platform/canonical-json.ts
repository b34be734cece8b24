import { createHash } from "node:crypto";

/**
 * The canonical form of a JSON value (RFC 8785): equal values give equal text, whatever their key order. As in
 * JSON.stringify, undefined properties are omitted and toJSON is called. Throws for values that JSON cannot
 * represent.
 */
export function canonicalJson(value: unknown): string {
  if (typeof value === "string") return quote(value);
  if (typeof value !== "object" || value === null) return scalar(value);
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item ?? null)).join(",")}]`;
  if ("toJSON" in value && typeof value.toJSON === "function") return canonicalJson(value.toJSON());
  let members = "";
  // JavaScript's default sort compares UTF-16 code units, as RFC 8785 §3.2.3 requires.
  for (const key of Object.keys(value).sort()) {
    const member = (value as Record<string, unknown>)[key];
    if (member === undefined) continue;
    members += `${members === "" ? "" : ","}${quote(key)}:${canonicalJson(member)}`;
  }
  return `{${members}}`;
}

/** ECMAScript's number format is already canonical. */
function scalar(value: unknown): string {
  const isPossible = typeof value !== "number" || Number.isFinite(value);
  const text = isPossible ? JSON.stringify(value) : undefined;
  if (text === undefined) throw new TypeError(`${String(value)} has no form in JSON`);
  return text;
}

// JSON.stringify takes twice as long for texts that need no escaping, as most do. Measured on an acceptance of
// 1 KB: 2.7 µs in all; 4.6 µs without this, 6.0 µs with json-canonicalize.
const plainText = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/;

const quote = (text: string): string => (plainText.test(text) ? `"${text}"` : JSON.stringify(text));

/** SHA-256 as the API writes it: `sha256:<64 hex>`. */
export const sha256Label = (bytes: Uint8Array | string): string =>
  `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
