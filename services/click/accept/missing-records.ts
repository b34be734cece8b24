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
import type { RecordOutcome } from "./record-queue.ts";
import type { AcceptanceRecord } from "./record-statement.ts";

/** What a retry is recognised by. */
export interface RetriedKey extends RecordedKey {
  readonly bodyHash: Buffer;
}

/**
 * What each of these must be answered if its key was recorded before: the old receipt for the same body, else a refusal.
 * Undefined for those whose keys are free.
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

/** The acceptance that a request repeats; null for another one, and for a change of consent. */
const repeatedBy = ({ bodyHash }: RetriedKey, use: RecordedKeyUse | undefined): SealedAcceptance | null =>
  use !== undefined && timingSafeEqual(use.bodyHash, bodyHash) ? use.acceptance : null;

const recordedKey = ({ organizationId, idempotencyHash }: RecordedKey): string =>
  `${organizationId}/${idempotencyHash.toString("base64")}`;

/**
 * Tells why the record statement did not insert these. Must run after it as a statement of its own: one statement has
 * one snapshot and would not see what stood in its way.
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
      // Without a seed its user was erased.
      const isOpen = takesAcceptance(status, session?.reusable !== true) && found.seed !== null;
      if (!isOpen) return closedError(status);
      const isOther = found.subjectIndex !== null && !found.subjectIndex.equals(record.subjectIndex);
      if (isOther) return "CLICK_USER_REF_MISMATCH";
    }
    if (onceHash !== null && taken.has(onceName({ organizationId, onceHash }))) return "CLICK_ALREADY_ACCEPTED";
    // What stood in the way is gone again: nothing was recorded, so the request may be sent again.
    return "SERVICE_UNAVAILABLE";
  };
}

const onceName = ({ organizationId, onceHash }: { organizationId: string; onceHash: Buffer }): string =>
  `${organizationId}/${onceHash.toString("base64")}`;
