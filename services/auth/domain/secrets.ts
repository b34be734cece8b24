import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes, timingSafeEqual } from "node:crypto";

/** The keys that are derived from the master key, one per purpose so that none can stand in for another. */
export interface DerivedKeys {
  readonly apiKeyPepper: Buffer;
  readonly clientSecretPepper: Buffer;
  readonly signingKeyKek: Buffer;
}

const keyBytes = 32;
const ivBytes = 12;
const tagBytes = 16;

/** Reads a master key of 32 bytes in base64. Throws without showing the value. */
export function parseMasterKey(text: string): Buffer {
  const bytes = Buffer.from(text, "base64");
  // Decoding skips what is not base64, so only an exact round trip proves that the text was meant as a key.
  if (bytes.length !== keyBytes || bytes.toString("base64") !== text) throw new Error("must be 32 bytes in base64");
  return bytes;
}

export function deriveKeys(masterKey: Buffer): DerivedKeys {
  const derive = (purpose: string): Buffer =>
    Buffer.from(hkdfSync("sha256", masterKey, Buffer.alloc(0), `assent auth ${purpose}`, keyBytes));
  return {
    apiKeyPepper: derive("api key pepper"),
    clientSecretPepper: derive("client secret pepper"),
    signingKeyKek: derive("signing key encryption"),
  };
}

/** The stored form of an API key. The id is part of the value, so a hash copied to another row matches nothing. */
export const hashApiKey = (keys: DerivedKeys, value: string): Buffer =>
  createHmac("sha256", keys.apiKeyPepper).update(value).digest();

/** The stored form of a client secret, bound to its client. */
export const hashClientSecret = (keys: DerivedKeys, clientId: string, secret: string): Buffer =>
  createHmac("sha256", keys.clientSecretPepper).update(`${clientId}:${secret}`).digest();

// Compared with when there is nothing to compare with, so that an unknown id takes the same steps as a wrong secret.
const noHash = Buffer.alloc(keyBytes);

/** Compares in constant time; false when nothing is stored. */
export function hashMatches(presented: Buffer, stored: Buffer | undefined): boolean {
  const isEqual = timingSafeEqual(presented, stored ?? noHash);
  return isEqual && stored !== undefined;
}

/** Encrypts with AES-256-GCM: iv, tag and ciphertext in one buffer. `context` must be given again to decrypt. */
export function encrypt(key: Buffer, plain: string, context: string): Buffer {
  const iv = randomBytes(ivBytes);
  const cipher = createCipheriv("aes-256-gcm", key, iv, { authTagLength: tagBytes });
  cipher.setAAD(Buffer.from(context));
  const encrypted = Buffer.concat([cipher.update(plain, "utf8"), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), encrypted]);
}

/** Throws when the key or the context is another one, or when a bit has changed. */
export function decrypt(key: Buffer, sealed: Buffer, context: string): string {
  const decipher = createDecipheriv("aes-256-gcm", key, sealed.subarray(0, ivBytes), { authTagLength: tagBytes });
  decipher.setAAD(Buffer.from(context));
  decipher.setAuthTag(sealed.subarray(ivBytes, ivBytes + tagBytes));
  return Buffer.concat([decipher.update(sealed.subarray(ivBytes + tagBytes)), decipher.final()]).toString("utf8");
}
