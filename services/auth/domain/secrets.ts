import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { hashKeyColumn, type SealedColumn } from "#platform/master-keys/reseal.ts";
import { derivedKey, derivedRing, type KeyRing, resealed } from "#platform/secrets.ts";
import type { SeedVault } from "#platform/vault/seed-vault.ts";
import { exportSeedColumn } from "../privacy/export-seal.ts";

/** What stored hashes are made with. They use the hash key, which never changes and is loaded with the first hash. */
const hashPurposes = {
  apiKeyPepper: "api key pepper",
  clientSecretPepper: "client secret pepper",
  passwordSalt: "password salt",
  passwordPepper: "password pepper",
  recoveryCodePepper: "recovery code pepper",
  csrfKey: "csrf token",
  /** Of what tells whether two erasures are about the same person, and of their idempotency keys. */
  erasureIndexKey: "erasure index",
  /** Of tokens that turn notices off. */
  noticeKey: "notice token",
} as const;

/** What is encrypted, under the master keys. */
const sealPurposes = {
  signingKeyKek: "signing key encryption",
  totpKek: "totp secret encryption",
  mailTokenKek: "mail token encryption",
  erasureKek: "erasure encryption",
} as const;

/** One key per purpose, so that none can stand in for another. */
export type DerivedKeys = Readonly<
  Record<keyof typeof hashPurposes, Buffer> & Record<keyof typeof sealPurposes, KeyRing>
>;

/** `hashKey` may throw until it is known. */
export function deriveKeys(masterKeys: KeyRing, hashKey: () => Buffer): DerivedKeys {
  const ofHashes = Object.entries(hashPurposes).map(([name, purpose]) => {
    let key: Buffer | undefined;
    const get = (): Buffer => {
      key ??= derivedKey(hashKey(), `assent auth ${purpose}`);
      return key;
    };
    return [name, { get, enumerable: true }];
  });
  const ofSeals = Object.entries(sealPurposes).map(([name, purpose]) => [
    name,
    { value: derivedRing(masterKeys, `assent auth ${purpose}`), enumerable: true },
  ]);
  return Object.defineProperties({}, Object.fromEntries([...ofHashes, ...ofSeals])) as DerivedKeys;
}

/** Everything that the service keeps sealed under its master key. */
export const sealedColumns = (masterKeys: KeyRing, keys: DerivedKeys, vault: SeedVault): readonly SealedColumn[] => [
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
  {
    table: "auth.erasure",
    column: "sealed_person",
    key: { organization_id: "uuid", id: "uuid" },
    select: "t.id",
    reseal: ({ id }: { id: string }, sealed) => resealed(keys.erasureKek, sealed, id),
  },
  exportSeedColumn(vault),
];

/** The stored form of an API key. The id is part of the value, so a hash copied to another row matches nothing. */
export const hashApiKey = (keys: DerivedKeys, value: string): Buffer =>
  createHmac("sha256", keys.apiKeyPepper).update(value).digest();

/** The stored form of a client secret, bound to its client. */
export const hashClientSecret = (keys: DerivedKeys, clientId: string, secret: string): Buffer =>
  createHmac("sha256", keys.clientSecretPepper).update(`${clientId}:${secret}`).digest();

// Compared with when there is nothing to compare with, so that an unknown id takes the same steps as a wrong secret.
const noHash = Buffer.alloc(32);

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
