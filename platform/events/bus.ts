/** An event as the bus carries it. */
export interface BusEvent {
  /** The same however often the event is published; publishing again within two minutes stores it once. */
  readonly id: string;
  /** `assent.<service>.<noun>.<verb>` */
  readonly subject: string;
  readonly data: string;
  /** W3C traceparent of its publication when its trace is recorded; travels beside the event. */
  readonly traceparent?: string | undefined;
}

export interface ReceivedEvent extends BusEvent {
  /** 1 for the first delivery. */
  readonly deliveries: number;
}

export interface SubscribeOptions {
  /**
   * Names the subscription: subscribers with the same name share it, and it survives their restart.
   * Letters, digits, `-` and `_`.
   */
  readonly durable: string;
  /** Subjects, or patterns such as `assent.click.>`. */
  readonly subjects: readonly string[];
  /** Resolves when the event has taken effect; rejects to have it delivered again. */
  handle(event: ReceivedEvent): Promise<void>;
  /** Takes an event that failed `maxDeliver` times. When it rejects, the event is kept and offered again. */
  onDead(event: ReceivedEvent, error: unknown): Promise<void>;
  /** Default 8. */
  readonly maxDeliver?: number;
  /** An event that is not settled after this time is delivered again. Milliseconds, default 30000. */
  readonly ackWaitMs?: number;
  /** Delay before delivery 2, 3, …; the last one repeats. Milliseconds, default 1 s to 60 s. */
  readonly backoffMs?: readonly number[];
  /** Events handled at a time; default 1, which keeps their order as long as none fails. */
  readonly concurrency?: number;
}

/**
 * Carries events from services to services, at least once: an event that `publish` took is handled by every durable
 * subscription to its subject until it succeeds or is dead, but maybe more than once and not always in order.
 * A subscription that is new receives what the bus still keeps.
 */
export interface EventBus {
  /** True when events that are not handled yet are lost with the process: relays then publish the latest ones again. */
  readonly volatile?: boolean;
  /**
   * Names the store that holds the events; another name than before means that the store was lost and made anew, so that
   * what was published to the old one must be published again. Undefined while unknown.
   */
  storeId?(): string | undefined;
  /** Resolves when all events are stored. Otherwise rejects, and the caller publishes all of them again. */
  publish(events: readonly BusEvent[]): Promise<void>;
  /** Resolves even when the bus cannot be reached yet, and survives outages. `stop` waits for running handlers. */
  subscribe(options: SubscribeOptions): Promise<{ stop(): Promise<void> }>;
  isConnected(): boolean;
  /** How many events wait for a durable subscription or are handled; undefined while unknown. */
  pending?(durable: string): Promise<number | undefined>;
  /** Stops all subscriptions and lets running handlers finish. */
  close(): Promise<void>;
}

export const subscribeDefaults = {
  maxDeliver: 8,
  ackWaitMs: 30_000,
  backoffMs: [1_000, 2_000, 5_000, 10_000, 20_000, 40_000, 60_000],
  concurrency: 1,
} as const;

/**
 * For how long the server leaves an event to a subscriber of whom it hears nothing: what a process had that was killed is
 * soon given to another. One that still works on an event says so four times as often, for `ackWaitMs` at most.
 */
export const holdMs = ({ ackWaitMs = subscribeDefaults.ackWaitMs }: Pick<SubscribeOptions, "ackWaitMs">): number =>
  Math.min(ackWaitMs, 8_000);

/** Throws when the name of a subscription is not one that every bus can keep. */
export function checkDurableName(name: string): void {
  if (!/^[A-Za-z0-9_-]{1,100}$/.test(name)) throw new TypeError(`'${name}' is no name for a durable subscription`);
}

/** The delay before the delivery after this one. */
export const backoffAfter = (deliveries: number, backoffMs: readonly number[]): number =>
  backoffMs[Math.min(deliveries, backoffMs.length) - 1] ?? 0;
