import { DomainError } from "#platform/errors.ts";
import { createGatherer } from "#platform/gatherer.ts";
import { type AcceptItem, type CheckedItem, checkItem, type ParseAcceptBody } from "./accept-body.ts";
import { signRecords, type UnsignedRecord } from "./accept-record.ts";
import { type PrepareDeps, type Prepared, prepareBatch } from "./prepare.ts";
import { findRecorded, type RecordOutcome } from "./record-queue.ts";
import { asDomainError, type Recorder } from "./recorder.ts";

/** The path every acceptance takes, whatever it came through. */
export interface AcceptPath {
  /**
   * Records each acceptance exactly once per organization and key. Returns one promise per item, in order; none
   * rejects.
   */
  accept(items: readonly AcceptItem[]): Promise<RecordOutcome>[];
}

export interface AcceptPathDeps extends PrepareDeps {
  readonly parse: ParseAcceptBody;
  readonly recorder: Recorder;
}

const intakeDefaults = { maxItems: 256, maxInFlight: 2, maxWaiting: 2_000, startsAtOnce: true };

/** The limit of unanswered acceptances in this process; further ones are refused. */
const maxHeld = 4_000;

/**
 * Check the shape, decide, then record. The idempotency key of a refused item is looked up (a retry of a
 * recorded acceptance gets its receipt, whatever has happened to the session or template since); for the others
 * the record statement checks it. Looking it up after the decision costs new keys nothing, and also catches a
 * duplicate that another process recorded meanwhile, which a look-up at the start would miss.
 */
export function createAcceptPath(deps: AcceptPathDeps): AcceptPath {
  const intake = createGatherer<CheckedItem, RecordOutcome>({
    ...intakeDefaults,
    run: (items) => decideAndRecord(deps, items),
  });
  let held = 0;
  const admit = (item: AcceptItem): Checked => {
    if (held >= maxHeld) return { kind: "refused", error: new DomainError("SERVICE_UNAVAILABLE") };
    const one = check(item, deps);
    if (one.kind === "checked") held += 1;
    return one;
  };
  const finish = async (entered: Promise<RecordOutcome>): Promise<RecordOutcome> => {
    try {
      return await entered;
    } catch (error) {
      return { kind: "refused", error: asDomainError(error, deps.logger) };
    } finally {
      held -= 1;
    }
  };
  return {
    accept: (items) => {
      const admitted = items.map(admit);
      const entered = intake.addAll(admitted.flatMap((one) => (one.kind === "checked" ? [one.item] : []))).values();
      return admitted.map((one) =>
        one.kind === "refused" ? Promise.resolve(one) : finish(entered.next().value as Promise<RecordOutcome>),
      );
    },
  };
}

type Checked = { readonly kind: "checked"; readonly item: CheckedItem } | Extract<Prepared, { kind: "refused" }>;

function check(item: AcceptItem, deps: AcceptPathDeps): Checked {
  try {
    return { kind: "checked", item: checkItem(item, deps) };
  } catch (error) {
    return { kind: "refused", error: asDomainError(error, deps.logger) };
  }
}

async function decideAndRecord(
  deps: AcceptPathDeps,
  items: readonly CheckedItem[],
): Promise<readonly Promise<RecordOutcome>[]> {
  const decided = (await prepareBatch(deps, items)).map((prepared, index) => ({
    item: items[index] as CheckedItem,
    prepared,
  }));
  const now = decided.filter((one): one is Decided => !(one.prepared instanceof Promise));
  const outcomes = await recordDecided(deps, now);
  return decided.map(async ({ item, prepared }) => {
    const outcome = outcomes.get(item);
    if (outcome !== undefined) return outcome;
    const late = await recordDecided(deps, [{ item, prepared: await prepared }]);
    return late.get(item) as Promise<RecordOutcome>;
  });
}

interface Decided {
  readonly item: CheckedItem;
  readonly prepared: Prepared;
}

/** Records the accepted items and answers the refused ones. */
async function recordDecided(
  deps: AcceptPathDeps,
  decided: readonly Decided[],
): Promise<Map<CheckedItem, Promise<RecordOutcome>>> {
  const refused = decided.filter(({ prepared }) => prepared.kind === "refused").map(({ item }) => item);
  const replays = findReplays(deps, refused);
  const records = decided.flatMap(({ prepared }) => (prepared.kind === "ready" ? [prepared.record] : []));
  const recorded = (await submitSigned(deps, records)).values();
  return new Map(
    decided.map(({ item, prepared }) => [
      item,
      prepared.kind === "ready"
        ? (recorded.next().value as Promise<RecordOutcome>)
        : replays.then((byItem) => byItem.get(item) ?? prepared),
    ]),
  );
}

/** Signs all of them together and hands them to the recorder. */
async function submitSigned(
  deps: AcceptPathDeps,
  records: readonly UnsignedRecord[],
): Promise<readonly Promise<RecordOutcome>[]> {
  try {
    return deps.recorder.submit(await signRecords(deps.leafSigner, records, deps.clock.now()));
  } catch (error) {
    const shown = asDomainError(error, deps.logger);
    return records.map(() => Promise.resolve({ kind: "refused", error: shown }));
  }
}

/**
 * For refused items whose key was recorded before, the recorded outcome. Until this is known, none of them is
 * answered.
 */
async function findReplays(
  deps: AcceptPathDeps,
  refused: readonly CheckedItem[],
): Promise<ReadonlyMap<CheckedItem, RecordOutcome>> {
  const identify = ({ caller, idempotencyHash, bodyHash }: CheckedItem) => ({
    organizationId: caller.orgId,
    idempotencyHash,
    bodyHash,
  });
  try {
    const recorded = await findRecorded(deps.recorderPool, deps, refused.map(identify));
    return new Map(
      refused.flatMap((item, index) => {
        const outcome = recorded[index];
        return outcome === undefined ? [] : [[item, outcome] as const];
      }),
    );
  } catch (error) {
    const shown = asDomainError(error, deps.logger);
    return new Map(refused.map((item) => [item, { kind: "refused", error: shown }]));
  }
}
