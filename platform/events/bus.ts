/** An event as carried by the bus. */
export interface BusEvent {
  /** Stable across publications; a second publication within two minutes is stored only once. */
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
   * The subscription's name. Subscribers with the same name share it, and it survives restarts. Letters,
   * digits, `-` and `_`.
   */
  readonly durable: string;
  /** Subjects, or patterns such as `assent.click.>`. */
  readonly subjects: readonly string[];
  /** Resolves when the event has taken effect; rejects to have it redelivered. */
  handle(event: ReceivedEvent): Promise<void>;
  /** Receives an event that failed `maxDeliver` times. If it rejects, the event is kept and delivered again. */
  onDead(event: ReceivedEvent, error: unknown): Promise<void>;
  /** Default 8. */
  readonly maxDeliver?: number;
  /** An event not settled within this time is redelivered. Milliseconds, default 30000. */
  readonly ackWaitMs?: number;
  /** The delays before deliveries 2, 3, …; the last one repeats. Milliseconds, default 1 s to 60 s. */
  readonly backoffMs?: readonly number[];
  /** How many events are handled concurrently; default 1, which preserves their order as long as none fails. */
  readonly concurrency?: number;
}

/**
 * Carries events between services with at-least-once delivery: every durable subscription to a published
 * event's subject handles it until it succeeds or is dead, possibly more than once and out of order. A new
 * subscription receives what the bus still stores.
 */
export interface EventBus {
  /** True when unhandled events are lost with the process; relays then republish the latest ones. */
  readonly volatile?: boolean;
  /**
   * Identifies the store that holds the events. A changed id means that the store was lost and recreated, so
   * everything in the old one must be republished. Undefined while unknown.
   */
  storeId?(): string | undefined;
  /** Resolves when all events are stored. If it rejects, the caller publishes all of them again. */
  publish(events: readonly BusEvent[]): Promise<void>;
  /** Resolves even while the bus is unreachable, and survives outages. `stop` waits for running handlers. */
  subscribe(options: SubscribeOptions): Promise<{ stop(): Promise<void> }>;
  isConnected(): boolean;
  /** How many events of a durable subscription are waiting or being handled; undefined while unknown. */
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
 * How long the server waits for a silent subscriber: the events of a killed process soon go to another one. A
 * subscriber that is still working renews four times as often, up to `ackWaitMs`.
 */
export const holdMs = ({ ackWaitMs = subscribeDefaults.ackWaitMs }: Pick<SubscribeOptions, "ackWaitMs">): number =>
  Math.min(ackWaitMs, 8_000);

/** Throws when a bus may not accept the subscription's name. */
export function checkDurableName(name: string): void {
  if (!/^[A-Za-z0-9_-]{1,100}$/.test(name)) throw new TypeError(`'${name}' is no name for a durable subscription`);
}

/** The delay before the delivery that follows this one. */
export const backoffAfter = (deliveries: number, backoffMs: readonly number[]): number =>
  backoffMs[Math.min(deliveries, backoffMs.length) - 1] ?? 0;
