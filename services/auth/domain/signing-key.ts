import { type CryptoKey, calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK, type JWK } from "jose";
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
