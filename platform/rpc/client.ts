import { create, type DescService } from "@bufbuild/protobuf";
import {
  Code,
  ConnectError,
  createContextValues,
  type Interceptor,
  type Transport,
  type UnaryRequest,
  type UnaryResponse,
} from "@connectrpc/connect";
import { type ChannelOptions, Client, type ClientUnaryCall, connectivityState, Metadata } from "@grpc/grpc-js";
import { createCallSignal } from "./call-signal.ts";
import { addHeaders, headersFromMetadata } from "./metadata.ts";
import { serviceConfig } from "./service-config.ts";
import { errorFromStatus, timedOut } from "./status.ts";
import { channelCredentials, type TlsFiles } from "./tls.ts";
import { defaultMaxMessageBytes, fromWire, toWire } from "./wire.ts";

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
  /** Run around every call, the first one outermost. */
  readonly interceptors?: readonly Interceptor[] | undefined;
  /** Largest answer to receive and largest request to keep for a retry, in bytes; 4 MiB when not given. */
  readonly maxMessageBytes?: number | undefined;
  readonly tls?: TlsFiles | undefined;
}

export type GrpcTransport = Transport & { close(): void };

/**
 * A Connect transport over one grpc-js channel, for unary RPCs. It connects with the first call and reconnects for
 * ever. Calls wait for a connection until their deadline, and idempotent ones are sent again when the connection
 * breaks, so that a server that restarts in time costs no error. A call that found no server before its deadline fails
 * with `unavailable`, one that got no answer with `deadline_exceeded`.
 */
export function createGrpcTransport(options: GrpcTransportOptions): GrpcTransport {
  const { defaultTimeoutMs = 5000, interceptors = [] } = options;
  const client = new Client(resolverTarget(options.target), channelCredentials(options.tls), channelOptions(options));
  return {
    async unary(method, signal, timeoutMs = defaultTimeoutMs, header, input, contextValues = createContextValues()) {
      if (timeoutMs <= 0) throw timedOut();
      const call = startCall(client, Date.now() + timeoutMs, signal);
      let next: ReturnType<Interceptor> = (request) => call.send(request as UnaryRequest);
      for (const interceptor of interceptors.toReversed()) next = interceptor(next);
      try {
        const response = await next({
          stream: false,
          method,
          service: method.parent,
          requestMethod: "POST",
          url: `/${method.parent.typeName}/${method.name}`,
          header: new Headers(header),
          contextValues,
          message: create(method.input, input),
          get signal() {
            return call.signal;
          },
        });
        return response as UnaryResponse<typeof method.input, typeof method.output>;
      } catch (error) {
        throw call.errorOf(error);
      } finally {
        call.end();
      }
    },
    stream: () => Promise.reject(new ConnectError("streaming RPCs are not supported", Code.Unimplemented)),
    close: () => client.close(),
  };
}

/** One call that ends with its deadline or with the caller's signal, whichever comes first. */
function startCall(client: Client, deadline: number, caller: AbortSignal | undefined) {
  const callSignal = createCallSignal();
  let sent: ClientUnaryCall | undefined;
  const cancel = () => {
    callSignal.abort(caller?.reason);
    sent?.cancel();
  };
  caller?.addEventListener("abort", cancel);
  return {
    get signal() {
      return callSignal.signal;
    },
    send: async (request: UnaryRequest) => {
      caller?.throwIfAborted();
      return send(client, request, deadline, (call) => {
        sent = call;
      });
    },
    errorOf: (error: unknown) =>
      caller?.aborted ? ConnectError.from(caller.reason, Code.Canceled) : ConnectError.from(error, Code.Internal),
    end: () => {
      caller?.removeEventListener("abort", cancel);
      callSignal.abort();
    },
  };
}

const asIs = (bytes: Buffer): Buffer => bytes;

async function send(
  client: Client,
  request: UnaryRequest,
  deadline: number,
  onSent: (call: ClientUnaryCall) => void,
): Promise<UnaryResponse> {
  const { method, service } = request;
  const metadata = addHeaders(new Metadata({ waitForReady: true }), request.header);
  const message = toWire(method.input, request.message);
  const answer = await new Promise<{ bytes: Buffer; header: Headers; trailer: Headers }>((resolve, reject) => {
    let header = new Headers();
    let bytes: Buffer | undefined;
    const call = client.makeUnaryRequest(request.url, asIs, asIs, message, metadata, { deadline }, (error, value) => {
      if (error !== null) reject(withoutConnection(client, errorFromStatus(error, header)));
      else bytes = value;
    });
    call.on("metadata", (received: Metadata) => {
      header = headersFromMetadata(received);
    });
    // Comes after the callback and brings the trailers.
    call.on("status", (status) => {
      if (bytes !== undefined) resolve({ bytes, header, trailer: headersFromMetadata(status.metadata) });
    });
    onSent(call);
  });
  const { bytes, header, trailer } = answer;
  return { stream: false, method, service, header, trailer, message: fromWire(method.output, bytes) };
}

/** A call that never found a server and one that got no answer are both a missed deadline for grpc-js; not for us. */
function withoutConnection(client: Client, error: ConnectError): ConnectError {
  if (error.code !== Code.DeadlineExceeded) return error;
  const channel = client.getChannel();
  if (channel.getConnectivityState(false) === connectivityState.READY) return error;
  return new ConnectError(`no connection to ${channel.getTarget()}`, Code.Unavailable, undefined, undefined, error);
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
