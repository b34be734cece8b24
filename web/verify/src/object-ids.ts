import type { HashName } from "./bytes.ts";

/** The object identifiers of RFC 3161, 5280, 5652, 5758, 8017 that are used here. */
export const oids = {
  data: "1.2.840.113549.1.7.1",
  signedData: "1.2.840.113549.1.7.2",
  tstInfo: "1.2.840.113549.1.9.16.1.4",
  contentType: "1.2.840.113549.1.9.3",
  messageDigest: "1.2.840.113549.1.9.4",
  signingCertificate: "1.2.840.113549.1.9.16.2.12",
  signingCertificateV2: "1.2.840.113549.1.9.16.2.47",
  timeStamping: "1.3.6.1.5.5.7.3.8",
  commonName: "2.5.4.3",
  organizationName: "2.5.4.10",
  subjectKeyIdentifier: "2.5.29.14",
  keyUsage: "2.5.29.15",
  basicConstraints: "2.5.29.19",
  certificatePolicies: "2.5.29.32",
  extendedKeyUsage: "2.5.29.37",
  rsa: "1.2.840.113549.1.1.1",
  ellipticCurve: "1.2.840.10045.2.1",
} as const;

export const hashes: Readonly<Record<string, HashName>> = {
  "2.16.840.1.101.3.4.2.1": "SHA-256",
  "2.16.840.1.101.3.4.2.2": "SHA-384",
  "2.16.840.1.101.3.4.2.3": "SHA-512",
};

/** Signature algorithms with the kind of key they need. SHA-1 is not among them: it proves nothing any more. */
export const signatureAlgorithms: Readonly<Record<string, { readonly hash: HashName; readonly key: string }>> = {
  "1.2.840.113549.1.1.11": { hash: "SHA-256", key: oids.rsa },
  "1.2.840.113549.1.1.12": { hash: "SHA-384", key: oids.rsa },
  "1.2.840.113549.1.1.13": { hash: "SHA-512", key: oids.rsa },
  "1.2.840.10045.4.3.2": { hash: "SHA-256", key: oids.ellipticCurve },
  "1.2.840.10045.4.3.3": { hash: "SHA-384", key: oids.ellipticCurve },
  "1.2.840.10045.4.3.4": { hash: "SHA-512", key: oids.ellipticCurve },
};

/** The curves of keys, with the bytes of a coordinate. */
export const curves: Readonly<Record<string, { readonly name: string; readonly bytes: number }>> = {
  "1.2.840.10045.3.1.7": { name: "P-256", bytes: 32 },
  "1.3.132.0.34": { name: "P-384", bytes: 48 },
  "1.3.132.0.35": { name: "P-521", bytes: 66 },
};
