import type { Logger } from "../logger.ts";
import { aborted, repeatUntil } from "./background.ts";
import { holdMs, type ReceivedEvent, type SubscribeOptions, subscribeDefaults } from "./bus.ts";
import { deliver, type Settlement } from "./deliver.ts";
import { isMarkSubject, subjectMatches } from "./marks.ts";

/** The part of a NATS connection that pulling needs. */
export interface Wire {
  send(subject: string, payload: string | Uint8Array, replyTo?: string): void;
  /** `drain` resolves once everything that the server had sent before was given to the listener. */
  listen(inbox: string, onMessage: (message: WireMessage) => void): { drain(): Promise<void> };
}

export interface WireMessage {
  readonly subject: string;
  readonly replyTo: string;
  /** Set on answers to pull requests that carry no event. */
  readonly status: number | undefined;
  readonly description: string;
  /** Of the event: what the header Nats-Msg-Id begins with. */
  readonly id: string;
  readonly traceparent?: string | undefined;
  readonly data: string;
}

export interface PullOptions {
  readonly stream: string;
  readonly durable: string;
  readonly inbox: string;
  /** Events handled at a time. No more are asked for, so that none waits here while its time runs. */
  readonly concurrency: number;
  /** How often the server is told that an event is still being handled. */
  readonly keepMs: number;
  deliver(event: ReceivedEvent): Promise<Settlement>;
  /** The consumer or its stream does not answer any more; nothing is pulled until `startPull` is called anew. */
  onGone(reason: string): void;
}

export interface Pull {
  /** Asks again at once: the server forgets requests when the connection breaks. */
  renew(): void;
  /** Asks for nothing more and waits for the events that are being handled. */
  stop(): Promise<void>;
}

/** How long the server keeps a request open when there is nothing to deliver. */
const requestMs = 10_000;

/**
 * Pulls events of a JetStream consumer by the wire protocol itself: the client library's iterators drop what is in
 * flight when they end, and it would come again only after the acknowledgement wait.
 */
export function startPull(wire: Wire, options: PullOptions): Pull {
  const running = new Set<Promise<void>>();
  const kept = createKeeper(wire, options.keepMs);
  let expected = 0;
  let request: NodeJS.Timeout | undefined;
  let stopped = false;

  const ask = (): void => {
    const free = options.concurrency - running.size;
    if (stopped || request !== undefined || free <= 0) return;
    expected = free;
    sendRequest(wire, options, free);
    // The server answers every request in the end, but says nothing at all when it does not know the consumer.
    request = setTimeout(() => giveUp("no answer"), requestMs + 2_000).unref();
  };
  const endRequest = (): void => {
    clearTimeout(request);
    request = undefined;
  };
  const renew = (): void => {
    endRequest();
    ask();
  };
  const giveUp = (reason: string): void => {
    endRequest();
    if (!stopped) options.onGone(reason);
    stopped = true;
  };
  const subscription = wire.listen(options.inbox, (message) => {
    // 404 and 408: there was nothing, or less than asked for. 100: a sign of life.
    if (message.status === 404 || message.status === 408) return renew();
    if (message.status !== undefined) return message.status === 100 ? undefined : giveUp(describe(message));
    const task = handle(message, wire, kept, options).finally(() => {
      running.delete(task);
      ask();
    });
    running.add(task);
    expected -= 1;
    if (expected <= 0) renew();
  });
  ask();
  return {
    renew,
    stop: async () => {
      stopped = true;
      endRequest();
      await subscription.drain();
      await Promise.all(running);
      kept.stop();
    },
  };
}

function sendRequest(wire: Wire, { stream, durable, inbox }: PullOptions, batch: number): void {
  const body = JSON.stringify({ batch, expires: requestMs * 1_000_000 });
  wire.send(`$JS.API.CONSUMER.MSG.NEXT.${stream}.${durable}`, body, inbox);
}

const describe = (message: WireMessage): string => `${message.status} ${message.description}`;

interface Keeper {
  /** Tells the server every `keepMs` that the event is being handled, until it is settled. */
  add(replyTo: string): void;
  settle(replyTo: string): void;
  stop(): void;
}

/** One timer for all events: one for each costs a tenth of what handling an event costs. */
function createKeeper(wire: Wire, keepMs: number): Keeper {
  const handled = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  const stop = (): void => {
    clearInterval(timer);
    timer = undefined;
  };
  const tell = (): void => {
    for (const replyTo of handled) wire.send(replyTo, "+WPI");
    if (handled.size === 0) stop();
  };
  return {
    add: (replyTo) => {
      handled.add(replyTo);
      timer ??= setInterval(tell, keepMs).unref();
    },
    settle: (replyTo) => handled.delete(replyTo),
    stop,
  };
}

const done = Buffer.from("+ACK");

async function handle(message: WireMessage, wire: Wire, kept: Keeper, options: PullOptions): Promise<void> {
  const { id, subject, data, traceparent, replyTo } = message;
  const settle = (settlement: Settlement): void => {
    if (settlement.kind === "done") wire.send(replyTo, done);
    else if (settlement.kind === "again") wire.send(replyTo, nak(settlement.delayMs));
    // The server delivers a late one again by itself.
    else void settlement.eventually.then((result) => result.kind === "done" && settle(result));
  };
  kept.add(replyTo);
  try {
    settle(await options.deliver({ id, subject, data, traceparent, deliveries: deliveriesOf(replyTo) }));
  } finally {
    kept.settle(replyTo);
  }
}

const nak = (delayMs: number): string => `-NAK {"delay": ${Math.round(delayMs * 1_000_000)}}`;

/**
 * `$JS.ACK.<stream>.<consumer>.<deliveries>.<stream sequence>.<consumer sequence>.<time>.<pending>`, with domain and
 * account before the stream on servers that have them.
 */
function deliveriesOf(replyTo: string): number {
  const tokens = replyTo.split(".");
  return Number(tokens.length > 9 ? tokens[6] : tokens[4]) || 1;
}

/** A connection to JetStream, as far as subscriptions need it. */
export interface Link {
  readonly wire: Wire;
  readonly stream: string;
  /** Resolves when the connection has been given up for good. */
  readonly closed: Promise<unknown>;
  newInbox(): string;
  /** Makes the durable consumer, or brings it up to date. */
  ensureConsumer(options: SubscribeOptions): Promise<void>;
}

export interface LinkSource {
  /** The link once it is up. Rejects when the signal fires before. */
  ready(signal: AbortSignal): Promise<Link>;
  /** Returns the function that takes the listener off. */
  onReconnect(listener: () => void): () => void;
}

/** How long a subscription rests before it is made again. */
const retryMs = 500;

/** Keeps a durable consumer pulled through outages of any length, and makes it again when it is gone. */
export function keepSubscribed(
  source: LinkSource,
  options: SubscribeOptions,
  logger: Logger,
): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const subscribeAndStay = async (): Promise<void> => {
    const link = await source.ready(stopping.signal);
    await link.ensureConsumer(options);
    await pullUntil(stopping.signal, link, source, options);
  };
  const running = repeatUntil(stopping.signal, retryMs, subscribeAndStay, (error) =>
    logger.warn({ durable: options.durable, err: error }, "the subscription broke off and is made again"),
  );
  return {
    stop: async () => {
      stopping.abort();
      await running;
    },
  };
}

/** Resolves when the signal fires and the running handlers are done; rejects when the consumer is gone. */
async function pullUntil(
  signal: AbortSignal,
  link: Link,
  source: LinkSource,
  options: SubscribeOptions,
): Promise<void> {
  const gone = Promise.withResolvers<never>();
  const pull = startPull(link.wire, {
    stream: link.stream,
    durable: options.durable,
    inbox: link.newInbox(),
    concurrency: options.concurrency ?? subscribeDefaults.concurrency,
    keepMs: holdMs(options) / 4,
    // The consumer's filter may cover more than was asked for.
    deliver: async (event) =>
      !isMarkSubject(event.subject) && options.subjects.some((pattern) => subjectMatches(pattern, event.subject))
        ? deliver(event, options)
        : { kind: "done" },
    onGone: (reason) => gone.reject(new Error(`the consumer is gone: ${reason}`)),
  });
  const unlisten = source.onReconnect(() => {
    // The server has forgotten the open request, and may have come back without its disk.
    link.ensureConsumer(options).then(pull.renew, gone.reject);
  });
  void link.closed.then(() => gone.reject(new Error("the connection was closed")));
  try {
    await Promise.race([aborted(signal), gone.promise]);
  } finally {
    gone.promise.catch(() => {});
    unlisten();
    await pull.stop();
  }
}
