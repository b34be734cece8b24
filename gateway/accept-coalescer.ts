import { Code, ConnectError } from "@connectrpc/connect";
import type {
  AcceptBatchRequest_Item,
  AcceptBatchResponse_Result,
  AcceptResponse,
} from "#gen/assent/click/v1/click_pb.ts";
import { DomainError, isErrorCode } from "#platform/errors.ts";
import { createGatherer } from "#platform/gatherer.ts";
import { isFinal } from "#platform/rpc/status.ts";
import { noopTracer, type Tracer, traced } from "#platform/telemetry.ts";
import { isSampled } from "#platform/trace-context.ts";

export interface AcceptCoalescer {
  /** Records one acceptance. Rejects with a DomainError, after at most queueMs + callMs. */
  accept(item: AcceptBatchRequest_Item): Promise<AcceptResponse>;
}

export interface AcceptCoalescerDeps {
  /** The AcceptBatch RPC: one result per item, in order. */
  send(items: AcceptBatchRequest_Item[], signal: AbortSignal): Promise<readonly AcceptBatchResponse_Result[]>;
  readonly monotonic: () => number;
  /** From 0 to 1. */
  readonly random: () => number;
}

/** Limits of the coalescer; the defaults are for production. */
export interface AcceptCoalescerLimits {
  readonly batchItems: number;
  /** Well below the 4 MiB that a gRPC message may have. */
  readonly batchBytes: number;
  readonly batchesInFlight: number;
  readonly waitingItems: number;
  /** The longest time an item waits for its batch to be sent. */
  readonly queueMs: number;
  /** The longest time a batch may take, retry included. */
  readonly callMs: number;
}

export const acceptCoalescerDefaults: AcceptCoalescerLimits = {
  batchItems: 256,
  batchBytes: 2 * 1024 * 1024,
  batchesInFlight: 2,
  waitingItems: 4_000,
  queueMs: 5_000,
  callMs: 5_000,
};

/**
 * Combines concurrent acceptances into few RPCs. A single one is sent in the same event-loop turn; those that
 * arrive while both batches are in flight are sent together when one returns.
 */
export function createAcceptCoalescer(
  deps: AcceptCoalescerDeps,
  limits: AcceptCoalescerLimits = acceptCoalescerDefaults,
): AcceptCoalescer {
  const batches = createGatherer<AcceptBatchRequest_Item, AcceptResponse>({
    maxItems: limits.batchItems,
    size: { max: limits.batchBytes, of: (item) => item.body.length + item.idempotencyKey.length + contextBytes },
    maxInFlight: limits.batchesInFlight,
    maxWaiting: limits.waitingItems,
    maxWait: { ms: limits.queueMs, monotonic: deps.monotonic },
    run: (items) => sendInTime(items, deps, limits.callMs),
  });
  return { accept: batches.add };
}

/** Enough for an item's caller context. */
const contextBytes = 2_048;

async function sendInTime(
  items: readonly AcceptBatchRequest_Item[],
  deps: AcceptCoalescerDeps,
  callMs: number,
): Promise<(AcceptResponse | Promise<never>)[]> {
  const abort = new AbortController();
  const timeout = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    timeout.reject(new DomainError("SERVICE_UNAVAILABLE"));
    abort.abort();
  }, callMs);
  try {
    // The race releases the waiting requests even when the call ignores its signal.
    const results = await Promise.race([sendWithRetry([...items], deps, abort.signal), timeout.promise]);
    if (results.length !== items.length) throw new Error("AcceptBatch answered with another number of results");
    return results.map(({ outcome }) =>
      outcome.case === "receipt" ? outcome.value : Promise.reject(errorOf(outcome)),
    );
  } finally {
    clearTimeout(timer);
  }
}

/** Safe because of the idempotency keys: whatever the first attempt recorded, the second one replays. */
async function sendWithRetry(items: AcceptBatchRequest_Item[], deps: AcceptCoalescerDeps, signal: AbortSignal) {
  try {
    return await deps.send(items, signal);
  } catch (error) {
    if (!(error instanceof ConnectError) || error.code !== Code.Unavailable || isFinal(error)) throw error;
    const { promise, resolve } = Promise.withResolvers<void>();
    setTimeout(resolve, 25 + deps.random() * 100);
    await promise;
    if (signal.aborted) throw error;
    return deps.send(items, signal);
  }
}

function errorOf(outcome: AcceptBatchResponse_Result["outcome"]): Error {
  if (outcome.case !== "error") return new Error("AcceptBatch answered an item with nothing");
  const { errorCode, message, details } = outcome.value;
  if (!isErrorCode(errorCode)) return new Error(`AcceptBatch answered with the unknown error ${errorCode}`);
  return new DomainError(errorCode, { ...(message === "" ? {} : { message }), details });
}

type Send = AcceptCoalescerDeps["send"];
type Items = AcceptBatchRequest_Item[];
type Headers = Readonly<Record<string, string>>;

/**
 * Puts a batch into the trace of the first request in it whose trace is recorded, with links to the other ones: a span
 * has one parent only.
 */
export function traceBatches(
  tracer: Tracer = noopTracer,
  send: (items: Items, headers: Headers, signal: AbortSignal) => ReturnType<Send>,
): Send {
  if (tracer.isOn !== true) return (items, signal) => send(items, {}, signal);
  return (items, signal) => {
    const [first, ...links] = items.flatMap(({ caller }) => (isSampled(caller?.traceparent) ? caller.traceparent : []));
    if (first === undefined) return send(items, {}, signal);
    const attributes = { "assent.items": items.length };
    const span = tracer.startSpan("accept batch", "internal", first, { attributes, links });
    return traced(tracer, span, () => send(items, { traceparent: span.traceparent }, signal));
  };
}
