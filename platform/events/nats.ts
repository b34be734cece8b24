import { randomUUID } from "node:crypto";
import { EventEmitter } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import {
  AckPolicy,
  type Authenticator,
  type ConnectionOptions,
  connect,
  createInbox,
  DeliverPolicy,
  Events,
  type NatsConnection,
  nanos,
} from "nats";
import { type FreshText, textNow } from "../config.ts";
import { peerCertificateEnd } from "../gauges.ts";
import type { Logger } from "../logger.ts";
import { aborted, createGate, repeatUntil } from "./background.ts";
import { type BusEvent, checkDurableName, type EventBus, holdMs, type Mark } from "./bus.ts";
import { coveringPattern, eventIdOf, withMark } from "./marks.ts";
import { publishAll, publishTimeoutMs, readNewestMark } from "./nats-publish.ts";
import { ensureStream, parseNatsUrl, type StreamState, stream } from "./nats-stream.ts";
import type { Wire } from "./pull.ts";
import { keepSubscribed, type Link, type LinkSource } from "./pull.ts";

export interface NatsBusOptions {
  /** One or more servers, separated by commas: `nats://[user:password@]host:port`, `tls://…` for TLS, with `?ca=…` of an authority of its own. Asked for again each time it connects. */
  readonly url: FreshText;
  readonly logger: Logger;
}

/** Outside the subjects of the stream: nobody keeps them. */
const nudgePrefix = "assent-nudge.";
const reconnectMs = 500;

/**
 * The event bus over NATS JetStream. Connects in the background and for ever: it can be made, subscribed to and stopped
 * while NATS is down. Makes the stream EVENTS (subjects `assent.>`, on disk, 7 days) and the durable consumers when they
 * are missing; an existing stream is left as the operator set it up.
 */
export function createNatsBus(options: NatsBusOptions): EventBus {
  const { logger } = options;
  const session = createSession(options);
  const subscriptions = new Set<{ stop(): Promise<void> }>();
  const ready = () => session.ready(AbortSignal.timeout(publishTimeoutMs));
  return {
    publish: async (events, mark) => (await ready()).publish(events, mark),
    subscribe: async (subscription) => {
      checkDurableName(subscription.durable);
      const running = keepSubscribed(session, subscription, logger);
      subscriptions.add(running);
      return {
        stop: async () => {
          subscriptions.delete(running);
          await running.stop();
        },
      };
    },
    isConnected: session.isConnected,
    pending: async (durable) => (session.isConnected() ? (await ready()).pending(durable) : undefined),
    storedBytes: async () => (session.isConnected() ? (await ready()).storedBytes() : undefined),
    certificateEnd: session.certificateEnd,
    storeId: session.storeId,
    setbacks: session.setbacks,
    newestMark: async (service) => (await ready()).newestMark(service),
    nudge: session.nudge,
    onNudge: session.onNudge,
    close: async () => {
      await Promise.all([...subscriptions].map((subscription) => subscription.stop()));
      await session.close();
    },
  };
}

interface NatsLink extends Link {
  publish(events: readonly BusEvent[], mark: Mark | undefined): Promise<void>;
  newestMark(service: string): Promise<Mark | "unknown" | "nothing">;
  nudge(name: string, all?: boolean): void;
  pending(durable: string): Promise<number>;
  storedBytes(): Promise<number>;
}

interface Session extends LinkSource {
  ready(signal: AbortSignal): Promise<NatsLink>;
  isConnected(): boolean;
  certificateEnd(): number | undefined;
  storeId(): string | undefined;
  setbacks(): number;
  nudge(name: string, all?: boolean): void;
  onNudge(name: string, listener: () => void): () => void;
  close(): Promise<void>;
}

/** Connects, and connects again whenever the connection is given up; the client itself survives broken connections. */
function createSession({ url, logger }: NatsBusOptions): Session {
  const closing = new AbortController();
  const listeners = new Set<() => void>();
  const gate = createGate<NatsLink>();
  const state: StreamState = { created: undefined, lastSequence: 0, setbacks: 0 };
  const nudged = new EventEmitter().setMaxListeners(0);
  const self = randomUUID();
  let certificateEnd: number | undefined;
  let lookAgain: () => void = () => {};
  const connectAndStay = async (): Promise<void> => {
    const connecting = connect({ ...natsOptions(url), ...connectionOptions });
    const nc = await Promise.race([connecting, aborted(closing.signal)]);
    if (nc === undefined) {
      void connecting.then((late) => late.close()).catch(() => {});
      return;
    }
    // A connection that was made again has another socket.
    lookAgain = () => {
      certificateEnd = peerCertificateEnd(socketOf(nc)) ?? certificateEnd;
    };
    lookAgain();
    try {
      await ensureStream(nc, state);
      nc.subscribe(`${nudgePrefix}*`, {
        callback: (error, message) => {
          if (error === null && message.string() !== self) nudged.emit(message.subject);
        },
      });
      const link = linkOf(nc, state, self);
      gate.open(link);
      const watching = watch(nc, state, logger, gate.shut, () => {
        gate.open(link);
        for (const listener of listeners) listener();
      });
      await Promise.race([nc.closed(), watching, aborted(closing.signal)]);
    } finally {
      const online = gate.value !== undefined;
      gate.shut();
      // What is still buffered can be sent only while there is a server at the other end.
      if (online) await Promise.race([nc.drain(), delay(publishTimeoutMs, undefined, { ref: false })]).catch(() => {});
      await nc.close();
    }
  };
  const running = repeatUntil(closing.signal, reconnectMs, connectAndStay, (error) =>
    logger.warn({ err: error }, "NATS is not available; trying again until it is"),
  );
  return {
    ready: (signal) => gate.wait(AbortSignal.any([signal, closing.signal]), "NATS cannot be reached"),
    isConnected: () => gate.value !== undefined,
    certificateEnd: () => {
      lookAgain();
      return certificateEnd;
    },
    storeId: () => state.created,
    setbacks: () => state.setbacks,
    onReconnect: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    nudge: (name, all) => gate.value?.nudge(name, all),
    onNudge: (name, listener) => {
      nudged.on(nudgePrefix + name, listener);
      return () => nudged.off(nudgePrefix + name, listener);
    },
    close: async () => {
      closing.abort();
      await running;
    },
  };
}

/** The client does not show it. */
const socketOf = (nc: NatsConnection): object | undefined =>
  (nc as { protocol?: { transport?: { socket?: object } } }).protocol?.transport?.socket;

/** Of one connection: the servers stay those of its beginning; who logs in is asked for each time it is made again. */
export function natsOptions(url: FreshText): ConnectionOptions {
  const { servers, tls } = parseNatsUrl(textNow(url));
  const authenticator: Authenticator = () => {
    const { user, pass = "" } = parseNatsUrl(textNow(url));
    return user === undefined ? undefined : { user, pass };
  };
  return { servers, authenticator, ...(tls !== undefined && { tls }) };
}

const connectionOptions = {
  name: "assent",
  maxReconnectAttempts: -1,
  reconnectTimeWait: 250,
  reconnectJitter: 100,
  timeout: 5_000,
  // Notices within 30 s that the other end is gone without a word.
  pingInterval: 10_000,
  maxPingOut: 2,
} as const;

async function watch(
  nc: NatsConnection,
  state: StreamState,
  logger: Logger,
  disconnected: () => void,
  reconnected: () => void,
): Promise<void> {
  for await (const { type } of nc.status()) {
    if (type === Events.Disconnect) {
      disconnected();
      logger.warn("the connection to NATS broke off");
    } else if (type === Events.Reconnect) {
      // The server may have come back without its disk.
      await ensureStream(nc, state).catch((error: unknown) =>
        logger.warn({ err: error }, "the event stream is not available"),
      );
      logger.info("connected to NATS again");
      reconnected();
    }
  }
}

const linkOf = (nc: NatsConnection, state: StreamState, self: string): NatsLink => ({
  wire: wireOf(nc),
  stream,
  closed: nc.closed(),
  newInbox: createInbox,
  publish: (events, mark) => publishAll(nc, state, withMark(events, mark), mark),
  newestMark: (service) => readNewestMark(nc, state, service),
  nudge: (name, all = false) => {
    if (!nc.isClosed()) nc.publish(nudgePrefix + name, all ? "" : self);
  },
  pending: async (durable) => {
    const jsm = await nc.jetstreamManager({ checkAPI: false });
    const { num_pending, num_ack_pending } = await jsm.consumers.info(stream, durable);
    return num_pending + num_ack_pending;
  },
  storedBytes: async () => {
    const jsm = await nc.jetstreamManager({ checkAPI: false });
    return (await jsm.streams.info(stream)).state.bytes;
  },
  ensureConsumer: async (options) => {
    await ensureStream(nc, state);
    const jsm = await nc.jetstreamManager({ checkAPI: false });
    await jsm.consumers.add(stream, {
      durable_name: options.durable,
      deliver_policy: DeliverPolicy.All,
      ack_policy: AckPolicy.Explicit,
      ack_wait: nanos(holdMs(options)),
      // Deliveries are counted by `deliver`, which must see the event once more to write it off.
      max_deliver: -1,
      // Several filters need server 2.10; what they share is filtered there, the rest here.
      filter_subject: coveringPattern(options.subjects),
    });
  },
});

const wireOf = (nc: NatsConnection): Wire => ({
  send: (subject, payload, replyTo) => {
    // An answer that is lost with the connection makes the server deliver again, which is allowed.
    if (!nc.isClosed()) nc.publish(subject, payload, replyTo === undefined ? {} : { reply: replyTo });
  },
  listen: (inbox, onMessage) => {
    const subscription = nc.subscribe(inbox, {
      callback: (error, message) => {
        if (error !== null) return;
        const code = message.headers?.code ?? 0;
        onMessage({
          subject: message.subject,
          replyTo: message.reply ?? "",
          status: code > 0 ? code : undefined,
          description: message.headers?.description ?? "",
          id: eventIdOf(message.headers?.get("Nats-Msg-Id") ?? ""),
          traceparent: message.headers?.get("traceparent") || undefined,
          data: message.string(),
        });
      },
    });
    return {
      drain: async () => {
        if (nc.isClosed()) return;
        await Promise.race([subscription.drain(), delay(1_000, undefined, { ref: false })]).catch(() => {});
      },
    };
  },
});
