import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { newId } from "#platform/ids.ts";
import type { RpcServer } from "#platform/rpc/server.ts";
import type { Gateway } from "./app.ts";
import type { GatewayConfig } from "./config.ts";
import { answerClientError } from "./http/client-error.ts";
import { startDraining } from "./http/reply.ts";

export interface ListeningGateway {
  readonly port: number;
  /** Of the public RPCs; undefined when they are not served. */
  readonly grpcPort: number | undefined;
  /** Waits for requests in flight, then stops the workers and closes the gateway. */
  stop(): Promise<void>;
}

/** What one connection, and all of them, may ask of a process. Times in milliseconds, as Node names them. */
export interface ConnectionLimits {
  /** For the head of a request. */
  readonly headersTimeout: number;
  /** For the whole of it. */
  readonly requestTimeout: number;
  readonly connectionsCheckingInterval: number;
  readonly keepAliveTimeout: number;
  /** Bytes of a head, the address included. */
  readonly maxHeaderSize: number;
  readonly maxRequestsPerSocket: number;
  readonly maxConnections: number;
}

export const connectionLimits: ConnectionLimits = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 1_000,
  // Longer than the usual 60 s of load balancers, so that they close first.
  keepAliveTimeout: 65_000,
  maxHeaderSize: 16_384,
  maxRequestsPerSocket: 1_000,
  maxConnections: 10_000,
};

/** Shorter than the 25 s after which a stopping process is killed. */
const drainMs = 15_000;

/** Starts a gateway's workers and its public port. When the port cannot be bound, closes everything again. */
export async function listenGateway(
  gateway: Gateway,
  config: Pick<GatewayConfig, "host" | "port">,
  limits: ConnectionLimits = connectionLimits,
): Promise<ListeningGateway> {
  const server = createPublicServer(gateway.app, limits);
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  let grpc: RpcServer | undefined;
  const closeGateway = async (): Promise<void> => {
    for (const worker of gateway.workers) await worker.stop();
    await gateway.close();
  };
  try {
    for (const worker of gateway.workers) await worker.start();
    await bind(server, config);
    grpc = await gateway.listenGrpc();
  } catch (error) {
    server.close();
    await closeGateway();
    throw error;
  }
  return {
    port: (server.address() as AddressInfo).port,
    grpcPort: grpc?.port,
    stop: async () => {
      startDraining(gateway.app);
      await Promise.all([drain(server, sockets), grpc?.drain(drainMs)]);
      await closeGateway();
    },
  };
}

function createPublicServer(
  app: RequestListener,
  { maxRequestsPerSocket, maxConnections, ...options }: ConnectionLimits,
): Server {
  const listener = closeAfter(maxRequestsPerSocket, app);
  // Node's own answer to a missing Host would lack our headers.
  const server = createServer({ ...options, requireHostHeader: false }, listener);
  server.maxConnections = maxConnections;
  // Node would silently drop all beyond 2,000, and a second credential among them; the size of the head bounds them.
  server.maxHeadersCount = 0;
  // An expectation that we do not know is no reason to refuse the request (RFC 9110 §10.1.1).
  server.on("checkExpectation", listener);
  server.on("clientError", (error, socket) => answerClientError(error, socket, newId));
  return server;
}

const requests = Symbol("requests");
interface CountingSocket extends Socket {
  [requests]?: number;
}

/**
 * Node's own limit answers further requests with a bare 503 and keeps the connection open. Here, a client that
 * was told that the connection closes gets no further responses.
 */
const closeAfter =
  (max: number, listener: RequestListener): RequestListener =>
  (req, res) => {
    const socket: CountingSocket = req.socket;
    const count = (socket[requests] ?? 0) + 1;
    socket[requests] = count;
    if (count >= max) res.shouldKeepAlive = false;
    if (count <= max) listener(req, res);
  };

const bind = (server: Server, { port, host }: Pick<GatewayConfig, "host" | "port">): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });

async function drain(server: Server, sockets: ReadonlySet<Socket>): Promise<void> {
  let isClosed = false;
  const closed = new Promise<void>((resolve) => {
    server.close(() => {
      isClosed = true;
      resolve();
    });
  });
  const deadline = performance.now() + drainMs;
  while (!isClosed && performance.now() < deadline) {
    server.closeIdleConnections();
    // Node counts connections that never sent anything as busy.
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
    await Promise.race([closed, delay(50)]);
  }
  server.closeAllConnections();
  await closed;
}
