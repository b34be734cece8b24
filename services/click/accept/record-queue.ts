import type { DomainError } from "#platform/errors.ts";
import type { AcceptanceRecord } from "./record-statement.ts";

export type RecordOutcome =
  | { readonly kind: "recorded" | "replayed"; readonly receiptId: string; readonly receipt: string }
  | { readonly kind: "refused"; readonly error: DomainError };

/** An acceptance that waits to be written or is being written. */
export interface QueuedRecord {
  readonly record: AcceptanceRecord;
  readonly outcome: Promise<RecordOutcome>;
  resolve(outcome: RecordOutcome): void;
}

export interface RecordQueue {
  /** What is queued or being written under this key. */
  find(record: AcceptanceRecord): QueuedRecord | undefined;
  add(record: AcceptanceRecord): QueuedRecord;
  /**
   * The oldest that may be written now: none whose session, or whose user if it changes consent, is in another
   * statement, and each of them once. Statements of one process never wait for each other.
   */
  take(max: number): QueuedRecord[];
  /** Tells that these are written, so that others of their keys and sessions may follow. */
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

/** The rows that a record locks besides its own. */
function locksOf({ organizationId, session, consents, subjectIndex }: AcceptanceRecord): string[] {
  const locks = session === null ? [] : [`session ${organizationId}/${session.id}`];
  if (consents.length > 0) locks.push(`user ${organizationId}/${subjectIndex.toString("base64")}`);
  return locks;
}
