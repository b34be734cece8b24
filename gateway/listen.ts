import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { newId } from "#platform/ids.ts";
import type { Gateway } from "./app.ts";
import type { GatewayConfig } from "./config.ts";
import { answerClientError } from "./http/client-error.ts";
import { startDraining } from "./http/reply.ts";

export interface ListeningGateway {
  readonly port: number;
  /** Lets requests in flight finish, then stops the workers and closes the gateway. */
  stop(): Promise<void>;
}

/** Below the 25 s after which a process that was told to stop is stopped. */
const drainMs = 15_000;

/** Starts the workers of a gateway and its public port. When the port cannot be bound, everything is closed again. */
export async function listenGateway(
  gateway: Gateway,
  config: Pick<GatewayConfig, "host" | "port">,
): Promise<ListeningGateway> {
  const server = createPublicServer(gateway.app);
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  const closeGateway = async (): Promise<void> => {
    for (const worker of gateway.workers) await worker.stop();
    await gateway.close();
  };
  try {
    for (const worker of gateway.workers) await worker.start();
    await bind(server, config);
  } catch (error) {
    await closeGateway();
    throw error;
  }
  return {
    port: (server.address() as AddressInfo).port,
    stop: async () => {
      startDraining(gateway.app);
      await drain(server, sockets);
      await closeGateway();
    },
  };
}

function createPublicServer(listener: RequestListener): Server {
  const limits = {
    headersTimeout: 10_000,
    requestTimeout: 30_000,
    connectionsCheckingInterval: 1_000,
    // Longer than the 60 s of usual load balancers, so that they close first.
    keepAliveTimeout: 65_000,
    // Node's own answer to a missing Host would lack our headers.
    requireHostHeader: false,
  };
  const server = createServer(limits, listener);
  server.maxRequestsPerSocket = 1_000;
  server.maxConnections = 10_000;
  // An expectation that we do not know is no reason to refuse the request (RFC 9110 §10.1.1).
  server.on("checkExpectation", listener);
  server.on("clientError", (error, socket) => answerClientError(error, socket, newId));
  return server;
}

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
    // Node counts a connection on which nothing was ever sent as busy.
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
    await Promise.race([closed, delay(50)]);
  }
  server.closeAllConnections();
  await closed;
}
