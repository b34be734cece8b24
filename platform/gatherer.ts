import { DomainError } from "./errors.ts";

/** Combines single requests into batches. */
export interface Gatherer<Item, Result> {
  add(item: Item): Promise<Result>;
  /** Adds several items that belong together. */
  addAll(items: readonly Item[]): Promise<Result>[];
  /** Whether nothing waits and nothing is running. */
  isIdle(): boolean;
}

export interface GathererOptions<Item, Result> {
  /** Returns one result per item, in order. A result that is a promise does not delay the next run. */
  run(items: readonly Item[]): Promise<readonly (Result | Promise<Result>)[]>;
  /** The most items in a run. */
  readonly maxItems: number;
  /**
   * The largest total size of a run. An item larger than that runs alone, and the receiver decides what to do
   * with it.
   */
  readonly size?: { readonly max: number; of(item: Item): number };
  /** Concurrent runs; default 1. */
  readonly maxInFlight?: number;
  /** The most waiting items; further ones are refused. No limit when absent. */
  readonly maxWaiting?: number;
  /** Items that have waited longer are refused when the next run starts. No limit when absent. */
  readonly maxWait?: { readonly ms: number; readonly monotonic: () => number };
  /** Starts with the first item instead of collecting all of the same event-loop turn. */
  readonly startsAtOnce?: boolean;
  /** The pause between a run and the next one that is not full. Items that arrive after the pause do not wait. */
  readonly paceMs?: number;
}

/**
 * Items that arrive while runs are in progress go together into the next one, so a busy receiver gets one run
 * at a time however much there is to do. Nothing waits for a run to fill. A failed run fails all its items and
 * no others; a refused item was never started (SERVICE_UNAVAILABLE).
 */
export function createGatherer<Item, Result>(options: GathererOptions<Item, Result>): Gatherer<Item, Result> {
  const {
    maxItems,
    maxInFlight = 1,
    maxWaiting = Number.POSITIVE_INFINITY,
    startsAtOnce = false,
    paceMs = 0,
  } = options;
  let waiting: Waiting<Item, Result>[] = [];
  let inFlight = 0;
  let isScheduled = false;

  const start = (): void => {
    isScheduled = false;
    waiting = withoutOverdue(waiting, options);
    while (waiting.length > 0 && inFlight < maxInFlight) {
      inFlight += 1;
      void runBatch(waiting.splice(0, lengthOf(waiting, options)));
    }
  };
  const schedule = (): void => {
    if (isScheduled || waiting.length === 0 || inFlight >= maxInFlight) return;
    if (startsAtOnce) start();
    else {
      isScheduled = true;
      setImmediate(start);
    }
  };
  const free = (): void => {
    inFlight -= 1;
    schedule();
  };
  /** Settles every item; never rejects. */
  const runBatch = async (batch: readonly Waiting<Item, Result>[]): Promise<void> => {
    try {
      const results = await options.run(batch.map(({ item }) => item));
      for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Result);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
    if (paceMs > 0 && waiting.length < maxItems) setTimeout(free, paceMs);
    else free();
  };
  const push = (item: Item): Promise<Result> =>
    new Promise((resolve, reject) => {
      if (waiting.length >= maxWaiting) return reject(new DomainError("SERVICE_UNAVAILABLE"));
      waiting.push({ item, since: options.maxWait?.monotonic() ?? 0, resolve, reject });
    });
  return {
    add: (item) => {
      const result = push(item);
      schedule();
      return result;
    },
    addAll: (items) => {
      const results = items.map(push);
      schedule();
      return results;
    },
    isIdle: () => waiting.length === 0 && inFlight === 0,
  };
}

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly since: number;
  resolve(result: Result | Promise<Result>): void;
  reject(error: unknown): void;
}

/** Items wait in order of arrival, so overdue ones come first. */
function withoutOverdue<Item, Result>(
  waiting: Waiting<Item, Result>[],
  { maxWait }: Pick<GathererOptions<Item, Result>, "maxWait">,
): Waiting<Item, Result>[] {
  if (maxWait === undefined) return waiting;
  const before = maxWait.monotonic() - maxWait.ms;
  const inTime = waiting.findIndex(({ since }) => since >= before);
  if (inTime === 0) return waiting;
  const overdue = waiting.splice(0, inTime === -1 ? waiting.length : inTime);
  for (const { reject } of overdue) reject(new DomainError("SERVICE_UNAVAILABLE"));
  return waiting;
}

function lengthOf<Item, Result>(
  waiting: readonly Waiting<Item, Result>[],
  { maxItems, size }: Pick<GathererOptions<Item, Result>, "maxItems" | "size">,
): number {
  if (size === undefined) return maxItems;
  let sum = 0;
  let length = 0;
  for (const { item } of waiting) {
    sum += size.of(item);
    if (length === maxItems || (length > 0 && sum > size.max)) break;
    length += 1;
  }
  return length;
}
