import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from "node:crypto";
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

const ivBytes = 12;
const tagBytes = 16;

/** What encrypts the signing keys of one purpose, and of no other; the master key has 32 bytes. */
export const signingKeyKek = (masterKey: Buffer, purpose: KeyPurpose): Buffer =>
  Buffer.from(hkdfSync("sha256", masterKey, Buffer.alloc(0), `assent/click/${purpose}-key-encryption`, 32));

/** A new key; its kid is its RFC 7638 thumbprint. */
export function makeSealedKey(kek: Buffer): SealedKey {
  const { x = "", d = "" } = generateKeyPairSync("ed25519").privateKey.export({ format: "jwk" });
  const kid = thumbprint(x);
  return { kid, publicKey: Buffer.from(x, "base64url"), privateKey: encrypt(kek, Buffer.from(d, "base64url"), kid) };
}

/** Throws when the key was sealed under another master key, or was tampered with. */
export function openSealedKey(kek: Buffer, sealed: SealedKey): OpenKey {
  const { kid } = sealed;
  const x = sealed.publicKey.toString("base64url");
  const d = decrypt(kek, sealed).toString("base64url");
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

function encrypt(key: Buffer, plain: Buffer, context: string): Buffer {
  const iv = randomBytes(ivBytes);
  const cipher = createCipheriv("aes-256-gcm", key, iv, { authTagLength: tagBytes });
  cipher.setAAD(Buffer.from(context));
  const encrypted = Buffer.concat([cipher.update(plain), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), encrypted]);
}

function decrypt(key: Buffer, { kid, privateKey }: SealedKey): Buffer {
  const [iv, tag] = [privateKey.subarray(0, ivBytes), privateKey.subarray(ivBytes, ivBytes + tagBytes)];
  try {
    const decipher = createDecipheriv("aes-256-gcm", key, iv, { authTagLength: tagBytes });
    decipher.setAAD(Buffer.from(kid));
    decipher.setAuthTag(tag);
    return Buffer.concat([decipher.update(privateKey.subarray(ivBytes + tagBytes)), decipher.final()]);
  } catch (cause) {
    throw new Error(`signing key ${kid} cannot be decrypted: the master key is not the one it was made with`, {
      cause,
    });
  }
}
