import { X509Certificate } from "node:crypto";
import type { SealLevel } from "../domain/agreement.ts";
import type { PreparedFile } from "./byte-range.ts";
import type { Stamp } from "./cms.ts";
import { seal } from "./seal.ts";
import type { SealSigner } from "./seal-signer.ts";
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
  /** Seals the file in place. Rejects when the seal does not hold. */
  seal(file: PreparedFile, signal: AbortSignal): Promise<SealLevel>;
}

export interface SealerOptions {
  readonly signer: SealSigner;
  /** Gets a time stamp; without it, seals have none. */
  readonly stamp?: ((bytes: Uint8Array, signal: AbortSignal) => Promise<Uint8Array>) | undefined;
  /** That a time stamp could not be had. */
  onStampFailure?(error: unknown): void;
}

export function createSealer({ signer, stamp, onStampFailure = () => {} }: SealerOptions): Sealer {
  const own = new X509Certificate(signer.certificate);
  const isTest = own.issuer === own.subject;
  return {
    certificates: [own, ...signer.chain.map((der) => new X509Certificate(der))].map(String).join(""),
    isTest,
    statement: (agreementId, sealedAt) => ({
      name: commonName(own),
      reason: `${isTest ? testNote : ""}Everybody has signed. Agreement ${agreementId}`,
      sealedAt,
    }),
    seal: async (file, signal) => {
      const stamped: Stamp | undefined = stamp && ((bytes) => stamp(bytes, signal));
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

/** The last part of the subject that is a common name; else all of it. */
const commonName = ({ subject }: X509Certificate): string =>
  subject
    .split("\n")
    .filter((part) => part.startsWith("CN="))
    .at(-1)
    ?.slice(3) ?? subject;
