import { createHash, randomBytes } from "node:crypto";
import type { FixtureLeaf } from "./acceptance.ts";
import { anchorOrigin, type Installation, logOrigin, signCheckpoint, signJws } from "./installation.ts";
import { iso, label, type Scenario } from "./scenario.ts";

const sha256 = (...parts: Buffer[]): Buffer => createHash("sha256").update(Buffer.concat(parts)).digest();

const leafHash = (data: Buffer): Buffer => sha256(Buffer.of(0), data);

/** As RFC 6962 §2.1 defines it, by recursion over lists of leaf hashes: slow and easy to compare with the text. */
function rootOf(hashes: readonly Buffer[]): Buffer {
  if (hashes.length === 0) return sha256();
  if (hashes.length === 1) return hashes[0] as Buffer;
  const k = splitPoint(hashes.length);
  return sha256(Buffer.of(1), rootOf(hashes.slice(0, k)), rootOf(hashes.slice(k)));
}

/** RFC 6962 §2.1.1. */
function auditPath(index: number, hashes: readonly Buffer[]): Buffer[] {
  if (hashes.length <= 1) return [];
  const k = splitPoint(hashes.length);
  return index < k
    ? [...auditPath(index, hashes.slice(0, k)), rootOf(hashes.slice(k))]
    : [...auditPath(index - k, hashes.slice(k)), rootOf(hashes.slice(0, k))];
}

function splitPoint(n: number): number {
  let k = 1;
  while (k * 2 < n) k *= 2;
  return k;
}

/** What the log held before the records of the bundle, and after them. */
const before = 5;
const after = 4;
const anchorsBefore = 2;

export interface RecordPart {
  readonly recordId: string;
  readonly kind: string;
  readonly leafData: string;
  readonly leafHash: string;
  readonly receiptJws: string;
  readonly disclosures: readonly string[];
  readonly log: object;
}

export interface LogParts {
  readonly records: readonly RecordPart[];
  readonly anchor: object | null;
}

/** Puts the leaves into a log of others, and the checkpoint of that into an anchor log. */
export function logParts(
  installation: Installation,
  scenario: Scenario,
  leaves: readonly (FixtureLeaf & { readonly madeAt: number })[],
): LogParts {
  const noise = (count: number) => Array.from({ length: count }, () => randomBytes(32));
  const bytes = leaves.map(({ leaf }) => Buffer.from(leaf));
  const hashes = [...noise(before), ...bytes.map(leafHash), ...noise(after)];
  const origin = logOrigin(installation) + scenario.epochs.checkpoint;
  const checkpoint = signCheckpoint(installation, origin, hashes.length, rootOf(hashes));
  const place = (n: number, madeAt: number) => {
    const known = { logId: installation.organizationId, origin, leafIndex: before + n };
    if (scenario.log === "PENDING") return { ...known, status: "PENDING", integrateBy: iso(madeAt + 60_000) };
    return { ...known, treeSize: hashes.length, auditPath: base64s(auditPath(before + n, hashes)), checkpoint };
  };
  const records = leaves.map((one, n) => ({
    recordId: one.recordId,
    kind: one.kind,
    leafData: Buffer.from(one.leaf).toString("base64"),
    leafHash: `sha256:${leafHash(Buffer.from(one.leaf)).toString("hex")}`,
    receiptJws: signJws(installation.receiptKey, "click-receipt+jws", one.leaf),
    disclosures: one.disclosures,
    log: place(n, one.madeAt),
  }));
  if (leaves.length === 0) return { records, anchor: null };
  const isAnchored = scenario.log === "INTEGRATED" && scenario.anchor === "ANCHORED";
  return { records, anchor: isAnchored ? anchorPart(installation, scenario, checkpoint) : { status: "PENDING" } };
}

function anchorPart(installation: Installation, { stamp, epochs }: Scenario, note: string): object {
  const others = Array.from({ length: anchorsBefore }, (_, n) => leafHash(Buffer.from(label(`other ${n}`))));
  const own = leafHash(createHash("sha256").update(note).digest());
  const hashes = [...others, own, leafHash(randomBytes(32))];
  const checkpoint = signCheckpoint(
    installation,
    anchorOrigin(installation) + epochs.checkpoint,
    hashes.length,
    rootOf(hashes),
  );
  return {
    status: "ANCHORED",
    anchorIndex: anchorsBefore,
    treeSize: hashes.length,
    auditPath: base64s(auditPath(anchorsBefore, hashes)),
    checkpoint,
    timestampToken: stamp === undefined ? null : stamp(checkpoint).toString("base64"),
    tsaName: stamp === undefined ? null : "Test authority",
    cosignatures: [],
  };
}

const base64s = (hashes: readonly Buffer[]): string[] => hashes.map((hash) => hash.toString("base64"));
