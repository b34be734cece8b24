import { daysAfter } from "#platform/clock.ts";

/** A record that only administrators may open until it is erased. */
export interface Restriction {
  readonly recordId: string;
  readonly until: Date;
}

/** The part of a person's record that matters for erasure. */
export interface PlannedRecord {
  readonly recordId: string;
  /** Null when it need not be kept. */
  readonly keepUntil: Date | null;
  readonly restrictedUntil: Date | null;
}

export interface ErasurePlan {
  readonly erase: readonly string[];
  /** Records to restrict now, or for longer than before. */
  readonly restrict: readonly Restriction[];
  /** Records that were restricted before and stay so. */
  readonly restricted: readonly Restriction[];
  /** False when the limit did not cover everything. */
  readonly complete: boolean;
}

/** Records that must be kept are restricted until then (GDPR art. 17(3) and 18); everything else is erased. */
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

/** A receipted record of a person. */
export interface KeptReceipt {
  readonly receiptId: string;
  /** When its retention begins. */
  readonly since: Date;
  /** 0 when it need not be kept. */
  readonly retentionDays: number;
  readonly restrictedUntil: Date | null;
}

/** A restricted record stays restricted for exactly the time set originally. */
export const plannedReceipt = (receipt: KeptReceipt): PlannedRecord => ({
  recordId: receipt.receiptId,
  keepUntil: receipt.restrictedUntil ?? daysAfter(receipt.since, receipt.retentionDays),
  restrictedUntil: receipt.restrictedUntil,
});

const maxAttempts = 4;

/** Deadlock and serialization failure: nothing was written, and a retry will usually succeed. */
const retriedStates: readonly unknown[] = ["40P01", "40001"];

/** Runs a transaction again when it collided with another one. */
export async function withRetries<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (attempt === maxAttempts || !retriedStates.includes((error as { code?: unknown }).code)) throw error;
    }
  }
}
