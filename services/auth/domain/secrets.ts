import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from "node:crypto";
import { hashKeyColumn, type SealedColumn } from "#platform/master-keys/reseal.ts";
import { type KeyRing, mapKeys, resealed } from "#platform/secrets.ts";

/**
 * One key per purpose, so that none can stand in for another. Stored hashes use the hash key, which never
 * changes and is loaded with the first hash; encryption uses the master keys.
 */
export interface DerivedKeys {
  readonly apiKeyPepper: Buffer;
  readonly clientSecretPepper: Buffer;
  readonly passwordSalt: Buffer;
  readonly passwordPepper: Buffer;
  readonly recoveryCodePepper: Buffer;
  readonly csrfKey: Buffer;
  readonly signingKeyKek: KeyRing;
  readonly totpKek: KeyRing;
  readonly mailTokenKek: KeyRing;
}

const keyBytes = 32;

const derive = (key: Buffer, purpose: string): Buffer =>
  Buffer.from(hkdfSync("sha256", key, Buffer.alloc(0), `assent auth ${purpose}`, keyBytes));

/** `hashKey` may throw until it is known. */
export function deriveKeys(masterKeys: KeyRing, hashKey: () => Buffer): DerivedKeys {
  const known = new Map<string, Buffer>();
  const ofHashes = (purpose: string): Buffer => {
    const key = known.get(purpose) ?? derive(hashKey(), purpose);
    known.set(purpose, key);
    return key;
  };
  const ofSeals = (purpose: string): KeyRing => mapKeys(masterKeys, (key) => derive(key, purpose));
  return {
    get apiKeyPepper() {
      return ofHashes("api key pepper");
    },
    get clientSecretPepper() {
      return ofHashes("client secret pepper");
    },
    get passwordSalt() {
      return ofHashes("password salt");
    },
    get passwordPepper() {
      return ofHashes("password pepper");
    },
    get recoveryCodePepper() {
      return ofHashes("recovery code pepper");
    },
    get csrfKey() {
      return ofHashes("csrf token");
    },
    signingKeyKek: ofSeals("signing key encryption"),
    totpKek: ofSeals("totp secret encryption"),
    mailTokenKek: ofSeals("mail token encryption"),
  };
}

/** Everything that the service keeps sealed under its master key. */
export const sealedColumns = (masterKeys: KeyRing, keys: DerivedKeys): readonly SealedColumn[] => [
  hashKeyColumn("auth", masterKeys),
  {
    table: "auth.signing_key",
    column: "private_jwk",
    key: { generation: "integer" },
    select: "t.kid",
    reseal: ({ kid }: { kid: string }, sealed) => resealed(keys.signingKeyKek, sealed, kid),
  },
  {
    table: "auth.user_account",
    column: "totp_secret",
    key: { organization_id: "uuid", user_id: "uuid" },
    select: 't.user_id as "userId"',
    reseal: ({ userId }: { userId: string }, sealed) => resealed(keys.totpKek, sealed, userId),
  },
  {
    table: "auth.mail_job",
    column: "sealed_token",
    key: { organization_id: "uuid", job_id: "uuid" },
    select: 't.job_id as "jobId"',
    reseal: ({ jobId }: { jobId: string }, sealed) => resealed(keys.mailTokenKek, sealed, jobId),
  },
];

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

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

// 248 is the largest multiple of 62 that fits in a byte: bytes from there on would favour the first digits.
const usableBytes = 248;

/** Random base62 digits, each of the 62 equally likely (5.95 bits per digit). */
export function randomBase62(length: number): string {
  let text = "";
  while (text.length < length) {
    for (const byte of randomBytes(length - text.length)) {
      if (byte < usableBytes) text += alphabet.charAt(byte % 62);
    }
  }
  return text;
}

/** A number in base62, filled up with zeros to `length` digits. */
export function toBase62(value: number, length: number): string {
  let text = "";
  for (let rest = value; rest > 0; rest = Math.floor(rest / 62)) text = alphabet.charAt(rest % 62) + text;
  return text.padStart(length, "0");
}
