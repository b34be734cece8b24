import { type BusEvent, checkDurableName, type EventBus, type SubscribeOptions, subscribeDefaults } from "./bus.ts";
import { deliver } from "./deliver.ts";
import { subjectMatches } from "./marks.ts";

export interface MemoryBusOptions {
  /**
   * How many events are kept for later subscriptions, and the backlog at which `publish` waits; default 10000.
   */
  readonly retained?: number;
  /** Milliseconds of a monotonic clock, which tests can advance. Default: the process's own. */
  readonly now?: () => number;
}

/** A second publication of an id within this time is ignored; the same as JetStream's default. */
const duplicateWindowMs = 120_000;

/**
 * An in-process event bus with the guarantees of EventBus as long as the process lives. Events unhandled at its
 * end are republished from the outbox. `publish` waits while a running subscription is far behind.
 */
export function createMemoryBus(options: MemoryBusOptions = {}): EventBus {
  const { retained = 10_000, now = () => performance.now() } = options;
  const log: BusEvent[] = [];
  const seen = new Map<string, number>();
  const durables = new Map<string, Durable>();
  let closed = false;

  const store = (messageId: string, event: BusEvent): void => {
    if (seen.has(messageId)) return;
    seen.set(messageId, now());
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
      for (const { id, messageId, subject, data, traceparent } of events) {
        store(messageId ?? id, { id, subject, data, traceparent });
      }
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

/** A named subscription, which outlives its subscribers. */
interface Durable {
  /** Takes the event if a subject matches. */
  offer(event: BusEvent): void;
  attach(options: SubscribeOptions): { stop(): Promise<void> };
  /** Whether there is a subscriber and at least this many events wait. */
  isBehind(limit: number): boolean;
  /** Events that wait or are being handled. */
  pending(): number;
  close(): Promise<void>;
}

function createDurable(subjects: readonly string[]): Durable {
  const queue = createQueue();
  const subscribers: Subscriber[] = [];
  const pump = (): void => {
    for (const subscriber of subscribers) fill(subscriber, queue, pump);
  };
  const detach = async (subscriber: Subscriber): Promise<void> => {
    const index = subscribers.indexOf(subscriber);
    if (index >= 0) subscribers.splice(index, 1);
    await Promise.all(subscriber.running);
  };
  queue.onReady = pump;
  return {
    offer: (event) => {
      if (!subjects.some((pattern) => subjectMatches(pattern, event.subject))) return;
      queue.ready.push({ event, deliveries: 0, settled: false });
      queueMicrotask(pump);
    },
    attach: (options) => {
      const subscriber: Subscriber = { options, running: new Set() };
      subscribers.push(subscriber);
      queueMicrotask(pump);
      return { stop: () => detach(subscriber) };
    },
    pending: () => queue.ready.length + subscribers.reduce((sum, { running }) => sum + running.size, 0),
    isBehind: (limit) => subscribers.length > 0 && queue.ready.length >= limit,
    close: async () => {
      queue.close();
      await Promise.all([...subscribers].map(detach));
    },
  };
}

interface Entry {
  readonly event: BusEvent;
  deliveries: number;
  settled: boolean;
}

interface Subscriber {
  readonly options: SubscribeOptions;
  readonly running: Set<Promise<void>>;
}

interface Queue {
  readonly ready: Entry[];
  onReady: () => void;
  /** Makes the entry available again after the delay. */
  later(entry: Entry, delayMs: number): void;
  close(): void;
}

function createQueue(): Queue {
  const timers = new Set<NodeJS.Timeout>();
  let closed = false;
  const queue: Queue = {
    ready: [],
    onReady: () => {},
    later: (entry, delayMs) => {
      if (closed) return;
      const timer = setTimeout(() => {
        timers.delete(timer);
        queue.ready.push(entry);
        queue.onReady();
      }, delayMs);
      timer.unref();
      timers.add(timer);
    },
    close: () => {
      closed = true;
      for (const timer of timers) clearTimeout(timer);
    },
  };
  return queue;
}

/** Fills the subscriber up to its concurrency. */
function fill(subscriber: Subscriber, queue: Queue, pump: () => void): void {
  const { options, running } = subscriber;
  while (running.size < (options.concurrency ?? subscribeDefaults.concurrency)) {
    const entry = queue.ready.shift();
    if (entry === undefined) return;
    if (entry.settled) continue;
    const task = run(entry, options, queue).finally(() => {
      running.delete(task);
      pump();
    });
    running.add(task);
  }
}

async function run(entry: Entry, options: SubscribeOptions, queue: Queue): Promise<void> {
  entry.deliveries += 1;
  const outcome = await deliver({ ...entry.event, deliveries: entry.deliveries }, options);
  if (outcome.kind === "again") queue.later(entry, outcome.delayMs);
  else if (outcome.kind === "done") entry.settled = true;
  else {
    queue.later(entry, 0);
    // If it still succeeds later, that counts.
    void outcome.eventually.then((result) => {
      entry.settled ||= result.kind === "done";
    });
  }
}
