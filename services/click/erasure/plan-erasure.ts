import { daysAfter } from "../stats/user-days.ts";

/** A record that only administrators may open, until it is erased. */
export interface Restriction {
  readonly recordId: string;
  readonly until: Date;
}

/** A record of a person, as far as its erasure matters. */
export interface PlannedRecord {
  readonly recordId: string;
  /** Null when it need not be kept. */
  readonly keepUntil: Date | null;
  readonly restrictedUntil: Date | null;
}

export interface ErasurePlan {
  readonly erase: readonly string[];
  /** To be restricted now, or for longer than before. */
  readonly restrict: readonly Restriction[];
  /** Restricted before, and to stay so. */
  readonly restricted: readonly Restriction[];
  /** False when there was no room for all that is to be done. */
  readonly complete: boolean;
}

/** What must be kept for some time is restricted until then (GDPR art. 17(3) and 18), all else is erased. */
export function planErasure(records: readonly PlannedRecord[], now: Date, room: number): ErasurePlan {
  const erase: string[] = [];
  const restrict: Restriction[] = [];
  const restricted: Restriction[] = [];
  for (const { recordId, keepUntil, restrictedUntil } of records) {
    const isKept = keepUntil !== null && keepUntil > now;
    if (!isKept) erase.push(recordId);
    else if (restrictedUntil !== null && restrictedUntil >= keepUntil) {
      restricted.push({ recordId, until: restrictedUntil });
    } else restrict.push({ recordId, until: keepUntil });
  }
  return {
    erase: erase.slice(0, room),
    restrict: restrict.slice(0, Math.max(0, room - erase.length)),
    restricted,
    complete: erase.length + restrict.length <= room,
  };
}

/** Something that a person has got a receipt of. */
export interface KeptReceipt {
  readonly receiptId: string;
  /** When the time for which it must be kept begins. */
  readonly since: Date;
  /** 0: need not be kept. */
  readonly retentionDays: number;
  readonly restrictedUntil: Date | null;
}

/** What was restricted stays so for exactly the time that was said then. */
export const plannedReceipt = (receipt: KeptReceipt): PlannedRecord => ({
  recordId: receipt.receiptId,
  keepUntil: receipt.restrictedUntil ?? daysAfter(receipt.since, receipt.retentionDays),
  restrictedUntil: receipt.restrictedUntil,
});

const maxAttempts = 4;

/** Deadlock and serialization failure: nothing was written, and the same work will find its way the next time. */
const retriedStates: readonly unknown[] = ["40P01", "40001"];

/** Does work that is one transaction, again when it collided with another one. */
export async function withRetries<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (attempt === maxAttempts || !retriedStates.includes((error as { code?: unknown }).code)) throw error;
    }
  }
}
