import { type BusEvent, checkDurableName, type EventBus } from "./bus.ts";
import { createDurable, type Durable } from "./memory-durable.ts";

export interface MemoryBusOptions {
  /** Events kept for subscriptions that are made later, and the backlog at which `publish` waits; default 10000. */
  readonly retained?: number;
  /** Milliseconds on any steady scale; tests move it. Default: the process's monotonic clock. */
  readonly now?: () => number;
}

/** An id that was published within this time is not stored again; the same as JetStream's default. */
const duplicateWindowMs = 120_000;

/**
 * An event bus inside this process, with the guarantees of EventBus for as long as the process lives. What was not
 * handled when it ends comes again from the outbox. `publish` waits while a running subscription is far behind.
 */
export function createMemoryBus(options: MemoryBusOptions = {}): EventBus {
  const { retained = 10_000, now = () => performance.now() } = options;
  const log: BusEvent[] = [];
  const seen = new Map<string, number>();
  const durables = new Map<string, Durable>();
  let closed = false;

  const store = (event: BusEvent): void => {
    if (seen.has(event.id)) return;
    seen.set(event.id, now());
    log.push(event);
    if (log.length > retained) log.shift();
    for (const durable of durables.values()) durable.offer(event);
  };
  const forgetOldIds = (): void => {
    const limit = now() - duplicateWindowMs;
    for (const [id, at] of seen) {
      if (at >= limit) return;
      seen.delete(id);
    }
  };
  return {
    volatile: true,
    publish: async (events) => {
      while (!closed && [...durables.values()].some((durable) => durable.isBehind(retained))) {
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      if (closed) throw new Error("the event bus is closed");
      forgetOldIds();
      for (const { id, subject, data, traceparent } of events) store({ id, subject, data, traceparent });
    },
    subscribe: async (subscription) => {
      checkDurableName(subscription.durable);
      if (closed) throw new Error("the event bus is closed");
      let durable = durables.get(subscription.durable);
      if (durable === undefined) {
        durable = createDurable(subscription.subjects);
        durables.set(subscription.durable, durable);
        for (const event of log) durable.offer(event);
      }
      return durable.attach(subscription);
    },
    isConnected: () => !closed,
    pending: async (durable) => durables.get(durable)?.pending(),
    close: async () => {
      closed = true;
      await Promise.all([...durables.values()].map((durable) => durable.close()));
    },
  };
}
