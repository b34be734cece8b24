import { timingSafeEqual } from "node:crypto";
import type pg from "pg";
import { DomainError, type ErrorCode } from "#platform/errors.ts";
import { closedError, statusAt, takesAcceptance } from "../domain/session.ts";
import { findByKeys, findOnce, type RecordedAcceptance, type RecordedKey } from "../store/acceptance-store.ts";
import type { AcceptanceRecord } from "../store/record-statement.ts";
import { findSessionFacts } from "../store/session-store.ts";
import type { RecordOutcome } from "./recorder.ts";

/** What a retry must be answered: the old receipt for the same body, else the refusal. */
export function answerRecorded(recorded: RecordedAcceptance, bodyHash: Buffer): RecordOutcome {
  return timingSafeEqual(recorded.bodyHash, bodyHash)
    ? { kind: "replayed", receiptId: recorded.receiptId, receipt: recorded.receipt }
    : { kind: "refused", error: new DomainError("CLICK_IDEMPOTENCY_KEY_REUSED") };
}

/** The acceptances that were recorded under these keys, by recordedKey. */
export async function findRecorded(
  pool: pg.Pool,
  keys: readonly RecordedKey[],
): Promise<ReadonlyMap<string, RecordedAcceptance>> {
  const found = await findByKeys(pool, keys);
  return new Map(found.map((recorded) => [recordedKey(recorded), recorded]));
}

export const recordedKey = ({ organizationId, idempotencyHash }: RecordedKey): string =>
  `${organizationId}/${idempotencyHash.toString("base64")}`;

/**
 * Tells why the record statement did not insert these. Must run after it as a statement of its own: one statement has
 * one snapshot and would not see what stood in its way.
 */
export async function explainMissing(
  pool: pg.Pool,
  records: readonly AcceptanceRecord[],
): Promise<Map<AcceptanceRecord, RecordOutcome>> {
  const recorded = await findRecorded(pool, records);
  const unknown = records.filter((record) => !recorded.has(recordedKey(record)));
  const refusals = await explainRefusals(pool, unknown);
  return new Map(
    records.map((record) => {
      const found = recorded.get(recordedKey(record));
      return [record, found === undefined ? refuse(refusals(record)) : answerRecorded(found, record.bodyHash)];
    }),
  );
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
      const status = statusAt(found, new Date(record.acceptedAt));
      if (!takesAcceptance(status, session?.reusable !== true)) return closedError(status);
      if (found.userRef !== null && found.userRef !== record.userRef) return "CLICK_USER_REF_MISMATCH";
    }
    if (onceHash !== null && taken.has(onceName({ organizationId, onceHash }))) return "CLICK_ALREADY_ACCEPTED";
    // What stood in the way is gone again: nothing was recorded, so the request may be sent again.
    return "SERVICE_UNAVAILABLE";
  };
}

const onceName = ({ organizationId, onceHash }: { organizationId: string; onceHash: Buffer }): string =>
  `${organizationId}/${onceHash.toString("base64")}`;
