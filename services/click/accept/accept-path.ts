import { type JsonObject, type MessageInitShape, toJson } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import {
  type AcceptBatchRequest_Item,
  type AcceptBatchResponse_ResultSchema,
  type AcceptRequest,
  AcceptRequestSchema,
  type AcceptResponseSchema,
  type ClickService,
} from "#gen/assent/click/v1/click_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { canonicalJson } from "#platform/canonical-json.ts";
import { DomainError, type ErrorCode, errorCatalogue } from "#platform/errors.ts";
import { createGatherer } from "#platform/gatherer.ts";
import { parseOrgId } from "#platform/ids.ts";
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

interface Accepting {
  readonly acceptPath: AcceptPath;
}

export const accept = ({ acceptPath }: Accepting): Pick<ServiceImpl<typeof ClickService>, "accept"> => ({
  async accept(request, context) {
    const [outcome] = acceptPath.accept([
      {
        caller: requireCaller(context),
        observed: { ip: request.observed?.ip ?? "", userAgent: request.observed?.userAgent ?? "" },
        idempotencyKey: request.idempotencyKey,
        bytes: bodyBytes(request),
      },
    ]);
    if (outcome === undefined) throw new Error("an acceptance came to nothing");
    return acceptResponse(await outcome);
  },
});

function bodyBytes(request: AcceptRequest): Uint8Array {
  try {
    return Buffer.from(canonicalJson(acceptBody(request)));
  } catch (error) {
    // A time outside RFC 3339's range, or a number that JSON cannot represent.
    const problem = { field: "", code: "JSON", message: "has a value that JSON cannot express" };
    throw new DomainError("CLICK_VALIDATION_FAILED", { details: [problem], cause: error });
  }
}

/**
 * The body as the REST API would have received it: one idempotency key used over gRPC and REST is the same
 * request.
 */
export function acceptBody(request: AcceptRequest): JsonObject {
  const { idempotencyKey: _, observed: __, ...body } = toJson(AcceptRequestSchema, request) as JsonObject;
  // Protobuf's JSON form omits false values.
  const purposes = request.purposes.map(({ purpose, granted }) => ({ purpose, granted }));
  return purposes.length === 0 ? body : { ...body, purposes };
}

export const acceptBatch = ({
  acceptPath,
  countItem,
}: Accepting & { countItem(code: "ok" | ErrorCode): void }): Pick<ServiceImpl<typeof ClickService>, "acceptBatch"> => ({
  async acceptBatch(request) {
    const outcomes = await Promise.all(acceptPath.accept(request.items.map(acceptItem)));
    // The call as a whole succeeds, whatever comes of its items.
    for (const outcome of outcomes) countItem(outcome.kind === "refused" ? outcome.error.code : "ok");
    return { results: outcomes.map(batchResult) };
  },
});

function acceptItem({ caller, idempotencyKey, body }: AcceptBatchRequest_Item): AcceptItem {
  const orgId = parseOrgId(caller?.organizationId ?? "");
  if (caller === undefined || orgId === undefined) throw new Error("an item without a caller passed validation");
  const { clientId, requestId, traceparent, observed } = caller;
  return {
    caller: { orgId, clientId, requestId, traceparent },
    observed: { ip: observed?.ip ?? "", userAgent: observed?.userAgent ?? "" },
    idempotencyKey,
    bytes: body,
  };
}

/** Throws the error of a refusal. */
function acceptResponse(outcome: RecordOutcome): MessageInitShape<typeof AcceptResponseSchema> {
  if (outcome.kind === "refused") throw outcome.error;
  const { kind, receiptId, receipt } = outcome;
  return { receiptId, receiptJson: receipt, replayed: kind === "replayed" };
}

function batchResult(outcome: RecordOutcome): MessageInitShape<typeof AcceptBatchResponse_ResultSchema> {
  if (outcome.kind !== "refused") return { outcome: { case: "receipt", value: acceptResponse(outcome) } };
  const { code, message, details } = outcome.error;
  const shown = message === errorCatalogue[code].message ? "" : message;
  return {
    outcome: { case: "error", value: { errorCode: code, message: shown, details: details.map((one) => ({ ...one })) } },
  };
}
