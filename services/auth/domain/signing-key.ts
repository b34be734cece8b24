import { type CryptoKey, calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK, type JWK } from "jose";
import type { ScheduledKey } from "#platform/key-schedule.ts";
import { decrypt, encrypt, type KeyRing } from "#platform/secrets.ts";

/** A signing key as it is stored. */
export interface SealedKey {
  readonly kid: string;
  readonly privateJwk: Buffer;
}

/** A signing key ready for use. */
export interface OpenKey {
  readonly kid: string;
  readonly privateKey: CryptoKey;
  /** As it stands in the key set. */
  readonly publicJwk: JWK;
}

const algorithm = "ES256";

/** A new ES256 key; its kid is its RFC 7638 thumbprint. */
export async function makeSealedKey(kek: KeyRing): Promise<SealedKey> {
  const { privateKey } = await generateKeyPair(algorithm, { extractable: true });
  const jwk = await exportJWK(privateKey);
  const kid = await calculateJwkThumbprint(jwk);
  return { kid, privateJwk: encrypt(kek[0], JSON.stringify(jwk), kid) };
}

/** Throws when the key was sealed under another master key, or was tampered with. */
export async function openSealedKey(kek: KeyRing, sealed: SealedKey): Promise<OpenKey> {
  const jwk = unseal(kek, sealed);
  const privateKey = (await importJWK({ ...jwk, ext: false }, algorithm)) as CryptoKey;
  const { kty, crv, x, y } = jwk;
  return {
    kid: sealed.kid,
    privateKey,
    publicJwk: { kty, crv, x, y, kid: sealed.kid, alg: algorithm, use: "sig" } as JWK,
  };
}

function unseal(kek: KeyRing, sealed: SealedKey): JWK {
  try {
    return JSON.parse(decrypt(kek, sealed.privateJwk, sealed.kid)) as JWK;
  } catch (cause) {
    throw new Error(`signing key ${sealed.kid} cannot be decrypted: the master key is not the one it was made with`, {
      cause,
    });
  }
}

const hourMs = 60 * 60 * 1000;

export const tokenLifetimeSeconds = 3600;
/** A key signs for 30 days. */
export const rotationMs = 30 * 24 * hourMs;
/** A key stays published until the last token it signed has expired, and an hour more for late clocks. */
export const retentionMs = tokenLifetimeSeconds * 1000 + hourMs;

/** The keys that verifiers must know: the next one, the active one, and those whose tokens may still live. */
export const publishedKeys = <K extends ScheduledKey>(keys: readonly K[], now: Date): K[] =>
  keys.filter((_, index) => !isRetired(keys[index + 1], now));

/** The generations that are no longer needed. */
export const retiredKeys = <K extends ScheduledKey>(keys: readonly K[], now: Date): K[] =>
  keys.filter((_, index) => isRetired(keys[index + 1], now));

const isRetired = (successor: ScheduledKey | undefined, now: Date): boolean =>
  successor !== undefined && now.getTime() >= successor.signsFrom.getTime() + retentionMs;
