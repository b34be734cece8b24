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
  const [sealed, own, seals] = await Promise.all([ask(hash), ownCertificates(), findSeals(file)]);
  const found = seals.map((seal) => ({ ...seal, isOurs: isOurs(seal, own) }));
  if (sealed !== null) return { verdict: "sealed", sha256: hash, sealed, addedBytes: 0, seals: found };
  const verdict = verdictOf(found);
  const part = verdict === "added" ? found.filter(({ isOurs, isIntact }) => isOurs && isIntact).at(-1) : undefined;
  if (part === undefined) return { verdict, sha256: hash, sealed, addedBytes: 0, seals: found };
  const beginning = await ask(toHex(await sha256(file.subarray(0, part.coveredBytes))));
  return { verdict, sha256: hash, sealed: beginning, addedBytes: file.length - part.coveredBytes, seals: found };
}

async function ask(hash: string): Promise<Sealed | null> {
  const response = await fetch("document", {
    method: "POST",
    credentials: "omit",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ sha256: hash }),
  });
  if (!response.ok) throw new Error(`the answer is ${response.status}`);
  return ((await response.json()) as { sealed: Sealed | null }).sealed;
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
