import { isIP } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { Code, ConnectError, type Interceptor } from "@connectrpc/connect";
import {
  type handleUnaryCall,
  Metadata,
  Server,
  type ServerUnaryCall,
  type sendUnaryData,
  type UntypedHandleCall,
} from "@grpc/grpc-js";
import { type HealthState, healthRoutes } from "../admin-port.ts";
import type { Logger } from "../logger.ts";
import { namesOfCertificate, type Peer } from "./callers.ts";
import { addHeaders, defaultMaxMessageBytes, fromWire, headersFromMetadata, toWire } from "./metadata.ts";
import { collectRoutes, type RpcRoutes, type UnaryRoute } from "./routes.ts";
import { internalError, internalErrorMessage, statusFromError, timedOut } from "./status.ts";
import { type OpenTlsFiles, serverCredentials, type TlsFiles } from "./tls.ts";
import { type CallContext, createCallContext, runUnaryRoute } from "./unary-call.ts";

/** A listening gRPC server. */
export interface RpcServer {
  readonly port: number;
  /** Stops accepting, lets calls in flight finish for at most graceMs, then cuts what is left. Never rejects. */
  drain(graceMs: number): Promise<void>;
}

export interface RpcServerOptions {
  readonly routes: RpcRoutes;
  /** The address to listen on. */
  readonly host: string;
  /** 0 takes a free port. */
  readonly port: number;
  /** Run around every call of routes, the first one outermost; health checks pass them by. */
  readonly interceptors: readonly Interceptor[];
  /** Largest message to receive, in bytes; larger ones are answered `resource_exhausted`. 4 MiB when not given. */
  readonly maxMessageBytes?: number | undefined;
  /** After which a connection is closed gracefully, so that clients find new replicas; 5 minutes when not given. */
  readonly maxConnectionAgeMs?: number | undefined;
  readonly tls?: TlsFiles | OpenTlsFiles | undefined;
  readonly health: HealthState;
  /** Adds what is no unary RPC; it looks after its own calls, and ends them when the server is drained. */
  readonly register?: ((server: Server) => void) | undefined;
  /** Told of failures that no interceptor sees, such as an answer that cannot be serialized. */
  readonly logger?: Logger | undefined;
}

/**
 * Serves Connect handlers and grpc.health.v1.Health/Check as gRPC. Of routes, unary RPCs only.
 * Rejects when the port cannot be bound.
 */
export async function startRpcServer(options: RpcServerOptions): Promise<RpcServer> {
  const server = new Server({
    "grpc.max_receive_message_length": options.maxMessageBytes ?? defaultMaxMessageBytes,
    "grpc.max_connection_age_ms": options.maxConnectionAgeMs ?? 300_000,
    "grpc.max_connection_age_grace_ms": 30_000,
    // Finds clients that vanished without closing; their own pings are always welcome here.
    "grpc.keepalive_time_ms": 30_000,
    "grpc.keepalive_timeout_ms": 10_000,
  });
  const calls: Calls = { inFlight: new Set(), logger: options.logger };
  const { services, unary } = collectRoutes(options.routes);
  for (const route of unary) addRoute(server, route, [...options.interceptors, ...route.interceptors], calls);
  const names = services.map((service) => service.typeName);
  for (const route of collectRoutes(healthRoutes(options.health, names)).unary) addRoute(server, route, [], calls);
  options.register?.(server);
  const address = `${options.host.includes(":") ? `[${options.host}]` : options.host}:${options.port}`;
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync(address, serverCredentials(options.tls), (error, bound) =>
      error ? reject(error) : resolve(bound),
    );
  });
  let drained: Promise<void> | undefined;
  return {
    port,
    drain: (graceMs) => {
      drained ??= drainServer(server, calls, graceMs);
      return drained;
    },
  };
}

interface Calls {
  /** What cuts each call that is being answered. */
  readonly inFlight: Set<() => void>;
  readonly logger: Logger | undefined;
}

const asIs = (bytes: Buffer): Buffer => bytes;

function addRoute(server: Server, route: UnaryRoute, interceptors: readonly Interceptor[], calls: Calls): void {
  const handle: handleUnaryCall<Buffer, Buffer> = (call, respond) => {
    answer(route, interceptors, call, respond, calls).catch((error: unknown) => {
      calls.logger?.error({ err: error, rpc: route.path }, "the error of an rpc could not be sent");
      respond({ code: Code.Internal as number, details: internalErrorMessage });
    });
  };
  // grpc-js only carries bytes: it would hide what went wrong when a message cannot be read or written.
  server.register(route.path, handle as UntypedHandleCall, asIs, asIs, "unary");
}

async function answer(
  route: UnaryRoute,
  interceptors: readonly Interceptor[],
  call: ServerUnaryCall<Buffer, Buffer>,
  respond: sendUnaryData<Buffer>,
  calls: Calls,
): Promise<void> {
  const deadline = finiteDeadline(call);
  const context = createCallContext(route, headersFromMetadata(call.metadata), deadline, peerOf(call));
  let answered = false;
  // Emitted at the end of every call, whether anybody cancelled it or not.
  call.once("cancelled", () => {
    if (!answered) context.abort(cancellation(deadline));
  });
  const cut = () => {
    context.abort(shuttingDown());
    respond(statusFromError(shuttingDown()));
  };
  calls.inFlight.add(cut);
  try {
    const message = fromWire(route.method.input, call.request);
    const response = await runUnaryRoute(route, interceptors, context, message);
    const bytes = toWire(route.method.output, response.message);
    const trailer = addHeaders(new Metadata(), response.trailer);
    call.sendMetadata(addHeaders(new Metadata(), response.header));
    respond(null, bytes, trailer);
  } catch (error) {
    respondError(error, route, call, context, respond, calls.logger);
  } finally {
    answered = true;
    calls.inFlight.delete(cut);
    context.abort();
  }
}

function respondError(
  error: unknown,
  route: UnaryRoute,
  call: ServerUnaryCall<Buffer, Buffer>,
  context: CallContext,
  respond: sendUnaryData<Buffer>,
  logger: Logger | undefined,
): void {
  const known = error instanceof ConnectError ? error : internalError(error);
  if (known !== error) logger?.error({ err: error, rpc: route.path }, "rpc failed outside of its handler");
  const status = statusFromError(known);
  addHeaders(status.metadata, context.responseTrailer);
  const header = addHeaders(new Metadata(), context.responseHeader);
  if (Object.keys(header.toJSON()).length > 0) call.sendMetadata(header);
  respond(status);
}

const peerOf = (call: ServerUnaryCall<Buffer, Buffer>): Peer => ({
  names: () => {
    // grpc-js knows a certificate only when TLS has found it good.
    const { sslPeerCertificate } = call.getAuthContext();
    return sslPeerCertificate === undefined
      ? []
      : namesOfCertificate({ subjectAltName: sslPeerCertificate.subjectaltname });
  },
  get address() {
    return addressOf(call.getPeer());
  },
});

/** The address in what grpc-js says of the other side; empty when there is none. */
export function addressOf(peer: string): string {
  const address = peer.replace(/:\d+$/, "").replace(/^\[(.+)\]$/, "$1");
  return isIP(address) === 0 ? "" : address.replace(/^::ffff:(?=\d+\.)/i, "");
}

const finiteDeadline = (call: ServerUnaryCall<Buffer, Buffer>): number | undefined => {
  const deadline = Number(call.getDeadline());
  return Number.isFinite(deadline) ? deadline : undefined;
};

// Timers may fire a millisecond early.
const cancellation = (deadline: number | undefined): ConnectError =>
  deadline !== undefined && Date.now() >= deadline - 1
    ? timedOut()
    : new ConnectError("the caller cancelled the operation", Code.Canceled);

const shuttingDown = (): ConnectError => new ConnectError("the server is shutting down", Code.Unavailable);

async function drainServer(server: Server, calls: Calls, graceMs: number): Promise<void> {
  const closed = new Promise<boolean>((resolve) => server.tryShutdown(() => resolve(true)));
  if (await Promise.race([closed, after(graceMs)])) return;
  // An answer instead of a reset: callers take a reset for their own cancellation and do not try again.
  for (const cut of calls.inFlight) cut();
  await Promise.race([closed, after(flushMs)]);
  server.forceShutdown();
}

/** How long the last answers may take to reach their callers. */
const flushMs = 250;

const after = (ms: number): Promise<false> => delay(ms, false, { ref: false });
