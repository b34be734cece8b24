import { create, type DescMessage, type DescMethod, type DescMethodUnary, type DescService } from "@bufbuild/protobuf";
import { MethodOptions_IdempotencyLevel as IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError, type Transport, type UnaryResponse } from "@connectrpc/connect";
import {
  Channel,
  type ChannelOptions,
  connectivityState,
  Metadata,
  type RetryPolicy,
  type ServiceConfig,
  status,
} from "@grpc/grpc-js";
import type { Metrics } from "../metrics.ts";
import type { Tracer } from "../telemetry.ts";
import { traceTransport } from "../tracing/trace-calls.ts";
import type { InternalTokens } from "./callers.ts";
import { internalTokenHeader } from "./callers.ts";
import { measureTransport } from "./interceptors.ts";
import { addHeaders, defaultMaxMessageBytes, fromWire, headersFromMetadata, toWire } from "./metadata.ts";
import { errorFromStatus, noConnection, timedOut } from "./status.ts";
import { channelCredentials, type TlsFiles } from "./tls.ts";

export interface GrpcTransportOptions {
  /**
   * `host:port`, or `dns:///name:port`; every address that the name resolves to gets its share of the calls.
   * `ipv4:address:port,address:port` lists them itself.
   */
  readonly target: string;
  /** The services that are called; the retry policy comes from the idempotency_level of their RPCs. */
  readonly services: readonly DescService[];
  /** Deadline of calls that set none, in milliseconds; 5000 when not given. */
  readonly defaultTimeoutMs?: number | undefined;
  /** Largest answer to receive and largest request to keep for a retry, in bytes; 4 MiB when not given. */
  readonly maxMessageBytes?: number | undefined;
  readonly tls?: TlsFiles | undefined;
  /** How we prove that we are a process of the installation, to those whom our certificate does not tell. */
  readonly tokens?: Pick<InternalTokens, "current"> | undefined;
  /** Where the spans of calls go. */
  readonly tracer?: Tracer | undefined;
  /** Where calls are measured. */
  readonly metrics?: Pick<Metrics, "rpcClientDuration"> | undefined;
}

export interface GrpcTransport extends Transport {
  /** Whether there has been no server for so long that calls are refused soon. */
  isDown(): boolean;
  close(): void;
}

/**
 * A Connect transport over one grpc-js channel, for unary RPCs. It connects with the first call and reconnects for
 * ever. Calls wait for a connection until their deadline, and idempotent ones are sent again when the connection
 * breaks, so that a server that restarts in time costs no error. Once there has been none for two seconds, they wait for
 * half a second. A call that found no server fails with `unavailable`, one that got no answer with `deadline_exceeded`.
 */
export function createGrpcTransport(options: GrpcTransportOptions): GrpcTransport {
  const { defaultTimeoutMs = 5000 } = options;
  const channel = new Channel(resolverTarget(options.target), channelCredentials(options.tls), channelOptions(options));
  const watch = watchChannel(channel);
  const transport: Transport = {
    unary: async (method, signal, timeoutMs = defaultTimeoutMs, header, input) => {
      if (timeoutMs <= 0) throw timedOut();
      if (signal?.aborted) throw cancelled(signal);
      try {
        const metadata = addHeaders(new Metadata({ waitForReady: true }), header);
        if (options.tokens !== undefined) metadata.set(internalTokenHeader, options.tokens.current());
        const message = toWire(method.input, create(method.input, input));
        const path = `/${method.parent.typeName}/${method.name}`;
        const answer = await send({ channel, watch }, path, message, metadata, Date.now() + timeoutMs, signal);
        return responseOf(method, answer);
      } catch (error) {
        throw signal?.aborted ? cancelled(signal) : ConnectError.from(error, Code.Internal);
      }
    },
    stream: () => Promise.reject(new ConnectError("streaming RPCs are not supported", Code.Unimplemented)),
  };
  const traced = traceTransport(measureTransport(transport, options.metrics), options.tracer);
  return { ...traced, isDown: watch.isDown, close: () => channel.close() };
}

const cancelled = (signal: AbortSignal): ConnectError => ConnectError.from(signal.reason, Code.Canceled);

interface Answer {
  readonly bytes: Buffer;
  readonly header: Metadata;
  readonly trailer: Metadata;
}

/** Hardly anybody looks at the headers of an answer, and to convert them costs a tenth of a call. */
const responseOf = <I extends DescMessage, O extends DescMessage>(
  method: DescMethodUnary<I, O>,
  { bytes, header, trailer }: Answer,
): UnaryResponse<I, O> => ({
  stream: false,
  method,
  service: method.parent,
  get header() {
    return headersFromMetadata(header);
  },
  get trailer() {
    return headersFromMetadata(trailer);
  },
  message: fromWire(method.output, bytes),
});

/**
 * Makes one call that ends with its deadline or with the signal, whichever comes first. Directly on the channel:
 * grpc-js's Client adds interceptors, an emitter and the stack of the caller, which together cost as much again as all
 * of this (19 of 78 us of a call).
 */
function send(
  { channel, watch }: { readonly channel: Channel; readonly watch: ChannelWatch },
  path: string,
  message: Buffer,
  metadata: Metadata,
  deadline: number,
  signal: AbortSignal | undefined,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const call = channel.createCall(path, deadline, null, null, null);
    const cancel = (): void => call.cancelWithStatus(status.CANCELLED, "the caller cancelled the operation");
    let gaveUp = false;
    const settled = watch.await(() => {
      gaveUp = true;
      call.cancelWithStatus(status.UNAVAILABLE, "no connection");
    });
    let header: Metadata | undefined;
    let bytes: Buffer | undefined;
    call.start(metadata, {
      onReceiveMetadata: (received) => {
        header = received;
      },
      onReceiveMessage: (received: Buffer) => {
        bytes = received;
      },
      onReceiveStatus: (ended) => {
        signal?.removeEventListener("abort", cancel);
        settled();
        header ??= new Metadata();
        if (gaveUp) reject(noConnection(channel.getTarget()));
        else if (ended.code !== status.OK) {
          reject(withoutConnection(channel, errorFromStatus(ended, headersFromMetadata(header))));
        } else if (bytes === undefined) reject(new ConnectError("the answer has no message", Code.Unimplemented));
        else resolve({ bytes, header, trailer: ended.metadata });
      },
    });
    signal?.addEventListener("abort", cancel);
    call.startRead();
    call.sendMessageWithContext({}, message);
    call.halfClose();
  });
}

/** A call that never found a server and one that got no answer are both a missed deadline for grpc-js; not for us. */
function withoutConnection(channel: Channel, error: ConnectError): ConnectError {
  if (error.code !== Code.DeadlineExceeded) return error;
  if (channel.getConnectivityState(false) === connectivityState.READY) return error;
  return noConnection(channel.getTarget(), error);
}

const resolverTarget = (target: string): string =>
  /^(?:dns:\/|ipv4:|ipv6:|unix:)/.test(target) ? target : `dns:///${target}`;

function channelOptions(options: GrpcTransportOptions): ChannelOptions {
  const maxMessageBytes = options.maxMessageBytes ?? defaultMaxMessageBytes;
  return {
    "grpc.service_config": JSON.stringify(serviceConfig(options.services)),
    // The service config is ours; do not ask the DNS for one.
    "grpc.service_config_disable_resolution": 1,
    "grpc.max_receive_message_length": maxMessageBytes,
    // A request that does not fit is not sent again; the default is 1 MiB.
    "grpc.per_rpc_retry_buffer_size": maxMessageBytes,
    "grpc.retry_buffer_size": 16 * maxMessageBytes,
    "grpc.keepalive_time_ms": 30_000,
    "grpc.keepalive_timeout_ms": 10_000,
    "grpc.keepalive_permit_without_calls": 1,
    "grpc.initial_reconnect_backoff_ms": 100,
    "grpc.max_reconnect_backoff_ms": 1000,
    // So that replicas that moved are found as fast as the backoff allows; the default is 30 s.
    "grpc.dns_min_time_between_resolutions_ms": 1000,
    // Internal traffic takes no detour, whatever http_proxy says.
    "grpc.enable_http_proxy": 0,
    "grpc.enable_channelz": 0,
    // The answer to a full batch takes one round trip instead of one per 64 KiB.
    "grpc-node.flow_control_window": 1024 * 1024,
  };
}

/** True when the proto says that the RPC may be sent twice. */
export const isIdempotent = (method: DescMethod): boolean =>
  method.idempotency !== IdempotencyLevel.IDEMPOTENCY_UNKNOWN;

/**
 * How a channel treats these services: every resolved address gets its share of the calls, and an idempotent RPC that
 * fails with UNAVAILABLE is sent again, at most three times, after 0.1, 0.2 and 0.4 s (give or take a fifth).
 * Calls that never reached a handler are sent again by grpc-js itself, whatever the RPC.
 */
export function serviceConfig(services: readonly DescService[]): ServiceConfig {
  const name = services
    .flatMap((service) => service.methods.filter(isIdempotent))
    .map((method) => ({ service: method.parent.typeName, method: method.name }));
  const retryPolicy: RetryPolicy = {
    maxAttempts: 4,
    initialBackoff: "0.1s",
    maxBackoff: "1s",
    backoffMultiplier: 2,
    retryableStatusCodes: ["UNAVAILABLE"],
  };
  return {
    loadBalancingConfig: [{ round_robin: {} }],
    methodConfig: name.length === 0 ? [] : [{ name, retryPolicy }],
  };
}

/** Long enough for a server that is replaced; callers of one that is gone need not wait any longer. */
const knownDownAfterMs = 2_000;
/** Then calls wait so long: the server may come back just now. */
const waitWhenDownMs = 500;

/** How long a channel has been without any connection. */
interface ChannelWatch {
  /**
   * Calls `giveUp` once a call that begins now has waited long enough for a connection: from when the channel is known
   * to be down. Returns what ends the waiting. Never gives up a call that may have been sent.
   */
  await(giveUp: () => void): () => void;
  /** Whether calls are refused soon. */
  isDown(): boolean;
}

const nothing = (): void => undefined;

/** Follows the channel until it is closed. One that was never asked to connect is not down. */
function watchChannel(channel: Channel): ChannelWatch {
  let since: number | undefined;
  let connections = 0;
  const follow = (): void => {
    const state = channel.getConnectivityState(false);
    if (state === connectivityState.SHUTDOWN) return;
    if (state === connectivityState.READY) {
      since = undefined;
      connections += 1;
    } else if (state === connectivityState.IDLE) since = undefined;
    else since ??= performance.now();
    channel.watchConnectivityState(state, Number.POSITIVE_INFINITY, follow);
  };
  follow();
  return {
    isDown: () => since !== undefined && performance.now() - since >= knownDownAfterMs,
    await: (giveUp) => {
      if (channel.getConnectivityState(false) === connectivityState.READY) return nothing;
      const before = connections;
      const downFor = since === undefined ? 0 : performance.now() - since;
      const timer = setTimeout(
        () => {
          if (connections === before) giveUp();
        },
        Math.max(knownDownAfterMs - downFor, waitWhenDownMs),
      );
      return () => clearTimeout(timer);
    },
  };
}
