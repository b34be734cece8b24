import { timingSafeEqual } from "node:crypto";
import type pg from "pg";
import { DomainError, type ErrorCode } from "#platform/errors.ts";
import { type ReceiptDeps, writeReceipts } from "../receipts/acceptance-receipts.ts";
import {
  findByKeys,
  findOnce,
  type RecordedKey,
  type RecordedKeyUse,
  type SealedAcceptance,
} from "../receipts/acceptance-store.ts";
import { closedError, statusAt, takesAcceptance } from "../sessions/session.ts";
import { findSessionFacts } from "../sessions/session-store.ts";
import type { AcceptanceRecord } from "./record-statement.ts";

export type RecordOutcome =
  | { readonly kind: "recorded" | "replayed"; readonly receiptId: string; readonly receipt: string }
  | { readonly kind: "refused"; readonly error: DomainError };

/** An acceptance that is queued or being written. */
export interface QueuedRecord {
  readonly record: AcceptanceRecord;
  readonly outcome: Promise<RecordOutcome>;
  resolve(outcome: RecordOutcome): void;
}

export interface RecordQueue {
  /** The queued or in-flight record with this key. */
  find(record: AcceptanceRecord): QueuedRecord | undefined;
  add(record: AcceptanceRecord): QueuedRecord;
  /**
   * The oldest records that may be written now: none whose session (or, if it changes consent, user) is in
   * another running statement, and at most one of each. Statements of one process therefore never wait for each
   * other.
   */
  take(max: number): QueuedRecord[];
  /** Marks these as written, so that the next records with the same keys and sessions may follow. */
  release(batch: readonly QueuedRecord[]): void;
}

export function createRecordQueue(): RecordQueue {
  const byKey = new Map<string, QueuedRecord>();
  const busy = new Set<string>();
  let queue: QueuedRecord[] = [];
  return {
    find: (record) => byKey.get(keyOf(record)),
    add: (record) => {
      const { promise, resolve } = Promise.withResolvers<RecordOutcome>();
      const queued = { record, outcome: promise, resolve };
      byKey.set(keyOf(record), queued);
      queue.push(queued);
      return queued;
    },
    take: (max) => {
      const batch: QueuedRecord[] = [];
      const left: QueuedRecord[] = [];
      for (const queued of queue) {
        const locks = locksOf(queued.record);
        const mustWait = batch.length === max || locks.some((lock) => busy.has(lock));
        (mustWait ? left : batch).push(queued);
        if (!mustWait) for (const lock of locks) busy.add(lock);
      }
      queue = left;
      return batch;
    },
    release: (batch) => {
      for (const { record } of batch) {
        for (const lock of locksOf(record)) busy.delete(lock);
        byKey.delete(keyOf(record));
      }
    },
  };
}

const keyOf = ({ organizationId, idempotencyHash }: AcceptanceRecord): string =>
  `${organizationId}/${idempotencyHash.toString("base64")}`;

/** The existing rows that a record locks. */
function locksOf({ organizationId, session, consents, subjectIndex }: AcceptanceRecord): string[] {
  const locks = session === null ? [] : [`session ${organizationId}/${session.id}`];
  if (consents.length > 0) locks.push(`user ${organizationId}/${subjectIndex.toString("base64")}`);
  return locks;
}

/** What identifies a retry. */
interface RetriedKey extends RecordedKey {
  readonly bodyHash: Buffer;
}

/**
 * The answer for each record whose key was recorded before: the old receipt if the body is the same, a refusal
 * otherwise. Undefined for free keys.
 */
export async function findRecorded(
  pool: pg.Pool,
  deps: ReceiptDeps,
  retries: readonly RetriedKey[],
): Promise<(RecordOutcome | undefined)[]> {
  const uses = new Map((await findByKeys(pool, retries)).map((use) => [recordedKey(use), use]));
  const repeated = retries.map((retry) => repeatedBy(retry, uses.get(recordedKey(retry))));
  const acceptances = [...new Set(repeated.filter((acceptance) => acceptance !== null))];
  const receipts = await writeReceipts(deps, acceptances);
  return retries.map((retry, index) => {
    if (!uses.has(recordedKey(retry))) return undefined;
    const acceptance = repeated[index] ?? null;
    if (acceptance === null) return refuse("CLICK_IDEMPOTENCY_KEY_REUSED");
    const receipt = receipts[acceptances.indexOf(acceptance)] as string;
    return { kind: "replayed", receiptId: acceptance.receiptId, receipt };
  });
}

/**
 * The acceptance that the request repeats; null when the key belongs to another request or to a consent change.
 */
const repeatedBy = ({ bodyHash }: RetriedKey, use: RecordedKeyUse | undefined): SealedAcceptance | null =>
  use !== undefined && timingSafeEqual(use.bodyHash, bodyHash) ? use.acceptance : null;

const recordedKey = ({ organizationId, idempotencyHash }: RecordedKey): string =>
  `${organizationId}/${idempotencyHash.toString("base64")}`;

/**
 * Finds out why the record statement did not insert these records. Must run as a separate statement afterwards:
 * within one statement's snapshot the cause is not visible.
 */
export async function explainMissing(
  pool: pg.Pool,
  deps: ReceiptDeps,
  records: readonly AcceptanceRecord[],
): Promise<Map<AcceptanceRecord, RecordOutcome>> {
  const recorded = await findRecorded(pool, deps, records);
  const unknown = records.filter((_, index) => recorded[index] === undefined);
  const refusals = await explainRefusals(pool, unknown);
  return new Map(records.map((record, index) => [record, recorded[index] ?? refuse(refusals(record))]));
}

const refuse = (code: ErrorCode): RecordOutcome => ({ kind: "refused", error: new DomainError(code) });

async function explainRefusals(
  pool: pg.Pool,
  records: readonly AcceptanceRecord[],
): Promise<(record: AcceptanceRecord) => ErrorCode> {
  const names = records.flatMap(({ organizationId, session }) =>
    session === null ? [] : [{ organizationId, sessionId: session.id }],
  );
  const onceKeys = records.flatMap(({ organizationId, onceHash }) =>
    onceHash === null ? [] : [{ organizationId, onceHash }],
  );
  const rows = await findSessionFacts(pool, names);
  const sessions = new Map(rows.map((row) => [`${row.organizationId}/${row.id}`, row]));
  const taken = new Set((await findOnce(pool, onceKeys)).map(onceName));
  return (record) => {
    const { organizationId, onceHash, session } = record;
    const found = session === null ? undefined : sessions.get(`${organizationId}/${session.id}`);
    if (found !== undefined) {
      const status = statusAt(found, record.acceptedAt);
      // Without a seed the session's user was erased.
      const isOpen = takesAcceptance(status, session?.reusable !== true) && found.seed !== null;
      if (!isOpen) return closedError(status);
      const isOther = found.subjectIndex !== null && !found.subjectIndex.equals(record.subjectIndex);
      if (isOther) return "CLICK_USER_REF_MISMATCH";
    }
    if (onceHash !== null && taken.has(onceName({ organizationId, onceHash }))) return "CLICK_ALREADY_ACCEPTED";
    // The cause has disappeared again and nothing was recorded, so the request may be retried.
    return "SERVICE_UNAVAILABLE";
  };
}

const onceName = ({ organizationId, onceHash }: { organizationId: string; onceHash: Buffer }): string =>
  `${organizationId}/${onceHash.toString("base64")}`;
