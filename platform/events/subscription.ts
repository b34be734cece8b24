import type { Logger } from "../logger.ts";
import { aborted, repeatUntil } from "./background.ts";
import { holdMs, type SubscribeOptions, subscribeDefaults } from "./bus.ts";
import { deliver } from "./deliver.ts";
import { isMarkSubject, subjectMatches } from "./marks.ts";
import { startPull, type Wire } from "./pull.ts";

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
