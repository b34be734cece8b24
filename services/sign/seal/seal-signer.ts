import { createPrivateKey, type KeyObject, sign, X509Certificate } from "node:crypto";
import { promisify } from "node:util";

/** Holds the sealing key. Keys in a hardware module or a cloud key service are further implementations. */
export interface SealSigner {
  /** DER. */
  readonly certificate: Uint8Array;
  /** DER of the chain up to the root, without the signing certificate; empty for a self-signed one. */
  readonly chain: readonly Uint8Array[];
  readonly algorithm: SealAlgorithm;
  /** A SHA-256 signature over these bytes: DER ECDSA-Sig-Value, or PKCS #1 v1.5. */
  sign(bytes: Uint8Array): Promise<Uint8Array>;
}

export type SealAlgorithm = "ecdsa-sha256" | "rsa-sha256";

/**
 * Signs with a key in memory. Throws when the texts are not PEM, or the key is too weak or does not match the
 * first certificate: better at start-up than with the first agreement.
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

/** In libuv's thread pool: an RSA signature takes a millisecond. */
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

/** Parses them one by one. Throws when one cannot be read. */
export const readCertificates = (pem: string): X509Certificate[] =>
  (pem.match(certificatePattern) ?? []).map((text) => new X509Certificate(text));
