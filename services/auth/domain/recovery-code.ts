import { createHmac, randomBytes } from "node:crypto";
import type { DerivedKeys } from "./secrets.ts";
import { toBase32 } from "./totp.ts";

const codeCount = 10;
/** 80 bits cannot be guessed, so a fast hash is enough. */
const codeBytes = 10;
const codeLength = 16;
const codePattern = /^[a-z2-7]{16}$/;

/** Codes as they are shown, such as `abcd-efgh-ijkl-mnop`. */
export const makeRecoveryCodes = (): string[] =>
  Array.from({ length: codeCount }, () => grouped(toBase32(randomBytes(codeBytes)).toLowerCase()));

const grouped = (code: string): string => [0, 4, 8, 12].map((at) => code.slice(at, at + 4)).join("-");

/** The stored form of a code, bound to its user. Undefined for what cannot be a code. */
export function hashRecoveryCode(keys: DerivedKeys, userId: string, code: string): Buffer | undefined {
  if (code.length > 2 * codeLength) return undefined;
  const plain = code.replaceAll("-", "").replaceAll(" ", "").toLowerCase();
  if (!codePattern.test(plain)) return undefined;
  return createHmac("sha256", keys.recoveryCodePepper).update(`${userId}:${plain}`).digest();
}
