import { timingSafeEqual } from "node:crypto";
import type pg from "pg";
import { isTransient } from "#platform/db/errors.ts";
import { DomainError, fromConnectError } from "#platform/errors.ts";
import type { Logger } from "#platform/logger.ts";
import { asOutage } from "#platform/outage.ts";
import type { LeafPlace } from "../log/log-store.ts";
import { answerRecorded, type ReceiptDeps } from "../receipts/acceptance-receipts.ts";
import { createRecordQueue, explainMissing, type QueuedRecord, type RecordOutcome } from "./record-queue.ts";
import { type AcceptanceRecord, inconsistentState, recordAcceptances } from "./record-statement.ts";

export interface Recorder {
  /** Writes acceptances that passed every check, each exactly once per organization and key. Never rejects. */
  submit(records: readonly AcceptanceRecord[]): Promise<RecordOutcome>[];
}

export interface RecorderDeps extends ReceiptDeps {
  /** Connects as the recorder. */
  readonly pool: pg.Pool;
  readonly logger: Logger;
  /**
   * Called after each commit with the organizations whose logs grew; an organization may appear several times.
   * `hasCopies` tells whether there may be copies to be mailed.
   */
  onRecorded(organizationIds: readonly string[], hasCopies: boolean): void;
}

export interface RecorderLimits {
  readonly statementItems: number;
  readonly statementsInFlight: number;
  /** The number of acceptances queued or being written; further ones are refused. */
  readonly held: number;
}

export const recorderDefaults: RecorderLimits = { statementItems: 256, statementsInFlight: 2, held: 2_000 };

/**
 * Group commit: acceptances that arrive while statements run are written together by the next one; on an idle
 * system an acceptance is written immediately. An acceptance whose key is already queued waits for the first
 * one with that key. Acceptances of one session are written one after the other, because the second must see
 * the result of the first.
 */
export function createRecorder(deps: RecorderDeps, limits: RecorderLimits = recorderDefaults): Recorder {
  const queue = createRecordQueue();
  let statements = 0;
  let held = 0;

  const pump = (): void => {
    while (statements < limits.statementsInFlight) {
      const batch = queue.take(limits.statementItems);
      if (batch.length === 0) return;
      statements += 1;
      void write(batch);
    }
  };
  const write = async (batch: readonly QueuedRecord[]): Promise<void> => {
    const records = batch.map((queued) => queued.record);
    const outcomes = await recordAll(deps, records);
    queue.release(batch);
    for (const [index, queued] of batch.entries()) queued.resolve(outcomes[index] as RecordOutcome);
    statements -= 1;
    pump();
    if (outcomes.some((outcome) => outcome.kind === "recorded")) {
      deps.onRecorded(
        records.map((record) => record.organizationId),
        records.some((record) => record.hasCopy),
      );
    }
  };
  const enqueue = (record: AcceptanceRecord): Promise<RecordOutcome> => {
    const first = queue.find(record);
    return first === undefined ? queue.add(record).outcome : follow(first, record);
  };
  const follow = async (first: QueuedRecord, record: AcceptanceRecord): Promise<RecordOutcome> => {
    const answer = answerTwin(first.record, await first.outcome, record);
    if (answer !== undefined) return answer;
    const own = enqueue(record);
    pump();
    return own;
  };
  const hold = async (record: AcceptanceRecord): Promise<RecordOutcome> => {
    if (held >= limits.held) return refused(new DomainError("SERVICE_UNAVAILABLE"));
    held += 1;
    try {
      return await enqueue(record);
    } finally {
      held -= 1;
    }
  };
  return {
    submit: (records) => {
      const outcomes = records.map(hold);
      pump();
      return outcomes;
    },
  };
}

/** The outcome for an acceptance that shares an earlier one's key; undefined when the key is free again. */
function answerTwin(
  first: AcceptanceRecord,
  outcome: RecordOutcome,
  record: AcceptanceRecord,
): RecordOutcome | undefined {
  const isSame = timingSafeEqual(first.bodyHash, record.bodyHash);
  if (outcome.kind === "refused") return isSame ? outcome : undefined;
  return isSame ? { ...outcome, kind: "replayed" } : refused(new DomainError("CLICK_IDEMPOTENCY_KEY_REUSED"));
}

const refused = (error: DomainError): RecordOutcome => ({ kind: "refused", error });

/** One outcome per record, in order. */
async function recordAll(deps: RecorderDeps, records: readonly AcceptanceRecord[]): Promise<RecordOutcome[]> {
  try {
    return await recordTogether(deps, records);
  } catch (error) {
    // A statement that fails because of one record, or detects an inconsistency, writes nothing, so retry the
    // records one by one.
    if (records.length === 1 || isTransient(error)) {
      const shown = asDomainError(error, deps.logger);
      return records.map(() => refused(shown));
    }
    deps.logger.warn(
      { err: error, records: records.length },
      "a batch of acceptances failed; recording them one by one",
    );
    const outcomes: RecordOutcome[] = [];
    for (const record of records) outcomes.push(...(await recordAll(deps, [record])));
    return outcomes;
  }
}

async function recordTogether(deps: RecorderDeps, records: readonly AcceptanceRecord[]): Promise<RecordOutcome[]> {
  const places = await insertWithRetry(deps, records);
  const inserted = records.flatMap(({ organizationId, receiptId, receipt, acceptedAt, leaves: [own] }) => {
    const place = places.get(receiptId);
    return place === undefined ? [] : [{ ...own, ...place, organizationId, receipt, acceptedAt }];
  });
  const receipts = (await answerRecorded(deps, inserted)).values();
  const missing = records.filter((record) => !places.has(record.receiptId));
  const explained = missing.length === 0 ? undefined : await explain(deps, missing);
  return records.map(
    (record) =>
      explained?.get(record) ?? {
        kind: "recorded",
        receiptId: record.receiptId,
        receipt: receipts.next().value as string,
      },
  );
}

/** The inserted ones stay recorded even when the rest cannot be explained. */
async function explain(
  deps: RecorderDeps,
  missing: readonly AcceptanceRecord[],
): Promise<Map<AcceptanceRecord, RecordOutcome>> {
  try {
    return await explainMissing(deps.pool, deps, missing);
  } catch (error) {
    const shown = refused(asDomainError(error, deps.logger));
    return new Map(missing.map((record) => [record, shown]));
  }
}

const maxAttempts = 4;

/** Deadlock and serialization failure: nothing was written, and a retry will usually succeed. */
const retriedStates: readonly unknown[] = ["40P01", "40001"];

/** The places of the inserted acceptances in their logs, by receipt id. */
async function insertWithRetry(
  deps: RecorderDeps,
  records: readonly AcceptanceRecord[],
): Promise<ReadonlyMap<string, LeafPlace>> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await recordAcceptances(deps.pool, records);
    } catch (error) {
      const state = (error as { code?: unknown }).code;
      if (state === inconsistentState && records.length === 1) return new Map();
      if (attempt === maxAttempts || !retriedStates.includes(state)) throw error;
      deps.logger.warn({ err: error, attempt }, "recording acceptances collided with another process; trying again");
    }
  }
}

/**
 * Expected errors stay as they are, outages become SERVICE_UNAVAILABLE, and anything else is logged and becomes
 * INTERNAL_ERROR. One item must not fail the rest of its batch.
 */
export function asDomainError(error: unknown, logger: Logger): DomainError {
  const known = fromConnectError(error) ?? asOutage(error);
  if (known === undefined) {
    logger.error({ err: error }, "an acceptance failed unexpectedly");
    return new DomainError("INTERNAL_ERROR", { cause: error });
  }
  if (known.code === "SERVICE_UNAVAILABLE" && known.cause !== undefined) {
    logger.warn({ err: known.cause }, "an acceptance failed because something it needs is not available");
  }
  return known;
}
