import type { Evidence as Bundle } from "#api/evidence.ts";
import type { EvidenceJwk } from "../keys/evidence-parts.ts";
import { integrationMs, type LeafKind, type LeafPayload } from "../log/leaf.ts";

/** Proof that a leaf is in the tree of a signed checkpoint. */
export interface LeafProof {
  readonly treeSize: number;
  /** From the leaf's sibling up to a child of the root (RFC 6962 §2.1.1). */
  readonly path: readonly Buffer[];
  /** The signed note. */
  readonly checkpoint: string;
}

/** A log leaf that belongs to a session. */
export interface EvidencedRecord {
  readonly recordId: string;
  readonly kind: LeafKind;
  /** The exact bytes that were signed. */
  readonly leaf: Buffer;
  readonly leafHash: Buffer;
  readonly leafIndex: number;
  /** Of the checkpoint that proves it; while there is none, of the log when the leaf was recorded. */
  readonly origin: string;
  /** Compact. */
  readonly jws: string;
  /** Empty when nothing personal may be shown. */
  readonly disclosures: readonly string[];
  /** A checkpoint published by this time covers it. */
  readonly integrateBy: Date;
  /** Null while no checkpoint covers it. */
  readonly proof: LeafProof | null;
}

/** Proof that the records' checkpoint is in the anchor log. */
export interface AnchorProof extends LeafProof {
  readonly anchorIndex: number;
  /** DER of an RFC 3161 token over the anchor's checkpoint. */
  readonly token: Buffer | null;
  readonly tsaName: string | null;
  /** False while a timestamp is still pending. */
  readonly isComplete: boolean;
}

/** The proofs of a bundle. */
export interface EvidenceIntegrity {
  readonly logId: string;
  /** In log order. */
  readonly records: readonly EvidencedRecord[];
  /** Null while the checkpoint is not anchored. */
  readonly anchor: AnchorProof | null;
  /** The public keys of all signatures. */
  readonly keys: readonly EvidenceJwk[];
  /** C2SP verifier keys of the log and of the anchor log. */
  readonly logKeys: readonly string[];
}

/** A bundle's main record: the latest acceptance or, without one, the session's completion. */
export const mainRecord = ({ records }: Pick<EvidenceIntegrity, "records">): EvidencedRecord | undefined =>
  records.findLast(({ kind }) => kind === "click.acceptance" || kind === "click.decline") ?? records.at(-1);

/** The bundle's `integrity` member. */
export function integrityObject(contentHash: string, integrity: EvidenceIntegrity): Bundle["integrity"] {
  const { keys, logKeys, anchor } = integrity;
  const main = mainRecord(integrity);
  const summary = main === undefined ? noRecord : provenLeaf(integrity, main);
  return {
    contentHash,
    ...summary,
    anchor: main === undefined ? null : anchorObject(anchor),
    records: integrity.records.map((record) => ({
      recordId: record.recordId,
      kind: record.kind,
      ...provenLeaf(integrity, record),
    })),
    keys,
    logKeys,
  };
}

const noRecord = { leafData: null, leafHash: null, receiptJws: null, disclosures: [], log: null };

const provenLeaf = (integrity: EvidenceIntegrity, record: EvidencedRecord) => ({
  leafData: record.leaf.toString("base64"),
  leafHash: `sha256:${record.leafHash.toString("hex")}`,
  receiptJws: record.jws,
  disclosures: record.disclosures,
  log: logObject(integrity, record),
});

function logObject(
  { logId }: EvidenceIntegrity,
  { leafIndex, origin, proof, integrateBy }: EvidencedRecord,
): Bundle["integrity"]["log"] {
  const place = { logId, origin, leafIndex };
  return proof === null
    ? { ...place, status: "PENDING", integrateBy: integrateBy.toISOString() }
    : { ...place, ...proofObject(proof) };
}

function anchorObject(anchor: AnchorProof | null): Bundle["integrity"]["anchor"] {
  if (anchor === null) return { status: "PENDING" };
  const { anchorIndex, token, tsaName, isComplete } = anchor;
  return {
    status: isComplete ? "ANCHORED" : "PENDING",
    anchorIndex,
    ...proofObject(anchor),
    timestampToken: token?.toString("base64") ?? null,
    tsaName,
    cosignatures: [],
  };
}

const proofObject = ({ treeSize, path, checkpoint }: LeafProof) => ({
  treeSize,
  auditPath: path.map((hash) => hash.toString("base64")),
  checkpoint,
});

/** The member that holds each kind of leaf's time. */
const timeMembers = ["acceptedAt", "completedAt", "recordedAt", "publishedAt", "requestedAt", "openedAt"] as const;

/** When a leaf was created, by the service's clock. Throws when the leaf does not say. */
export function madeAt(leaf: LeafPayload): Date {
  const stated = leaf as LeafPayload & Partial<Record<(typeof timeMembers)[number], string>>;
  const time = timeMembers.map((member) => stated[member]).find((value) => value !== undefined);
  if (time === undefined) throw new Error(`a leaf of the kind ${leaf.kind} does not say when it was made`);
  return new Date(time);
}

/** When a published checkpoint must include the leaf. Throws like madeAt. */
export const promisedTime = (leaf: LeafPayload): Date => new Date(madeAt(leaf).getTime() + integrationMs);
