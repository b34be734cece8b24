import { setTimeout as delay, setImmediate } from "node:timers/promises";

/** Does for many at once what each of them would do alone. */
export interface Gatherer<Item, Result> {
  add(item: Item): Promise<Result>;
}

export interface GathererOptions<Item, Result> {
  readonly maxItems: number;
  /** From the end of one run to the next, while more comes. What comes after a pause goes at once. */
  readonly paceMs: number;
  /** One result for each item, in their order. */
  run(items: readonly Item[]): Promise<readonly Result[]>;
}

/** Runs one after the other; what comes meanwhile goes together with the next one. A run that fails fails all its items. */
export function createGatherer<Item, Result>(options: GathererOptions<Item, Result>): Gatherer<Item, Result> {
  const { maxItems, paceMs } = options;
  const waiting: Waiting<Item, Result>[] = [];
  let isRunning = false;

  const runAll = async (): Promise<void> => {
    isRunning = true;
    // What comes in the same turn belongs together.
    await setImmediate();
    while (waiting.length > 0) {
      await runBatch(options, waiting.splice(0, maxItems));
      if (paceMs > 0 && waiting.length < maxItems) await delay(paceMs);
    }
    isRunning = false;
  };
  return {
    add: (item) => {
      const { promise, resolve, reject } = Promise.withResolvers<Result>();
      waiting.push({ item, resolve, reject });
      if (!isRunning) void runAll();
      return promise;
    },
  };
}

interface Waiting<Item, Result> {
  readonly item: Item;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/** Settles every item; never rejects. */
async function runBatch<Item, Result>(
  { run }: GathererOptions<Item, Result>,
  batch: readonly Waiting<Item, Result>[],
): Promise<void> {
  try {
    const results = await run(batch.map(({ item }) => item));
    for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Result);
  } catch (error) {
    for (const { reject } of batch) reject(error);
  }
}
