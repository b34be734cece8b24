import { hash, randomFillSync } from "node:crypto";

/** Values that a leaf commits to without holding them, and what proves them (RFC 9901 §4.2). */
export interface Disclosed {
  /** For the leaf: base64url of SHA-256, sorted, with decoys up to a fixed number, so that the leaf does not tell how many there are. */
  readonly digests: readonly string[];
  /** base64url of JSON `[salt, name, value]`, in the order of the values. */
  readonly disclosures: readonly string[];
}

/** The name of the hash function in `_sd_alg`. */
export const digestAlgorithm = "sha-256";

const saltBytes = 16;
const digestBytes = 32;

/**
 * Commits to each value that is not null or undefined under a fresh salt of 128 bits, so that not even a value that can
 * be guessed can be confirmed without its disclosure. Throws when there are more values than places.
 */
export function disclose(values: Readonly<Record<string, unknown>>, places: number): Disclosed {
  const disclosures: string[] = [];
  const digests: string[] = [];
  for (const [name, value] of Object.entries(values)) {
    if (value === null || value === undefined) continue;
    const disclosure = Buffer.from(JSON.stringify([random(saltBytes).toString("base64url"), name, value])).toString(
      "base64url",
    );
    disclosures.push(disclosure);
    digests.push(digestOf(disclosure));
  }
  if (digests.length > places) throw new Error(`${digests.length} values have no room in ${places} places`);
  while (digests.length < places) digests.push(random(digestBytes).toString("base64url"));
  return { digests: digests.sort(), disclosures };
}

/** RFC 9901 §4.2.3: over the ASCII bytes of the disclosure, not over what it decodes to. */
export const digestOf = (disclosure: string): string => hash("sha256", disclosure, "base64url");

/** Reads a disclosure; undefined when it is none. */
export function parseDisclosure(disclosure: string): { readonly name: string; readonly value: unknown } | undefined {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(disclosure, "base64url").toString("utf8"));
    if (!Array.isArray(parsed) || parsed.length !== 3 || typeof parsed[1] !== "string") return undefined;
    return { name: parsed[1], value: parsed[2] };
  } catch {
    return undefined;
  }
}

const pool = Buffer.allocUnsafe(64 * 1024);
let offset = pool.length;

/** Random numbers come much cheaper in large pieces. */
function random(bytes: number): Buffer {
  if (offset + bytes > pool.length) {
    randomFillSync(pool);
    offset = 0;
  }
  const piece = pool.subarray(offset, offset + bytes);
  offset += bytes;
  return piece;
}
