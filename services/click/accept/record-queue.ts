import type { AcceptanceRecord } from "../store/record-statement.ts";
import type { RecordOutcome } from "./recorder.ts";

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
  /** The oldest that may be written now: none whose session is in another statement, and each session once. */
  take(max: number): QueuedRecord[];
  /** Tells that these are written, so that others of their keys and sessions may follow. */
  release(batch: readonly QueuedRecord[]): void;
}

export function createRecordQueue(): RecordQueue {
  const byKey = new Map<string, QueuedRecord>();
  const busySessions = new Set<string>();
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
        const session = sessionOf(queued.record);
        const mustWait = batch.length === max || (session !== undefined && busySessions.has(session));
        (mustWait ? left : batch).push(queued);
        if (!mustWait && session !== undefined) busySessions.add(session);
      }
      queue = left;
      return batch;
    },
    release: (batch) => {
      for (const { record } of batch) {
        const session = sessionOf(record);
        if (session !== undefined) busySessions.delete(session);
        byKey.delete(keyOf(record));
      }
    },
  };
}

const keyOf = ({ organizationId, idempotencyHash }: AcceptanceRecord): string =>
  `${organizationId}/${idempotencyHash.toString("base64")}`;

const sessionOf = ({ organizationId, session }: AcceptanceRecord): string | undefined =>
  session === null ? undefined : `${organizationId}/${session.id}`;
