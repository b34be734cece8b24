import type { ParseAcceptBody } from "../domain/accept-body.ts";
import { type AcceptItem, type CheckedItem, checkItem } from "./accept-item.ts";
import { createBatcher } from "./batcher.ts";
import { asDomainError } from "./failures.ts";
import { answerRecorded, findRecorded, recordedKey } from "./missing-records.ts";
import { type PrepareDeps, type Prepared, prepareBatch } from "./prepare.ts";
import type { Recorder, RecordOutcome } from "./recorder.ts";

/** What becomes of acceptances, wherever they come from. */
export interface AcceptPath {
  /** Records each exactly once per organization and key. One promise per item, in their order; none rejects. */
  accept(items: readonly AcceptItem[]): Promise<RecordOutcome>[];
}

export interface AcceptPathDeps extends PrepareDeps {
  readonly parse: ParseAcceptBody;
  readonly recorder: Recorder;
}

const intakeDefaults = { maxItems: 256, maxInFlight: 2, maxQueued: 2_000 };

/**
 * shape, then the decision, then the record. The idempotency key is looked up for what is refused (a retry of a recorded
 * acceptance is answered with its receipt, whatever has happened to the session or template since) and, by the record
 * statement, for what is not. Looking after the decision costs new keys nothing, and also sees a twin that another process
 * recorded in the meantime, which a look-up at the beginning would not.
 */
export function createAcceptPath(deps: AcceptPathDeps): AcceptPath {
  const intake = createBatcher<CheckedItem, RecordOutcome>({
    ...intakeDefaults,
    run: (items) => decideAndRecord(deps, items),
  });
  return {
    accept: (items) => {
      const checked = items.map((item) => check(item, deps));
      const entered = intake.add(checked.flatMap((one) => (one.kind === "checked" ? [one.item] : []))).values();
      return checked.map(async (one): Promise<RecordOutcome> => {
        if (one.kind === "refused") return one;
        try {
          return await (entered.next().value as Promise<RecordOutcome>);
        } catch (error) {
          return { kind: "refused", error: asDomainError(error, deps.logger) };
        }
      });
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
  const prepared = await prepareBatch(deps, items);
  const recorded = deps.recorder.submit(prepared.flatMap((one) => (one.kind === "ready" ? [one.record] : []))).values();
  const answers = answerRefused(deps, items, prepared);
  return prepared.map((one, index) =>
    one.kind === "ready"
      ? (recorded.next().value as Promise<RecordOutcome>)
      : answers.then((byItem) => byItem.get(items[index] as CheckedItem) ?? one),
  );
}

/** The outcomes of those among the refused whose key was recorded before; while that is not known, none is decided. */
async function answerRefused(
  deps: AcceptPathDeps,
  items: readonly CheckedItem[],
  prepared: readonly Prepared[],
): Promise<ReadonlyMap<CheckedItem, RecordOutcome>> {
  const refused = items.filter((_, index) => prepared[index]?.kind === "refused");
  const keyOf = ({ caller, idempotencyHash }: CheckedItem) => ({ organizationId: caller.orgId, idempotencyHash });
  try {
    const recorded = await findRecorded(deps.recorderPool, refused.map(keyOf));
    return new Map(
      refused.flatMap((item) => {
        const found = recorded.get(recordedKey(keyOf(item)));
        return found === undefined ? [] : [[item, answerRecorded(found, item.bodyHash)] as const];
      }),
    );
  } catch (error) {
    const shown = asDomainError(error, deps.logger);
    return new Map(refused.map((item) => [item, { kind: "refused", error: shown }]));
  }
}
