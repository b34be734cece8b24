import { createHash, generateKeyPairSync, randomBytes, sign } from "node:crypto";
import type pg from "pg";
import { createPool } from "#platform/db/pool.ts";
import { newId, type OrgId } from "#platform/ids.ts";
import { createLogger } from "#platform/logger.ts";
import { newSeed } from "#platform/vault/sealed-box.ts";
import { leafHashOf, type SignedLeaf } from "../../log/leaf.ts";
import type { ReceiptDeps } from "../../receipts/acceptance-receipts.ts";
import { as, type ClickHarness, rows, testIssuer } from "../../test/harness.ts";
import { sealAcceptance } from "../../vault/seals.ts";
import { createSubjectVault } from "../../vault/subject-vault.ts";
import type { RecordOutcome } from "../record-queue.ts";
import type { AcceptanceRecord } from "../record-statement.ts";
import { createRecorder, type RecorderLimits, recorderDefaults } from "../recorder.ts";

/** A pool that connects as the recorder and does not wait long for locks. */
export const recorderPool = (click: ClickHarness): pg.Pool =>
  createPool({ url: click.database.url, role: "assent_click_recorder", max: 4, lockTimeoutMs: 300, name: "test" });

const hashOf = (text: string): Buffer => createHash("sha256").update(text).digest();

export interface WantedRecord {
  readonly orgId: OrgId;
  readonly key?: string;
  readonly body?: string;
  readonly sessionId?: string;
}

const vault = createSubjectVault([randomBytes(32)], () => randomBytes(32));
const key = { ...generateKeyPairSync("ed25519"), kid: "the key of the test", generation: 1 };

/** What a recorder answers receipts with; nothing is erased here. */
export const receiptDeps: ReceiptDeps = {
  vault,
  issuer: testIssuer,
  receiptKeys: { byGeneration: () => ({ ...key, signsFrom: new Date(0), revokedAt: null }) },
  content: { loadTerms: () => Promise.reject(new Error("no terms are kept")) },
};

/** A leaf that says nothing. */
export function newLeaf(recordId: string): SignedLeaf {
  const leaf = Buffer.from(JSON.stringify({ rid: recordId }));
  const signature = sign(null, leaf, key.privateKey);
  return { recordId, leaf, leafHash: leafHashOf(leaf), signedBy: key.generation, signature };
}

/** An acceptance that could be recorded; what matters to the recorder is as wanted. */
export function newRecord(
  { orgId, key = newId(), body = "", sessionId }: WantedRecord,
  { userRef = "u", ...changes }: Partial<AcceptanceRecord> & { readonly userRef?: string } = {},
): AcceptanceRecord {
  const receiptId = newId();
  const move = { to: "ACCEPTED", outcome: null, sealedReason: null, reusable: false } as const;
  const seed = newSeed();
  const receipt = JSON.stringify({ receiptId });
  const content = { receipt, disclosures: [], evidence: { claimed: false, checks: [], shown: null } };
  return {
    organizationId: orgId,
    idempotencyHash: hashOf(key),
    bodyHash: hashOf(body),
    receiptId,
    templateId: newId(),
    versionId: newId(),
    revision: 1,
    termsHash: randomBytes(32),
    onceHash: null,
    subjectIndex: vault.subjectIndex(orgId, userRef),
    userKey: hashOf(userRef).subarray(0, 16),
    decision: "ACCEPT",
    acceptedAt: new Date(),
    receipt,
    seed,
    sealed: sealAcceptance(vault, { organizationId: orgId, recordId: receiptId }, seed, content),
    session: sessionId === undefined ? null : { id: sessionId, ...move },
    consents: [],
    hasCopy: false,
    events: [{ eventId: newId(), organizationId: orgId, subject: "assent.click.acceptance.recorded", data: "{}" }],
    leaves: [newLeaf(receiptId)],
    ...changes,
  };
}

/** After those of events and leaves. */
const firstInputValue = 11;

/** Of an array in the binary format. */
const lengthOf = (array: unknown): number => (array as Buffer).readInt32BE(12);

/** A recorder over a pool that counts statements and lets the test stand in the way of some of them. */
export function startRecorder(
  pool: pg.Pool,
  limits: Partial<RecorderLimits> = {},
  interfere: (n: number) => Promise<void> | void = () => {},
) {
  const batches: number[] = [];
  let running = 0;
  let mostRunning = 0;
  let commits = 0;
  const query = async (config: pg.QueryConfig) => {
    if (config.name?.startsWith("click-record") !== true) return pool.query(config);
    batches.push(lengthOf(config.values?.[firstInputValue]));
    running += 1;
    mostRunning = Math.max(mostRunning, running);
    try {
      await interfere(batches.length);
      return await pool.query(config);
    } finally {
      running -= 1;
    }
  };
  const onRecorded = () => {
    commits += 1;
  };
  const deps = { pool: { query } as unknown as pg.Pool, logger: createLogger("test", "silent"), onRecorded };
  const recorder = createRecorder({ ...receiptDeps, ...deps }, { ...recorderDefaults, ...limits });
  return { recorder, batches, mostRunning: () => mostRunning, commits: () => commits };
}

export const submit = (started: ReturnType<typeof startRecorder>, records: readonly AcceptanceRecord[]) =>
  Promise.all(started.recorder.submit(records));

export const kinds = (outcomes: readonly RecordOutcome[]): string[] =>
  outcomes.map((outcome) => (outcome.kind === "refused" ? outcome.error.code : outcome.kind));

export const times = (n: number): number[] => Array.from({ length: n }, (_, index) => index);

/** A session of a template of its own. */
export async function newSession(click: ClickHarness, orgId: OrgId): Promise<string> {
  const template = click.templates.add(orgId);
  const request = { template: { case: "templateId", value: template.templateId } as const };
  return (await click.client.createSession(request, as(orgId))).session?.id ?? "";
}

export async function statusOf(click: ClickHarness, sessionId: string): Promise<string | undefined> {
  return (await rows<{ status: string }>(click, "select status from click.session where id = $1", [sessionId]))[0]
    ?.status;
}
