import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";
import { type Setting, secretSetting } from "./config.ts";

const keyBytes = 32;
const ivBytes = 12;
const tagBytes = 16;

const notAKey = `must be ${keyBytes} bytes in base64`;

function parseKey(text: string): Buffer {
  const bytes = Buffer.from(text, "base64");
  // Decoding skips what is not base64, so only an exact round trip proves that the text was meant as a key.
  if (bytes.length !== keyBytes || bytes.toString("base64") !== text) throw new Error(notAKey);
  return bytes;
}

/** The first key seals, all of them open: keys of 32 bytes of which the later ones were in use before, or will be. */
export type KeyRing = readonly [Buffer, ...Buffer[]];

interface Spelling {
  /** Also what decodes to 32 bytes but is spelled otherwise (without padding, for URLs). */
  readonly takesAnySpelling?: boolean;
}

/** Reads one master key of 32 random bytes in base64, or several with commas between them. Throws without showing the value. */
export function parseMasterKeys(text: string, { takesAnySpelling = false }: Spelling = {}): KeyRing {
  const spelled = (part: string): string => (takesAnySpelling ? Buffer.from(part, "base64").toString("base64") : part);
  const [first, ...others] = text.split(",").map((part) => parseKey(spelled(part.trim())));
  if (first === undefined) throw new Error(notAKey);
  // A former key may be a poor one that is being replaced.
  requireRandomness(first);
  const ring: KeyRing = [first, ...others];
  if (ring.some((key, index) => ring.findIndex((other) => other.equals(key)) !== index)) {
    throw new Error("must not name a key twice");
  }
  return ring;
}

/**
 * The key for one purpose, so that none can stand in for another (HKDF-SHA-256, RFC 5869). What was made with it needs the
 * same words again: a purpose never changes.
 */
export const derivedKey = (key: Buffer, purpose: string, salt: string | Uint8Array = ""): Buffer =>
  Buffer.from(hkdfSync("sha256", key, salt, purpose, keyBytes));

/** The same of each key. */
export const derivedRing = ([first, ...others]: KeyRing, purpose: string): KeyRing => [
  derivedKey(first, purpose),
  ...others.map((key) => derivedKey(key, purpose)),
];

/** Tells keys apart in logs and tables without saying anything about them: 12 characters in hex. */
export const keyId = (key: Buffer): string =>
  Buffer.from(hkdfSync("sha256", key, Buffer.alloc(0), "assent key id", 6)).toString("hex");

/** Of 32 random bytes some 30 are different ones; fewer than this do not happen. */
const fewestValues = 12;

/** Throws for placeholders: zeros, one byte again and again, or a shorter text that is repeated. */
function requireRandomness(key: Buffer): void {
  const isRepeated = [...key.keys()].some((period) => period > 0 && period <= keyBytes / 2 && repeats(key, period));
  if (isRepeated || new Set(key).size < fewestValues) {
    throw new Error("must be random bytes, not zeros or a pattern; make them with: openssl rand -base64 32");
  }
}

const repeats = (key: Buffer, period: number): boolean => key.subarray(period).equals(key.subarray(0, -period));

/**
 * The setting of a ring of master keys, as parseMasterKeys reads it; its value is the text. `takesAnySpelling` is for a
 * service that has always taken any.
 */
export const masterKeySetting = (doc: string, spelling: Spelling = {}): Setting<string> => ({
  ...secretSetting(
    `${doc} Several keys, with commas between them, while it is replaced: the first one seals, all open.`,
  ),
  parse: (text) => {
    parseMasterKeys(text, spelling);
    return text;
  },
});

/**
 * Encrypts with AES-256-GCM: 12 bytes of iv, 16 of tag, then the ciphertext, in one buffer. The key has 32 bytes.
 * `context` is not stored: it says where the value belongs and must be given again to decrypt.
 */
export function encrypt(key: Buffer, plain: string | Uint8Array, context: string): Buffer {
  const iv = randomBytes(ivBytes);
  const cipher = createCipheriv("aes-256-gcm", key, iv, { authTagLength: tagBytes });
  cipher.setAAD(Buffer.from(context));
  const encrypted = typeof plain === "string" ? cipher.update(plain, "utf8") : cipher.update(plain);
  const last = cipher.final();
  return Buffer.concat([iv, cipher.getAuthTag(), encrypted, last]);
}

/** What `encrypt` was given, as text. Throws like decryptBytes. */
export const decrypt = (keys: Buffer | KeyRing, sealed: Buffer, context: string): string =>
  decryptBytes(keys, sealed, context).toString("utf8");

/**
 * What `encrypt` was given, as bytes. Throws when none of the keys is the one, when the context is another one, or when a
 * bit has changed.
 */
export const decryptBytes = (keys: Buffer | KeyRing, sealed: Buffer, context: string): Buffer =>
  Buffer.isBuffer(keys)
    ? decryptWith(keys, sealed, context)
    : withAnyKey(keys, (key) => decryptWith(key, sealed, context));

/** What the first key that does not throw comes to; throws what the first key of all threw. */
export function withAnyKey<K, T>(keys: readonly [K, ...K[]], open: (key: K) => T): T {
  const [first, ...others] = keys;
  try {
    return open(first);
  } catch (error) {
    for (const key of others) {
      try {
        return open(key);
      } catch {
        // The next one may be it.
      }
    }
    throw error;
  }
}

/**
 * The same under the first key; undefined when it is under that key already. Throws like decryptBytes. For texts and bytes
 * alike.
 */
export function resealed(keys: KeyRing, sealed: Buffer, context: string): Buffer | undefined {
  try {
    decryptWith(keys[0], sealed, context);
    return undefined;
  } catch {
    return encrypt(keys[0], decryptBytes(keys, sealed, context), context);
  }
}

function decryptWith(key: Buffer, sealed: Buffer, context: string): Buffer {
  const decipher = createDecipheriv("aes-256-gcm", key, sealed.subarray(0, ivBytes), { authTagLength: tagBytes });
  decipher.setAAD(Buffer.from(context));
  decipher.setAuthTag(sealed.subarray(ivBytes, ivBytes + tagBytes));
  return Buffer.concat([decipher.update(sealed.subarray(ivBytes + tagBytes)), decipher.final()]);
}
