import { createPrivateKey, type KeyObject, sign, X509Certificate } from "node:crypto";
import { promisify } from "node:util";

/** Holds the key that seals. A key in a hardware module or a cloud's key service is another one of these. */
export interface SealSigner {
  /** DER. */
  readonly certificate: Uint8Array;
  /** DER of the certificates up to the root, without the own one; empty for a self-signed one. */
  readonly chain: readonly Uint8Array[];
  readonly algorithm: SealAlgorithm;
  /** The signature over these bytes with SHA-256: DER of an ECDSA-Sig-Value, or PKCS #1 v1.5. */
  sign(bytes: Uint8Array): Promise<Uint8Array>;
}

export type SealAlgorithm = "ecdsa-sha256" | "rsa-sha256";

/**
 * Signs with a key that is in memory. Throws when the texts are no PEM, the key is too weak or does not belong to the
 * first certificate: better now than with the first agreement.
 */
export function createPemSigner(pem: { readonly key: string; readonly certificates: string }): SealSigner {
  const key = createPrivateKey(pem.key);
  const [certificate, ...chain] = readCertificates(pem.certificates);
  if (certificate === undefined) throw new Error("there is no certificate to seal with");
  if (!certificate.checkPrivateKey(key)) throw new Error("the key does not belong to the sealing certificate");
  return {
    certificate: certificate.raw,
    chain: chain.filter(({ raw }) => !raw.equals(certificate.raw)).map(({ raw }) => raw),
    algorithm: algorithmOf(key),
    sign: (bytes) => signInBackground("sha256", bytes, key),
  };
}

/** In libuv's threads: an RSA signature takes a millisecond. */
const signInBackground = promisify((algorithm: string, bytes: Uint8Array, key: KeyObject, done: SignCallback) =>
  sign(algorithm, bytes, key, done),
);

type SignCallback = (error: Error | null, signature: Buffer) => void;

const minRsaBits = 3_072;

function algorithmOf(key: KeyObject): SealAlgorithm {
  const { namedCurve, modulusLength = 0 } = key.asymmetricKeyDetails ?? {};
  if (key.asymmetricKeyType === "ec" && namedCurve === "prime256v1") return "ecdsa-sha256";
  if (key.asymmetricKeyType === "rsa" && modulusLength >= minRsaBits) return "rsa-sha256";
  throw new Error(`the sealing key must be on the curve P-256, or an RSA key of at least ${minRsaBits} bits`);
}

const certificatePattern = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** One by one. Throws when one of them cannot be read. */
export const readCertificates = (pem: string): X509Certificate[] =>
  (pem.match(certificatePattern) ?? []).map((text) => new X509Certificate(text));
