import { createHash, X509Certificate } from "node:crypto";
import type { SealLevel } from "../agreement/agreement.ts";
import { coveredPieces, insertSignature, type PreparedFile } from "./byte-range.ts";
import { type Stamp, signDetached } from "./cms.ts";
import { readCertificates, type SealSigner } from "./seal-signer.ts";
import type { SealStatement } from "./signature-placeholder.ts";
import { findSeals } from "./verify-seals.ts";

/** Seals files on behalf of this installation. */
export interface Sealer {
  /** PEM of the sealing certificate and those up to its root. */
  readonly certificates: string;
  /** Whether the certificate is one that signs itself: it proves that files are unchanged, and nothing about who sealed. */
  readonly isTest: boolean;
  /** What the seal of a file of this agreement says. */
  statement(agreementId: string, sealedAt: Date): SealStatement;
  /** PEM of certificates with which files were sealed before, and those up to their roots; empty when there are none. */
  readonly formerCertificates: string;
  /** Whether this installation seals, or has sealed, with the certificate of this DER. */
  isOurs(certificate: Uint8Array): boolean;
  /** Seals the file in place, at the wanted level if that can be reached. Rejects when the seal does not hold. */
  seal(file: PreparedFile, wanted: SealLevel, signal: AbortSignal): Promise<SealLevel>;
}

export interface SealerOptions {
  readonly signer: SealSigner;
  /** PEM; none when absent. */
  readonly former?: string | undefined;
  /** Gets a time stamp; without it, seals have none. */
  readonly stamp?: ((bytes: Uint8Array, signal: AbortSignal) => Promise<Uint8Array>) | undefined;
  /** That a time stamp could not be had. */
  onStampFailure?(error: unknown): void;
}

export function createSealer({ signer, former = "", stamp, onStampFailure = () => {} }: SealerOptions): Sealer {
  const own = new X509Certificate(signer.certificate);
  const isTest = own.issuer === own.subject;
  const formerOnes = readCertificates(former);
  const ours = new Set([own, ...withoutIssuers(formerOnes)].map(({ fingerprint256 }) => fingerprint256));
  return {
    certificates: [own, ...signer.chain.map((der) => new X509Certificate(der))].map(String).join(""),
    formerCertificates: formerOnes.map(String).join(""),
    isOurs: (certificate) => ours.has(new X509Certificate(certificate).fingerprint256),
    isTest,
    statement: (agreementId, sealedAt) => ({
      name: commonName(own),
      reason: `${isTest ? testNote : ""}Everybody has signed. Agreement ${agreementId}`,
      sealedAt,
    }),
    seal: async (file, wanted, signal) => {
      const stamped: Stamp | undefined = wanted === "B-T" && stamp ? (bytes) => stamp(bytes, signal) : undefined;
      const level = await seal(file, signer, stamped && { stamp: stamped, onFailure: onStampFailure });
      requireHolding(file, own);
      return level;
    },
  };
}

const testNote = "TEST SEAL by a self-signed test certificate, without legal effect. ";

/** What cannot be verified must not leave the house. */
function requireHolding({ bytes }: PreparedFile, own: X509Certificate): void {
  const last = findSeals(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)).at(-1);
  const isOurs = last?.certificate?.equals(own.raw) === true;
  if (last === undefined || !isOurs || !last.isIntact || !last.coversWholeFile) {
    throw new Error("a seal that was just made does not hold");
  }
}

/**
 * Those that seal: the others are there because they have issued one of them. One that signs itself has issued itself
 * only, even where the next one has the same name.
 */
const withoutIssuers = (certificates: readonly X509Certificate[]): X509Certificate[] =>
  certificates.filter(
    ({ subject }) => !certificates.some((other) => other.issuer === subject && other.subject !== subject),
  );

/** The last part of the subject that is a common name; else all of it. */
const commonName = ({ subject }: X509Certificate): string =>
  subject
    .split("\n")
    .filter((part) => part.startsWith("CN="))
    .at(-1)
    ?.slice(3) ?? subject;

/**
 * Seals a prepared file in place and tells which level was reached: an authority that does not answer never keeps a
 * file from being sealed, and is never made up for.
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
