import { type Bytes, isSame, sha256, toHex } from "../verify/src/bytes.ts";
import { type Certificate, parseCertificates } from "../verify/src/certificate.ts";
import { findSeals, type Seal } from "./seals.ts";
import type { VerdictKind } from "./texts.ts";

/** What the installation tells of exactly this file. */
export interface Sealed {
  readonly kind: "sealed" | "certificate";
  readonly agreementId: string;
  readonly documentName: string | null;
  readonly organizationName: string;
  readonly emailSubject: string | null;
  readonly completedAt: string | null;
  readonly signers: readonly Signer[];
  readonly auditTrailIntact: boolean;
  /** Of the leaf that has the trail; null until the evidence log of the sender has it. */
  readonly evidenceLeafHash: string | null;
}

/** What remains of the agreement that had exactly this file. */
export interface Deleted {
  readonly agreementId: string;
  readonly endedAt: string;
  readonly deletedAt: string;
  readonly deletionLeafHash: string | null;
}

export interface Signer {
  readonly name: string;
  readonly role: string | null;
  readonly status: string | null;
  readonly endedAt: string | null;
}

export interface Found {
  readonly verdict: VerdictKind;
  readonly sha256: string;
  /** Of the file, or of the part of it that was sealed when something was added afterwards. */
  readonly sealed: Sealed | null;
  /** What remains when the agreement was deleted since. */
  readonly deleted: Deleted | null;
  /** Bytes after the part that was sealed here. */
  readonly addedBytes: number;
  readonly seals: readonly FoundSeal[];
}

export interface FoundSeal extends Seal {
  readonly isOurs: boolean;
}

/** Asks with the hash of the file; its signatures are looked at here. Rejects when the installation does not answer. */
export async function checkFile(file: Bytes): Promise<Found> {
  const hash = toHex(await sha256(file));
  const [{ sealed, deleted }, own, seals] = await Promise.all([ask(hash), ownCertificates(), findSeals(file)]);
  const found = seals.map((seal) => ({ ...seal, isOurs: isOurs(seal, own) }));
  const about = { sha256: hash, sealed, deleted, addedBytes: 0, seals: found };
  if (sealed !== null) return { ...about, verdict: "sealed" };
  if (deleted !== null) return { ...about, verdict: "deleted" };
  const verdict = verdictOf(found);
  const part = verdict === "added" ? found.filter(({ isOurs, isIntact }) => isOurs && isIntact).at(-1) : undefined;
  if (part === undefined) return { ...about, verdict };
  const beginning = await ask(toHex(await sha256(file.subarray(0, part.coveredBytes))));
  return { ...about, verdict, sealed: beginning.sealed, addedBytes: file.length - part.coveredBytes };
}

interface Known {
  readonly sealed: Sealed | null;
  readonly deleted: Deleted | null;
}

async function ask(hash: string): Promise<Known> {
  const response = await fetch("document", {
    method: "POST",
    credentials: "omit",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ sha256: hash }),
  });
  if (!response.ok) throw new Error(`the answer is ${response.status}`);
  return (await response.json()) as Known;
}

/** Of the key that seals now, and of earlier ones. */
async function ownCertificates(): Promise<Certificate[]> {
  const response = await fetch("../.well-known/seal-certificates.pem", { credentials: "omit" });
  if (!response.ok) throw new Error(`the answer is ${response.status}`);
  return withoutIssuers(parseCertificates(await response.text(), "the certificates of this installation"));
}

/** The others are there because they have issued one of these. One that signs itself has issued nothing else. */
const withoutIssuers = (certificates: readonly Certificate[]): Certificate[] =>
  certificates.filter(
    ({ subject }) =>
      !certificates.some((other) => isSame(other.issuer, subject) && !isSame(other.subject, other.issuer)),
  );

const isOurs = ({ certificate }: Seal, own: readonly Certificate[]): boolean =>
  certificate !== undefined && own.some(({ whole }) => isSame(whole, certificate.whole));

/** Of a file that is not on record. What was sealed last says most. */
function verdictOf(seals: readonly FoundSeal[]): VerdictKind {
  const ours = seals.filter((seal) => seal.isOurs);
  if (ours.length === 0) return seals.length === 0 ? "none" : "foreign";
  if (ours.some(({ isIntact }) => !isIntact)) return "changed";
  return ours.some(({ coversWholeFile }) => coversWholeFile) ? "unknown" : "added";
}
