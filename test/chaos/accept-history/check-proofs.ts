import { compactVerify, createLocalJWKSet } from "jose";
import { verifyInclusion } from "#platform/transparency/verify.ts";
import { answered } from "./check-answers.ts";
import { readCheckpoint } from "./check-logs.ts";
import type { AnsweredReceipt, Operation, Violation } from "./history.ts";
import type { LeafRow, LogView, Observation } from "./observation.ts";

/** What a receipt says of its place in the log, and what makes it more than a claim. */
interface Promised {
  readonly receiptId: string;
  readonly organizationId: string;
  readonly log: {
    readonly logId: string;
    readonly origin: string;
    readonly leafIndex: number;
    readonly leafHash: string;
    readonly integrateBy: string;
  };
  readonly signature: { readonly kid: string; readonly jws: string };
}

/** Every receipt that was handed out is a promise that its leaf is in the log, signed, and kept. */
export async function checkProofs(operations: readonly Operation[], observation: Observation): Promise<Violation[]> {
  const keys = createLocalJWKSet(observation.keySet);
  const violations: Violation[] = [];
  for (const log of observation.logs) {
    const leaves = new Map(log.leaves.map((leaf) => [leaf.recordId, leaf]));
    for (const receipt of handedOut(operations, log.organizationId)) {
      const problems = isPromise(receipt)
        ? await problemsOf(receipt, { log, keys, leaf: leaves.get(receipt.receiptId) })
        : ["promises no place in the log"];
      const rule = "a receipt is in the log";
      violations.push(...problems.map((problem) => ({ rule, detail: `${receipt.receiptId} ${problem}` })));
    }
  }
  return violations;
}

/** Each once; that the same receipt is answered in the same way is checked elsewhere. */
function handedOut(operations: readonly Operation[], organizationId: string): AnsweredReceipt[] {
  const receipts = answered(operations)
    .filter((operation) => operation.organizationId === organizationId)
    .flatMap((operation) => operation.outcome.receipts);
  return [...new Map(receipts.map((receipt) => [receipt.receiptId, receipt])).values()];
}

const isPromise = (receipt: AnsweredReceipt): receipt is AnsweredReceipt & Promised =>
  isObject(receipt.log) && isObject(receipt.signature);

const isObject = (value: unknown): boolean => typeof value === "object" && value !== null;

interface PromiseContext {
  readonly log: LogView;
  readonly keys: ReturnType<typeof createLocalJWKSet>;
  readonly leaf: LeafRow | undefined;
}

async function problemsOf(receipt: Promised, { log, keys, leaf }: PromiseContext): Promise<string[]> {
  if (leaf === undefined) return ["has no leaf"];
  const { logId, leafIndex, leafHash } = receipt.log;
  const expected = [log.organizationId, leaf.index, `sha256:${leaf.leafHash}`];
  const isPlace = [logId, leafIndex, leafHash].every((value, n) => value === expected[n]);
  const isAbout = isLeafOf(receipt, leaf);
  const isInTime = wasIntegrated(log, leaf.index, receipt.log.integrateBy);
  const isSigned = await signs(receipt.signature, leaf.leaf, keys);
  const isProven = proves(receipt, log, leaf);
  return [
    ...(isPlace ? [] : [`says ${logId} ${leafIndex} ${leafHash}, but it is ${expected.join(" ")}`]),
    ...(isAbout ? [] : ["has a leaf that is about something else"]),
    ...(isInTime ? [] : [`was not in a checkpoint by ${receipt.log.integrateBy}`]),
    ...(isSigned ? [] : ["has a signature that is not of its leaf"]),
    ...(isProven ? [] : ["has no proof that holds"]),
  ];
}

function isLeafOf({ receiptId, organizationId }: Promised, { leaf }: LeafRow): boolean {
  const { rid, org } = JSON.parse(leaf) as { rid?: string; org?: string };
  return rid === receiptId && org === organizationId;
}

const wasIntegrated = ({ checkpoints }: LogView, index: number, by: string): boolean =>
  checkpoints.some(({ size, createdAt }) => size > index && createdAt.getTime() <= Date.parse(by));

async function signs(
  { kid, jws }: Promised["signature"],
  leaf: string,
  keys: PromiseContext["keys"],
): Promise<boolean> {
  try {
    const { payload, protectedHeader } = await compactVerify(jws, keys, { algorithms: ["EdDSA"] });
    return protectedHeader.kid === kid && Buffer.from(payload).toString() === leaf;
  } catch {
    return false;
  }
}

function proves({ receiptId, log: { origin } }: Promised, log: LogView, leaf: LeafRow): boolean {
  const proof = log.proofs[receiptId];
  const checkpoint = proof && readCheckpoint(proof.checkpoint, log.verifierKeys);
  if (proof === undefined || checkpoint?.origin !== origin || checkpoint.size !== proof.treeSize) return false;
  const path = proof.auditPath.map((hash) => Buffer.from(hash, "base64"));
  const hash = Buffer.from(leaf.leafHash, "hex");
  return proof.leafIndex === leaf.index && verifyInclusion(leaf.index, proof.treeSize, hash, path, checkpoint.root);
}
