import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  hkdfSync,
  type KeyObject,
} from "node:crypto";
import { decryptBytes, encrypt, type KeyRing, mapKeys } from "#platform/secrets.ts";
import type { KeyPurpose } from "./key-schedule.ts";

/** An Ed25519 key as it is stored. */
export interface SealedKey {
  readonly kid: string;
  /** The 32 bytes of RFC 8032. */
  readonly publicKey: Buffer;
  /** iv, tag and ciphertext of the private key's 32 bytes. */
  readonly privateKey: Buffer;
}

export interface OpenKey {
  readonly kid: string;
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

/** What encrypts the signing keys of one purpose, and of no other. */
export const signingKeyKek = (masterKeys: KeyRing, purpose: KeyPurpose): KeyRing =>
  mapKeys(masterKeys, (key) =>
    Buffer.from(hkdfSync("sha256", key, Buffer.alloc(0), `assent/click/${purpose}-key-encryption`, 32)),
  );

/** A new key; its kid is its RFC 7638 thumbprint. */
export function makeSealedKey(kek: KeyRing): SealedKey {
  const { x = "", d = "" } = generateKeyPairSync("ed25519").privateKey.export({ format: "jwk" });
  const kid = thumbprint(x);
  return { kid, publicKey: Buffer.from(x, "base64url"), privateKey: encrypt(kek[0], Buffer.from(d, "base64url"), kid) };
}

/** Throws when the key was sealed under another master key, or was tampered with. */
export function openSealedKey(kek: KeyRing, sealed: SealedKey): OpenKey {
  const { kid } = sealed;
  const x = sealed.publicKey.toString("base64url");
  const d = privateBytes(kek, sealed).toString("base64url");
  const jwk = { kty: "OKP", crv: "Ed25519", x, d };
  const privateKey = createPrivateKey({ key: jwk, format: "jwk" });
  const publicKey = createPublicKey(privateKey);
  // A public key that somebody put there would verify what they signed.
  if (thumbprint(x) !== kid || publicKey.export({ format: "jwk" }).x !== x) {
    throw new Error(`signing key ${kid} has a public key that is not its own`);
  }
  return { kid, publicKey, privateKey };
}

/** The 32 bytes of RFC 8032 §5.1.5. */
export const rawPublicKey = ({ publicKey }: Pick<OpenKey, "publicKey">): Buffer =>
  Buffer.from(publicKey.export({ format: "jwk" }).x ?? "", "base64url");

const thumbprint = (x: string): string =>
  createHash("sha256")
    .update(JSON.stringify({ crv: "Ed25519", kty: "OKP", x }))
    .digest("base64url");

function privateBytes(kek: KeyRing, { kid, privateKey }: SealedKey): Buffer {
  try {
    return decryptBytes(kek, privateKey, kid);
  } catch (cause) {
    throw new Error(`signing key ${kid} cannot be decrypted: the master key is not the one it was made with`, {
      cause,
    });
  }
}
