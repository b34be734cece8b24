import { randomBytes } from "node:crypto";

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
