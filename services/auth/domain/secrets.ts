import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { FieldProblem } from "#platform/errors.ts";
import { hashKeyColumn, type SealedColumn } from "#platform/master-keys/reseal.ts";
import { composed } from "#platform/password-stretcher.ts";
import { refusedField } from "#platform/problems.ts";
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
  /** Of challenges that passkeys sign. */
  passkeyKey: "passkey challenge",
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

const minLength = 12;
const maxLength = 200;
const minDistinct = 5;
/** What has to be left of a password without the names that anybody would try. */
const minRest = 6;

/** Whose password it is to be. */
export interface PasswordOwner {
  readonly email: string;
  readonly name: string;
  readonly organizationName: string;
}

/** Throws VALIDATION_FAILED for a password that is too short, too long or easily guessed. */
export function checkPassword(password: string, owner: PasswordOwner, field = "password"): void {
  const problem = problemOf(password, owner);
  if (problem !== undefined) throw refusedField(field, problem.code, problem.message);
}

function problemOf(password: string, owner: PasswordOwner): Omit<FieldProblem, "field"> | undefined {
  const characters = [...password];
  if (characters.length < minLength || characters.length > maxLength) {
    return { code: "PASSWORD_LENGTH", message: `must have ${minLength} to ${maxLength} characters` };
  }
  if (!password.isWellFormed()) return { code: "INVALID_CHARACTERS", message: "must be valid Unicode" };
  const rest = restWithoutNames(password, owner);
  if (new Set(characters).size < minDistinct || rest.length < minRest) {
    return { code: "PASSWORD_GUESSABLE", message: "must not be based on your name, email address or organization" };
  }
  const isCommon = restWithoutCommon(rest).length < minRest;
  return isCommon ? { code: "PASSWORD_COMMON", message: "must not be a commonly used password" } : undefined;
}

/** Names of fewer characters occur in any text. */
const minNameLength = 4;

function restWithoutNames(password: string, { email, name, organizationName }: PasswordOwner): string {
  const names = [email, email.split("@")[0] ?? "", name, ...name.split(" "), organizationName]
    .flatMap((text) => [text, text.replaceAll(" ", "")])
    .map((text) => text.normalize("NFC").toLowerCase())
    .filter((text) => text.length >= minNameLength)
    .sort((a, b) => b.length - a.length);
  return names.reduce((rest, part) => rest.replaceAll(part, ""), composed(password).toLowerCase());
}

const saltBytes = 16;

/** The salt of all passwords of an address, so that trying one costs the same for however many organizations. */
export const passwordSalt = (keys: DerivedKeys, emailKey: string): Buffer =>
  createHmac("sha256", keys.passwordSalt).update(emailKey).digest().subarray(0, saltBytes);

/** The stored form of a stretched password, bound to its user. */
export const hashStretched = (keys: DerivedKeys, userId: string, stretched: Buffer): Buffer =>
  createHmac("sha256", keys.passwordPepper).update(`${userId}:`).update(stretched).digest();

/** Failed attempts of a user, as they are stored. */
export interface Attempts {
  /** Attempts that began and did not succeed, or have not ended yet. */
  readonly failures: number;
  readonly failuresSince: Date | null;
  readonly lockedUntil: Date | null;
}

const maxFailures = 10;
const windowMs = 15 * 60_000;
const lockMs = 15 * 60_000;

/**
 * Counts an attempt before it is known how it ends, so that of many at the same time no more are tried than one after the
 * other. Undefined while the user is locked.
 */
export function beginAttempt(attempts: Attempts, now: Date): Attempts | undefined {
  if (attempts.lockedUntil !== null && attempts.lockedUntil > now) return undefined;
  const { failuresSince: since } = attempts;
  const isOver = since === null || now.getTime() - since.getTime() >= windowMs;
  const failures = isOver ? 1 : attempts.failures + 1;
  const lockedUntil = failures >= maxFailures ? new Date(now.getTime() + lockMs) : null;
  return { failures, failuresSince: isOver ? now : since, lockedUntil };
}

export const noAttempts: Attempts = { failures: 0, failuresSince: null, lockedUntil: null };

/** Takes an attempt back that did not fail, without forgetting those that did: there is room for one more. */
export const takeBack = (attempts: Attempts): Attempts => ({
  ...attempts,
  failures: Math.max(0, attempts.failures - 1),
  lockedUntil: null,
});

/** What the passwords that are tried first are made of, in lower case; the longest are taken away first. */
const pieces: readonly string[] = [
  ...["1q2w3e4r5t", "1qaz2wsx3edc", "1qaz2wsx", "qwertyuiop", "qwertzuiop", "asdfghjkl", "zxcvbnm", "yxcvbnm"],
  ...["qwerty", "qwertz", "azerty", "asdf", "yxcv", "zxcv"],
  ...[
    "12345678901234567890",
    "1234567890",
    "0123456789",
    "0987654321",
    "9876543210",
    "123456",
    "654321",
    "1234",
    "123",
  ],
  ...["abcdefghijklmnopqrstuvwxyz", "abcdefghijkl", "abcdefgh", "abcdef", "abcd", "abc"],
  ...["password", "passwort", "kennwort", "passw0rd", "p@ssword", "p@ssw0rd", "pa$$word", "pa$$w0rd", "passwd", "pass"],
  ...["administrator", "adminadmin", "admin", "login", "master", "superuser", "root", "user", "guest", "test", "demo"],
  ...["welcome", "willkommen", "letmein", "changeme", "default", "secret", "geheim", "trustno1", "access"],
  ...["iloveyou", "ichliebedich", "hello", "hallo", "schatz", "sunshine", "princess", "dragon", "monkey", "shadow"],
  ...["football", "fussball", "baseball", "superman", "batman", "starwars", "pokemon", "michael", "jordan", "computer"],
  ...["internet", "company", "firma", "office", "assent"],
  ...["spring", "summer", "autumn", "winter", "frühling", "fruehling", "sommer", "herbst"],
  ...Array.from({ length: 60 }, (_, year) => String(1980 + year)),
].sort((a, b) => b.length - a.length);

/** What is left of a password in lower case without what everybody tries. */
const restWithoutCommon = (password: string): string =>
  pieces.reduce((rest, piece) => rest.replaceAll(piece, ""), password);
