import { createHmac } from "node:crypto";
import type { FieldProblem } from "#platform/errors.ts";
import { refusedField } from "#platform/problems.ts";
import type { DerivedKeys } from "./secrets.ts";

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

/** The same characters typed on different keyboards are the same password (RFC 8265 §4.2). */
export const composed = (password: string): string => password.normalize("NFC");

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
