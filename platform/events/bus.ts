/** An event as carried by the bus. */
export interface BusEvent {
  /** Stable across publications. */
  readonly id: string;
  /**
   * What the bus knows the publication by, default the id: a second one of the same within two minutes is stored only once.
   * Begins with the id, and goes on after a dot.
   */
  readonly messageId?: string | undefined;
  /** `assent.<service>.<noun>.<verb>` */
  readonly subject: string;
  readonly data: string;
  /** W3C traceparent of its publication when its trace is recorded; travels beside the event. */
  readonly traceparent?: string | undefined;
}

/** How far a service's outbox is published. Travels with the events, so that the bus can tell what the database should know. */
export interface Mark {
  readonly service: string;
  /** Of the database; another one begins whenever the bus and the database do not know the same. */
  readonly epoch: string;
  readonly position: number;
  /** The event at this position; empty when that row is no longer kept. */
  readonly eventId: string;
  /** Where it is in the bus; present when it was read there. */
  readonly sequence?: number;
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
  /**
   * How often the store was seen to be older than before, as after a restore of its own. Absent where that cannot be.
   */
  setbacks?(): number;
  /**
   * The newest mark that was published by a service: `unknown` when what is newest has none or is no longer stored,
   * `nothing` when the store has never had anything of the service. Absent where nothing outlives the process.
   */
  newestMark?(service: string): Promise<Mark | "unknown" | "nothing">;
  /**
   * Resolves when all events are stored, and the mark with them, which may be published by itself. If it rejects, the
   * caller publishes all of them again.
   */
  publish(events: readonly BusEvent[], mark?: Mark): Promise<void>;
  /** Resolves even while the bus is unreachable, and survives outages. `stop` waits for running handlers. */
  subscribe(options: SubscribeOptions): Promise<{ stop(): Promise<void> }>;
  /**
   * Tells the other processes that there may be work of this name. May get lost, so they look for it by themselves as well.
   * Absent where no other process shares the bus. Listeners of this process are told as well when `all` says so.
   */
  nudge?(name: string, all?: boolean): void;
  /** Calls the listener for what other processes tell of this name, until the answer is called. */
  onNudge?(name: string, listener: () => void): () => void;
  isConnected(): boolean;
  /** How many events of a durable subscription are waiting or being handled; undefined while unknown. */
  pending?(durable: string): Promise<number | undefined>;
  /** How many bytes of events it stores; undefined while unknown. */
  storedBytes?(): Promise<number | undefined>;
  /**
   * When the certificate ends that the server has shown last, in seconds since 1970; undefined without TLS and before there
   * was a connection.
   */
  certificateEnd?(): number | undefined;
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
