import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { DerivedKeys } from "./secrets.ts";

const stepMs = 30_000;
const digits = 6;
/** Authenticators may be this many steps early or late. */
const drift = 1;
/** RFC 4226 §4 recommends 160 bits. */
const secretBytes = 20;
const codePattern = /^[0-9]{6}$/;

export const makeTotpSecret = (): Buffer => randomBytes(secretBytes);

export const looksLikeTotpCode = (code: string): boolean => code.length === digits && codePattern.test(code);

/**
 * The step of RFC 6238 that a code belongs to, when it is one of now and is later than the last one that was used: a code
 * that somebody has seen cannot be used again. Undefined for every other code.
 */
export function totpStep(secret: Buffer, code: string, now: Date, lastStep: number | null): number | undefined {
  if (!looksLikeTotpCode(code)) return undefined;
  const current = Math.floor(now.getTime() / stepMs);
  const steps = [current - drift, current, current + drift].filter((step) => step > (lastStep ?? -1));
  return steps.filter((step) => timingSafeEqual(Buffer.from(totpCode(secret, step)), Buffer.from(code)))[0];
}

/** The code of a step: the HOTP of RFC 4226 §5.3 over SHA-1. */
export function totpCode(secret: Buffer, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac("sha1", secret).update(counter).digest();
  const offset = (mac.at(-1) ?? 0) & 0x0f;
  const number = (mac.readUInt32BE(offset) & 0x7fffffff) % 10 ** digits;
  return String(number).padStart(digits, "0");
}

const base32Alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** RFC 4648 §6 without padding. */
export function toBase32(bytes: Buffer): string {
  let text = "";
  let bits = 0;
  let held = 0;
  for (const byte of bytes) {
    held = (held << 8) | byte;
    for (bits += 8; bits >= 5; bits -= 5) text += base32Alphabet.charAt((held >>> (bits - 5)) & 31);
    held &= (1 << bits) - 1;
  }
  return bits > 0 ? text + base32Alphabet.charAt((held << (5 - bits)) & 31) : text;
}

/** What authenticators read from a QR code. */
export function totpUri(secret: Buffer, label: { readonly issuer: string; readonly account: string }): string {
  const path = [label.issuer, label.account].map(encodeURIComponent).join(":");
  const issuer = encodeURIComponent(label.issuer);
  return `otpauth://totp/${path}?secret=${toBase32(secret)}&issuer=${issuer}&algorithm=SHA1&digits=${digits}&period=30`;
}

const codeCount = 10;
/** 80 bits cannot be guessed, so a fast hash is enough. */
const codeBytes = 10;
const codeLength = 16;
const recoveryPattern = /^[a-z2-7]{16}$/;

/** Codes as they are shown, such as `abcd-efgh-ijkl-mnop`. */
export const makeRecoveryCodes = (): string[] =>
  Array.from({ length: codeCount }, () => grouped(toBase32(randomBytes(codeBytes)).toLowerCase()));

const grouped = (code: string): string => [0, 4, 8, 12].map((at) => code.slice(at, at + 4)).join("-");

/** The stored form of a code, bound to its user. Undefined for what cannot be a code. */
export function hashRecoveryCode(keys: DerivedKeys, userId: string, code: string): Buffer | undefined {
  if (code.length > 2 * codeLength) return undefined;
  const plain = code.replaceAll("-", "").replaceAll(" ", "").toLowerCase();
  if (!recoveryPattern.test(plain)) return undefined;
  return createHmac("sha256", keys.recoveryCodePepper).update(`${userId}:${plain}`).digest();
}
