import { DomainError, fromConnectError } from "#platform/errors.ts";
import type { Logger } from "#platform/logger.ts";
import { asOutage } from "#platform/outage.ts";

export interface Batcher<T, R> {
  /** One promise per item. Rejects with SERVICE_UNAVAILABLE at once when too many items wait. */
  add(items: readonly T[]): Promise<R>[];
}

export interface BatcherOptions<T, R> {
  readonly maxItems: number;
  readonly maxInFlight: number;
  readonly maxQueued: number;
  /** One result per item. A result that is a promise does not hold up the next batch. */
  run(items: readonly T[]): Promise<readonly (R | Promise<R>)[]>;
}

interface Waiting<T, R> {
  readonly item: T;
  resolve(result: R | Promise<R>): void;
  reject(error: unknown): void;
}

/** Gathers items that come while others are under way. Never waits: what finds a free place goes out at once. */
export function createBatcher<T, R>(options: BatcherOptions<T, R>): Batcher<T, R> {
  const { maxItems, maxInFlight, maxQueued } = options;
  let queue: Waiting<T, R>[] = [];
  let inFlight = 0;

  const runBatch = async (batch: readonly Waiting<T, R>[]): Promise<void> => {
    try {
      const results = await options.run(batch.map((waiting) => waiting.item));
      batch.forEach((waiting, index) => {
        waiting.resolve(results[index] as R | Promise<R>);
      });
    } catch (error) {
      for (const waiting of batch) waiting.reject(error);
    } finally {
      inFlight -= 1;
      pump();
    }
  };
  const pump = (): void => {
    while (inFlight < maxInFlight && queue.length > 0) {
      const batch = queue.slice(0, maxItems);
      queue = queue.slice(maxItems);
      inFlight += 1;
      void runBatch(batch);
    }
  };
  return {
    add: (items) => {
      const results = items.map((item) => {
        const { promise, resolve, reject } = Promise.withResolvers<R>();
        if (queue.length < maxQueued) queue.push({ item, resolve, reject });
        else reject(new DomainError("SERVICE_UNAVAILABLE"));
        return promise;
      });
      pump();
      return results;
    },
  };
}

/**
 * An expected error as it is, an outage as SERVICE_UNAVAILABLE; anything else is logged and becomes INTERNAL_ERROR. Of a
 * batch, one item must not fail the rest.
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
