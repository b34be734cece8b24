import { createHmac } from "node:crypto";
import { DomainError, type FieldProblem } from "#platform/errors.ts";
import { restWithoutCommon } from "./common-password.ts";
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
  if (problem !== undefined) throw new DomainError("VALIDATION_FAILED", { details: [{ field, ...problem }] });
}

function problemOf(password: string, owner: PasswordOwner): Omit<FieldProblem, "field"> | undefined {
  const characters = [...password];
  if (characters.length < minLength || characters.length > maxLength) {
    return { code: "PASSWORD_LENGTH", message: `must have ${minLength} to ${maxLength} characters` };
  }
  if (!password.isWellFormed()) return { code: "INVALID_CHARACTERS", message: "must be valid Unicode" };
  const rest = restWithoutNames(password, owner);
  if (new Set(characters).size < minDistinct || rest.length < minRest) {
    return { code: "PASSWORD_GUESSABLE", message: "must not be made of your name, address or organization" };
  }
  const isCommon = restWithoutCommon(rest).length < minRest;
  return isCommon
    ? { code: "PASSWORD_COMMON", message: "must not be one of the passwords that are tried first" }
    : undefined;
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
