import { createHash, X509Certificate } from "node:crypto";
import type { SealLevel } from "../agreement/agreement.ts";
import { coveredPieces, insertSignature, type PreparedFile } from "./byte-range.ts";
import { type Stamp, signDetached } from "./cms.ts";
import { readCertificates, type SealSigner } from "./seal-signer.ts";
import type { SealStatement } from "./signature-placeholder.ts";
import { findSeals } from "./verify-seals.ts";

/** Seals files for this installation. */
export interface Sealer {
  /** The one with the key and the certificates of this moment, for a file from its statement to its seal. */
  now(): Sealer;
  /** The sealing certificate and its chain, PEM. */
  readonly certificates: string;
  /** Whether the certificate is self-signed: it proves that files are unchanged, but not who sealed them. */
  readonly isTest: boolean;
  /** The seal's statement for a file of this agreement. */
  statement(agreementId: string, sealedAt: Date): SealStatement;
  /** Former sealing certificates and their chains, PEM; empty when there are none. */
  readonly formerCertificates: string;
  /** Whether this installation seals or has sealed with this certificate (DER). */
  isOurs(certificate: Uint8Array): boolean;
  /** Seals the file in place, at the wanted level if possible. Rejects when the seal does not verify. */
  seal(file: PreparedFile, wanted: SealLevel, signal: AbortSignal): Promise<SealLevel>;
}

export interface SealerOptions {
  readonly signer: SealSigner;
  /** PEM; none when absent. */
  readonly former?: string | undefined;
  /** Gets timestamps; without it, seals have none. */
  readonly stamp?: ((bytes: Uint8Array, signal: AbortSignal) => Promise<Uint8Array>) | undefined;
  /** Called when a timestamp could not be obtained. */
  onStampFailure?(error: unknown): void;
}

export function createSealer({ signer, former = "", stamp, onStampFailure = () => {} }: SealerOptions): Sealer {
  const own = new X509Certificate(signer.certificate);
  const isTest = own.issuer === own.subject;
  const formerOnes = readCertificates(former);
  const ours = new Set([own, ...withoutIssuers(formerOnes)].map(({ fingerprint256 }) => fingerprint256));
  const sealer: Sealer = {
    now: () => sealer,
    certificates: [own, ...signer.chain.map((der) => new X509Certificate(der))].map(String).join(""),
    formerCertificates: formerOnes.map(String).join(""),
    isOurs: (certificate) => ours.has(new X509Certificate(certificate).fingerprint256),
    isTest,
    statement: (agreementId, sealedAt) => ({
      name: commonName(own),
      reason: `${isTest ? testNote : ""}Everyone has signed. Agreement ${agreementId}`,
      sealedAt,
    }),
    seal: async (file, wanted, signal) => {
      const stamped: Stamp | undefined = wanted === "B-T" && stamp ? (bytes) => stamp(bytes, signal) : undefined;
      const level = await seal(file, signer, stamped && { stamp: stamped, onFailure: onStampFailure });
      requireHolding(file, own);
      return level;
    },
  };
  return sealer;
}

const testNote = "TEST SEAL by a self-signed test certificate, without legal effect. ";

/** A seal that cannot be verified must not be delivered. */
function requireHolding({ bytes }: PreparedFile, own: X509Certificate): void {
  const last = findSeals(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)).at(-1);
  const isOurs = last?.certificate?.equals(own.raw) === true;
  if (last === undefined || !isOurs || !last.isIntact || !last.coversWholeFile) {
    throw new Error("a seal that was just made does not hold");
  }
}

/**
 * The sealing certificates only, without those that merely issued one of them. A self-signed certificate counts
 * as its own issuer only, even if the next one has the same name.
 */
const withoutIssuers = (certificates: readonly X509Certificate[]): X509Certificate[] =>
  certificates.filter(
    ({ subject }) => !certificates.some((other) => other.issuer === subject && other.subject !== subject),
  );

/** The last common name in the subject, or else the whole subject. */
const commonName = ({ subject }: X509Certificate): string =>
  subject
    .split("\n")
    .filter((part) => part.startsWith("CN="))
    .at(-1)
    ?.slice(3) ?? subject;

/**
 * Seals a prepared file in place and returns the level reached: an unavailable timestamp authority never
 * prevents sealing, and its level is never claimed without a token.
 */
export async function seal(
  file: PreparedFile,
  signer: SealSigner,
  stamp?: { readonly stamp: Stamp; onFailure(error: unknown): void },
): Promise<SealLevel> {
  const digest = createHash("sha256");
  for (const piece of coveredPieces(file)) digest.update(piece);
  const value = digest.digest();
  if (stamp !== undefined) {
    try {
      insertSignature(file, await signDetached(value, signer, stamp.stamp));
      return "B-T";
    } catch (error) {
      stamp.onFailure(error);
    }
  }
  insertSignature(file, await signDetached(value, signer));
  return "B-B";
}
