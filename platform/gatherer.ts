import { DomainError } from "./errors.ts";

/** Does for many at once what each of them would do alone. */
export interface Gatherer<Item, Result> {
  add(item: Item): Promise<Result>;
  /** Several that come together and should go together. */
  addAll(items: readonly Item[]): Promise<Result>[];
  /** Whether nothing waits and nothing is under way. */
  isIdle(): boolean;
}

export interface GathererOptions<Item, Result> {
  /** One result for each item, in their order; one that is a promise does not hold up the next run. */
  run(items: readonly Item[]): Promise<readonly (Result | Promise<Result>)[]>;
  /** Of a run. */
  readonly maxItems: number;
  /** What the items of a run may measure together. One that is larger alone goes alone: whoever receives it decides. */
  readonly size?: { readonly max: number; of(item: Item): number };
  /** Runs at the same time; one when absent. */
  readonly maxInFlight?: number;
  /** Items that wait; one that comes beyond is refused. As many as there are when absent. */
  readonly maxWaiting?: number;
  /** Nothing waits longer for its run: it is refused when a run starts without it. For ever when absent. */
  readonly maxWait?: { readonly ms: number; readonly monotonic: () => number };
  /** Starts with the first item, instead of with all that come in the same turn of the event loop. */
  readonly startsAtOnce?: boolean;
  /** From the end of a run to the next that is not full. What comes after a pause does not wait. */
  readonly paceMs?: number;
}

/**
 * What comes while runs are under way goes together with the next one, so what is busy costs a run at a time however much
 * there is to do. Nothing ever waits for a run to fill: what finds a free place goes out. A run that fails fails all
 * its items, and no others; what is refused was not begun (SERVICE_UNAVAILABLE).
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

/** They wait in the order in which they came, so those that are overdue are in front. */
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
