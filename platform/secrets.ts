import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { type Setting, secretSetting } from "./config.ts";

const keyBytes = 32;
const ivBytes = 12;
const tagBytes = 16;

const notAKey = `must be ${keyBytes} bytes in base64`;

/** Reads a master key of 32 bytes in base64, padded and without blanks. Throws without showing the value. */
export function parseMasterKey(text: string): Buffer {
  const bytes = Buffer.from(text, "base64");
  // Decoding skips what is not base64, so only an exact round trip proves that the text was meant as a key.
  if (bytes.length !== keyBytes || bytes.toString("base64") !== text) throw new Error(notAKey);
  requireRandomness(bytes);
  return bytes;
}

/** Of 32 random bytes some 30 are different ones; fewer than this do not happen. */
const fewestValues = 12;

/** Throws for placeholders: zeros, one byte again and again, or a shorter text that is repeated. */
export function requireRandomness(key: Buffer): void {
  const isRepeated = [...key.keys()].some((period) => period > 0 && period <= keyBytes / 2 && repeats(key, period));
  if (isRepeated || new Set(key).size < fewestValues) {
    throw new Error("must be random bytes, not zeros or a pattern; make them with: openssl rand -base64 32");
  }
}

const repeats = (key: Buffer, period: number): boolean => key.subarray(period).equals(key.subarray(0, -period));

/**
 * The setting of a master key, as parseMasterKey reads it; its value is the text. With `takesAnySpelling` also what
 * decodes to 32 bytes but is spelled otherwise (without padding, for URLs): for a service that has always taken that.
 */
export const masterKeySetting = (doc: string, { takesAnySpelling = false } = {}): Setting<string> => ({
  ...secretSetting(doc),
  parse: (text) => {
    // Decoding takes any spelling, so that what it gives is spelled as it should be.
    parseMasterKey(takesAnySpelling ? Buffer.from(text, "base64").toString("base64") : text);
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

/** What `encrypt` was given, as text. Throws when the key or the context is another one, or when a bit has changed. */
export const decrypt = (key: Buffer, sealed: Buffer, context: string): string =>
  decryptBytes(key, sealed, context).toString("utf8");

/** What `encrypt` was given, as bytes. Throws when the key or the context is another one, or when a bit has changed. */
export function decryptBytes(key: Buffer, sealed: Buffer, context: string): Buffer {
  const decipher = createDecipheriv("aes-256-gcm", key, sealed.subarray(0, ivBytes), { authTagLength: tagBytes });
  decipher.setAAD(Buffer.from(context));
  decipher.setAuthTag(sealed.subarray(ivBytes, ivBytes + tagBytes));
  return Buffer.concat([decipher.update(sealed.subarray(ivBytes + tagBytes)), decipher.final()]);
}
