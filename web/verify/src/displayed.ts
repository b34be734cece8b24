import { type Bytes, fromBase64Url, sha256, toBase64Url, utf8, utf8Text } from "./bytes.ts";
import { fail } from "./finding.ts";
import { type Json, parseJson } from "./json.ts";
import { isoTime } from "./read.ts";

/** A value that a leaf commits to without holding it, and what proves that (RFC 9901 §4.2.1). */
export interface Disclosure {
  readonly name: string;
  readonly value: Json;
  /** Its digest in the leaf. */
  readonly digest: string;
}

/** 128 bits in base64url. */
const minSaltLength = 22;

/** Reads base64url of JSON `[salt, name, value]`. */
export async function parseDisclosure(text: Json, place: string): Promise<Disclosure> {
  const encoded = typeof text === "string" ? text : fail(`${place} is not a text`);
  const parsed = parseJson(utf8Text(fromBase64Url(encoded, place), place), place);
  const [salt, name, value, ...others] = Array.isArray(parsed) ? (parsed as readonly Json[]) : [];
  const isComplete = typeof salt === "string" && salt.length >= minSaltLength && value !== undefined;
  if (!isComplete || typeof name !== "string" || others.length > 0) {
    return fail(`${place} is not a salt, a name and a value`);
  }
  return { name, value, digest: await digestOf(encoded) };
}

/** RFC 9901 §4.2.3: over the characters of the disclosure, not over what it decodes to. */
async function digestOf(encoded: string): Promise<string> {
  const bytes: Bytes = await sha256(utf8(encoded));
  return toBase64Url(bytes);
}

/** When something existed at the latest, by the clock of an authority that the key file trusts. */
export interface ProvenTime {
  /** Milliseconds since 1970. */
  readonly time: number;
}

/**
 * Fails unless a trusted time stamp proves that what a key has signed is older than its revocation: a stolen key signs
 * whatever time its thief likes, so only somebody else's clock counts.
 */
export function requireProvenBefore(who: string, revokedAt: number, proven: ProvenTime | undefined): void {
  const revoked = `${who} was revoked as of ${isoTime(revokedAt)}`;
  if (proven === undefined) fail(`${revoked}, and no trusted time stamp proves that the signature is older`);
  if (proven.time >= revokedAt) {
    fail(`${revoked}, and the time stamp of ${isoTime(proven.time)} does not prove that the signature is older`);
  }
}

/** The end of a message about a signature by such a key. */
export const provenOlder = (revokedAt: number): string =>
  `Its key was revoked as of ${isoTime(revokedAt)}, but a trusted time stamp proves that the signature is older.`;
