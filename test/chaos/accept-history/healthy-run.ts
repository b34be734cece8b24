import { generateKeyPairSync, type KeyObject, randomUUID, sign } from "node:crypto";
import { canonicalJson } from "#platform/canonical-json.ts";
import { checkpointText } from "#platform/transparency/checkpoint.ts";
import { appendHashes, emptyFrontier, leafHash, rootOf } from "#platform/transparency/merkle.ts";
import { inclusionPath } from "#platform/transparency/proofs.ts";
import { signNote, verifierKey } from "#platform/transparency/signed-note.ts";
import { tilesAfter } from "#platform/transparency/tiles.ts";
import type { AnsweredReceipt, OpenedSession, Operation, Outcome, Publication } from "./history.ts";
import type { LeafRow, LogView, Observation } from "./observation.ts";

/** Drops the readonly of what tests change. */
export type Mutable<T> = T extends Date ? T : T extends object ? { -readonly [K in keyof T]: Mutable<T[K]> } : T;

export interface Run {
  readonly operations: Mutable<Operation>[];
  readonly publications: Mutable<Publication>[];
  readonly sessions: Mutable<OpenedSession>[];
  readonly observation: Mutable<Omit<Observation, "keySet">> & Pick<Observation, "keySet">;
}

const organizationId = "018f0000-0000-7000-8000-000000000001";
const origin = `assent.localhost/click/log/${organizationId}`;
const acceptedAt = "2026-11-20T17:00:00.000Z";
const clock = Date.parse(acceptedAt);
const versionId = "018f0000-0000-7000-8000-000000000002";
const sessionId = "018f0000-0000-7000-8000-000000000003";
const integrateBy = "2026-11-20T17:01:00.000Z";

/** A small run in which nothing is wrong: answers, rows, events and a log that belong together. */
export async function healthyRun(): Promise<Run> {
  const ids = { lone: randomUUID(), retried: randomUUID(), session: randomUUID(), update: randomUUID() };
  const changes = [randomUUID(), randomUUID()];
  const keys = { receipt: generateKeyPairSync("ed25519"), log: generateKeyPairSync("ed25519") };
  const publication = leafOf(0, randomUUID(), "click.version.published");
  const leaves = [
    publication,
    ...[ids.lone, ids.retried, ids.session, ...changes].map((id, n) => leafOf(n + 1, id, "click.acceptance")),
  ];
  const receipt = (id: string): AnsweredReceipt =>
    receiptOf(
      leaves.find((leaf) => leaf.recordId === id),
      keys.receipt,
    );
  const accepted = (id: string, sessionId = id) => ({ ...receipt(id), versionId, revision: 2, sessionId });
  const operations = [
    operation("lone", "meant", 0, ok(true, accepted(ids.lone))),
    operation("lone", "meant", 20, ok(false, accepted(ids.lone))),
    operation("lone", "other user", 30, { kind: "reused" }),
    operation("retried", "meant", 0, { kind: "unknown", reason: "TimeoutError" }),
    operation("retried", "meant", 40, ok(false, accepted(ids.retried))),
    operation("session", "meant", 10, ok(true, accepted(ids.session, sessionId))),
    operation("late session", "meant", 50, { kind: "refused", status: 409, errorCode: "CLICK_SESSION_CLOSED" }),
    operation("update", "meant", 60, ok(true, ...changes.map(receipt))),
    operation("never sent", "meant", 70, { kind: "unsent" }),
  ];
  const text = { organizationId, versionId };
  const publications = [
    { ...text, revision: 1, liveFrom: 0, isScheduled: false, toldAt: -200 },
    { ...text, revision: 2, liveFrom: clock - 60, isScheduled: true, toldAt: -100 },
    // Under way while the others accept.
    { ...text, revision: 3, liveFrom: clock - 1, isScheduled: false, toldAt: 55 },
    { ...text, revision: 4, liveFrom: clock + 1, isScheduled: true, toldAt: -20 },
  ];
  const record = { organizationId, decision: "ACCEPT" as const, sessionId: null };
  const events = [
    ...[ids.lone, ids.retried, ids.session].map((id) => event("assent.click.acceptance.recorded", id)),
    ...changes.map((id) => event("assent.click.consent.granted", `event of ${id}`)),
  ];
  const observation: Observation = {
    records: [
      { ...record, recordId: ids.lone },
      { ...record, recordId: ids.retried },
      { ...record, recordId: ids.session, sessionId },
      { ...record, recordId: ids.update, decision: "CONSENT" },
    ],
    consents: changes.map((id) => ({ organizationId, eventId: `event of ${id}`, receiptId: id, updateId: ids.update })),
    outbox: events.map(({ id }) => id),
    delivered: [...events, event("assent.templates.version.published", randomUUID())],
    logs: [await logOf(leaves, keys.log)],
    keySet: {
      keys: [{ ...keys.receipt.publicKey.export({ format: "jwk" }), kid: "receipt-1", alg: "EdDSA", use: "sig" }],
    },
  };
  const session = {
    sessionId,
    key: "session",
    versionId,
    revision: 2,
    startedAt: 5,
    askedAt: clock - 5,
    createdAt: clock - 3,
  };
  return { operations, publications, sessions: [session], observation: observation as Run["observation"] };
}

const ok = (fresh: boolean, ...receipts: AnsweredReceipt[]): Outcome => ({ kind: "ok", fresh, receipts });

const operation = (key: string, variant: string, startedAt: number, outcome: Outcome): Mutable<Operation> =>
  ({
    client: "client 0",
    organizationId,
    key,
    variant,
    startedAt,
    endedAt: startedAt + 5,
    outcome,
  }) as Mutable<Operation>;

const event = (subject: string, aggregateId: string) => ({ id: randomUUID(), subject, aggregateId });

function leafOf(index: number, recordId: string, kind: string): LeafRow {
  const leaf = canonicalJson({ v: 1, kind, org: organizationId, rid: recordId });
  return { index, recordId, leaf, leafHash: leafHash(Buffer.from(leaf)).toString("hex") };
}

function receiptOf(leaf: LeafRow | undefined, key: { privateKey: KeyObject }): AnsweredReceipt {
  if (leaf === undefined) throw new Error("a receipt needs a leaf");
  const header = JSON.stringify({ alg: "EdDSA", kid: "receipt-1", typ: "click-receipt+jws" });
  const input = [header, leaf.leaf].map((part) => Buffer.from(part).toString("base64url")).join(".");
  const jws = `${input}.${sign(null, Buffer.from(input), key.privateKey).toString("base64url")}`;
  const log = {
    logId: organizationId,
    origin,
    leafIndex: leaf.index,
    leafHash: `sha256:${leaf.leafHash}`,
    integrateBy,
  };
  return {
    receiptId: leaf.recordId,
    organizationId,
    acceptedAt,
    log,
    signature: { alg: "EdDSA", kid: "receipt-1", jws },
  };
}

/** With a checkpoint after every other leaf. */
async function logOf(
  leaves: readonly LeafRow[],
  key: { privateKey: KeyObject; publicKey: KeyObject },
): Promise<LogView> {
  const hashes = leaves.map((leaf) => Buffer.from(leaf.leafHash, "hex"));
  const publicKey = Buffer.from(key.publicKey.export({ format: "jwk" }).x ?? "", "base64url");
  const checkpoints = [2, 4, leaves.length].map((size) => {
    const root = rootOf(appendHashes(emptyFrontier, hashes.slice(0, size)));
    const note = signNote(checkpointText(origin, size, root), { name: origin, key: key.privateKey, publicKey });
    return { size, root: root.toString("hex"), note, createdAt: new Date(acceptedAt) };
  });
  const [tile] = tilesAfter(0, hashes, () => undefined);
  const proofs: Mutable<LogView["proofs"]> = {};
  for (const { index, recordId } of leaves.slice(1)) {
    const path = await inclusionPath(index, leaves.length, async () => tile?.hashes ?? Buffer.alloc(0));
    const checkpoint = checkpoints.at(-1)?.note ?? "";
    const auditPath = path.map((hash) => hash.toString("base64"));
    proofs[recordId] = { leafIndex: index, treeSize: leaves.length, auditPath, checkpoint };
  }
  const notes = checkpoints.map(({ note }) => note);
  const verifierKeys = [verifierKey(origin, publicKey)];
  return { organizationId, size: leaves.length, leaves, checkpoints, notes, verifierKeys, proofs };
}
