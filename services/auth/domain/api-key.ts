import { crc32 } from "node:zlib";
import { randomBase62, toBase62 } from "./secrets.ts";

/** An API key whose form and checksum are right. Whether it exists is another question. */
export interface ParsedApiKey {
  readonly keyId: string;
}

export interface NewApiKey {
  readonly keyId: string;
  /** The whole key, shown once. */
  readonly value: string;
}

const keyIdLength = 16;
const secretLength = 43; // 43 base62 digits hold 256 bits.
const checksumLength = 6; // 62^6 > 2^32
const keyLength = "ak_live_".length + keyIdLength + "_".length + secretLength + checksumLength;

const keyPattern = /^ak_(?:live|test)_([0-9A-Za-z]{16})_[0-9A-Za-z]{49}$/;
const keyIdPattern = /^[0-9A-Za-z]{16}$/;

/** `ak_live_<16>_<43><6>`: a prefix for secret scanners, an id to look up, a secret, and a checksum over all of it. */
export function makeApiKey(sandbox: boolean): NewApiKey {
  const keyId = randomBase62(keyIdLength);
  const body = `ak_${sandbox ? "test" : "live"}_${keyId}_${randomBase62(secretLength)}`;
  return { keyId, value: body + checksum(body) };
}

/** Undefined for everything that cannot be a key: mistyped and made-up keys cost no look-up. */
export function parseApiKey(value: string): ParsedApiKey | undefined {
  if (value.length !== keyLength) return undefined;
  const keyId = keyPattern.exec(value)?.[1];
  if (keyId === undefined) return undefined;
  const body = value.slice(0, -checksumLength);
  return value.slice(-checksumLength) === checksum(body) ? { keyId } : undefined;
}

export const isApiKeyId = (value: string): boolean => keyIdPattern.test(value);

/** True for values that are meant as an API key, well-formed or not. */
export const looksLikeApiKey = (value: string): boolean => value.startsWith("ak_");

const checksum = (body: string): string => toBase62(crc32(body), checksumLength);
