import { Code, ConnectError } from "@connectrpc/connect";
import type {
  AcceptBatchRequest_Item,
  AcceptBatchResponse_Result,
  AcceptResponse,
} from "#gen/assent/click/v1/click_pb.ts";
import { DomainError, isErrorCode } from "#platform/errors.ts";
import { isFinal } from "#platform/rpc/status.ts";

export interface AcceptCoalescer {
  /** Records one acceptance. Rejects with a DomainError, after at most queueMs + callMs. */
  accept(item: AcceptBatchRequest_Item): Promise<AcceptResponse>;
}

export interface AcceptCoalescerDeps {
  /** The AcceptBatch RPC: one result per item, in the order of the items. */
  send(items: AcceptBatchRequest_Item[], signal: AbortSignal): Promise<readonly AcceptBatchResponse_Result[]>;
  readonly monotonic: () => number;
  /** From 0 to 1. */
  readonly random: () => number;
}

/** Bounds of the coalescer; the defaults hold in production. */
export interface AcceptCoalescerLimits {
  readonly batchItems: number;
  /** Well below the 4 MiB that a gRPC message may have. */
  readonly batchBytes: number;
  readonly batchesInFlight: number;
  readonly waitingItems: number;
  /** Nothing waits longer than this for its batch to leave. */
  readonly queueMs: number;
  /** No batch takes longer than this, its retry included. */
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

interface Waiting {
  readonly item: AcceptBatchRequest_Item;
  readonly since: number;
  resolve(response: AcceptResponse): void;
  reject(error: unknown): void;
}

/**
 * Gathers the acceptances that are in flight into few RPCs. A lone one leaves in the turn of the event loop in which
 * it came; what comes while both batches are under way leaves together when one returns.
 */
export function createAcceptCoalescer(
  deps: AcceptCoalescerDeps,
  limits: AcceptCoalescerLimits = acceptCoalescerDefaults,
): AcceptCoalescer {
  let queue: Waiting[] = [];
  let inFlight = 0;
  let scheduled = false;

  const dispatch = (): void => {
    scheduled = false;
    queue = rejectOverdue(queue, deps.monotonic() - limits.queueMs);
    while (queue.length > 0 && inFlight < limits.batchesInFlight) {
      const batch = queue.splice(0, batchLength(queue, limits));
      inFlight += 1;
      void runBatch(batch, deps, limits.callMs).finally(() => {
        inFlight -= 1;
        schedule();
      });
    }
  };

  const schedule = (): void => {
    if (scheduled || queue.length === 0 || inFlight >= limits.batchesInFlight) return;
    scheduled = true;
    // Requests that the event loop reads in the same turn share a batch.
    setImmediate(dispatch);
  };

  return {
    accept: (item) =>
      new Promise((resolve, reject) => {
        if (queue.length >= limits.waitingItems) {
          reject(unavailable());
          return;
        }
        queue.push({ item, since: deps.monotonic(), resolve, reject });
        schedule();
      }),
  };
}

/** The queue is in the order of arrival, so the overdue ones are in front. */
function rejectOverdue(queue: Waiting[], before: number): Waiting[] {
  const firstInTime = queue.findIndex((waiting) => waiting.since >= before);
  if (firstInTime === 0) return queue;
  const overdue = firstInTime === -1 ? queue : queue.slice(0, firstInTime);
  for (const waiting of overdue) waiting.reject(unavailable());
  return firstInTime === -1 ? [] : queue.slice(firstInTime);
}

/** An item that is alone too large still goes, alone: whoever receives it decides. */
function batchLength(queue: readonly Waiting[], { batchItems, batchBytes }: AcceptCoalescerLimits): number {
  let bytes = 0;
  let length = 0;
  for (const { item } of queue) {
    bytes += item.body.length + item.idempotencyKey.length + contextBytes;
    if (length === batchItems || (length > 0 && bytes > batchBytes)) break;
    length += 1;
  }
  return length;
}

/** Enough for the caller context of an item. */
const contextBytes = 2_048;

async function runBatch(batch: readonly Waiting[], deps: AcceptCoalescerDeps, callMs: number): Promise<void> {
  const items = batch.map((waiting) => waiting.item);
  const abort = new AbortController();
  const timeout = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    timeout.reject(unavailable());
    abort.abort();
  }, callMs);
  try {
    // The race frees the waiting requests even when the call ignores its signal.
    const results = await Promise.race([sendWithRetry(items, deps, abort.signal), timeout.promise]);
    if (results.length !== batch.length) throw new Error("AcceptBatch answered with another number of results");
    for (const [index, waiting] of batch.entries()) settle(waiting, results[index]);
  } catch (error) {
    for (const waiting of batch) waiting.reject(error);
  } finally {
    clearTimeout(timer);
  }
}

/** Keys make it safe: what the first try recorded, the second one replays. */
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

function settle(waiting: Waiting, result: AcceptBatchResponse_Result | undefined): void {
  const outcome = result?.outcome;
  if (outcome?.case === "receipt") waiting.resolve(outcome.value);
  else if (outcome?.case === "error") {
    const { errorCode, message, details } = outcome.value;
    if (!isErrorCode(errorCode)) waiting.reject(new Error(`AcceptBatch answered with the unknown error ${errorCode}`));
    else waiting.reject(new DomainError(errorCode, { ...(message === "" ? {} : { message }), details }));
  } else waiting.reject(new Error("AcceptBatch answered an item with nothing"));
}

const unavailable = (): DomainError => new DomainError("SERVICE_UNAVAILABLE");
