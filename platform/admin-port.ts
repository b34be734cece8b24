import { createHash, timingSafeEqual } from "node:crypto";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Interceptor } from "@connectrpc/connect";
import { expressConnectMiddleware } from "@connectrpc/connect-express";
import express, { type ErrorRequestHandler, type Express, type RequestHandler } from "express";
import type { HealthState } from "./health.ts";
import type { Metrics } from "./metrics.ts";
import type { RpcRoutes } from "./rpc/routes.ts";
import { defaultMaxMessageBytes } from "./rpc/wire.ts";

export interface AdminPortOptions {
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
  /** The bearer token that RPC callers must send. Empty turns RPCs off. */
  readonly token: string;
  readonly routes: readonly RpcRoutes[];
  /** Wrap every RPC; the first one is outermost. */
  readonly interceptors: readonly Interceptor[];
  readonly metrics: Metrics;
  readonly health: HealthState;
  /** Throws when something needed for serving requests is missing. */
  checkReady(): Promise<void>;
}

export interface AdminPort {
  readonly port: number;
  /** Stops listening, waits up to a second for responses in progress, then closes the remaining connections. */
  close(): Promise<void>;
}

/**
 * The operators' port: `GET /livez` (the event loop is running), `GET /readyz` (this process can serve
 * requests), `GET /metrics` (Prometheus), and, with the token, every RPC of the routes as a Connect POST, for
 * example JSON to `/package.Service/Method`. Rejects when the port cannot be bound.
 */
export async function startAdminPort(options: AdminPortOptions): Promise<AdminPort> {
  const app = createAdminApp(options);
  const server = await new Promise<Server>((resolve, reject) => {
    const listening = app.listen(options.port, options.host, (error) => (error ? reject(error) : resolve(listening)));
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () => closeServer(server),
  };
}

const readinessTimeoutMs = 2000;
const longestRpcMs = 60_000;

function createAdminApp(options: AdminPortOptions): Express {
  const app = express();
  app.disable("x-powered-by").disable("etag").enable("case sensitive routing").enable("strict routing");
  app.get("/livez", (_request, response) => {
    response.json({ status: "alive" });
  });
  app.get("/readyz", readiness(options));
  app.get("/metrics", async (_request, response) => {
    response.type(options.metrics.registry.contentType).send(await options.metrics.registry.metrics());
  });
  if (options.token !== "") app.use(requireToken(options.token), requirePost, rpcFace(options));
  app.use((_request, response) => {
    response.status(404).json({ code: "not_found", message: "there is nothing at this address" });
  });
  app.use(failure);
  return app;
}

function readiness(options: AdminPortOptions): RequestHandler {
  // Concurrent callers share one check, because the port is open to everybody in the cluster.
  let running: Promise<void> | undefined;
  return async (_request, response) => {
    if (!options.health.isServing()) {
      response.status(503).json({ status: "not_ready", reason: "not_serving" });
      return;
    }
    running ??= withTimeout(() => options.checkReady(), readinessTimeoutMs).finally(() => {
      running = undefined;
    });
    await running.then(
      () => response.json({ status: "ready" }),
      () => response.status(503).json({ status: "not_ready", reason: "dependency_missing" }),
    );
  };
}

async function withTimeout(work: () => Promise<void>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`not done within ${ms} ms`)), ms);
  });
  try {
    await Promise.race([work(), late]);
  } finally {
    clearTimeout(timer);
  }
}

function requireToken(token: string): RequestHandler {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  const expected = digest(`Bearer ${token}`);
  return (request, response, next) => {
    if (timingSafeEqual(digest(request.headers.authorization ?? ""), expected)) return next();
    response.status(401).set("WWW-Authenticate", "Bearer");
    response.json({ code: "unauthenticated", message: "the admin token is missing or wrong" });
  };
}

const requirePost: RequestHandler = (request, response, next) => {
  if (request.method === "POST") return next();
  response.status(405).set("Allow", "POST").json({ code: "unimplemented", message: "RPCs are called with POST" });
};

const rpcFace = (options: AdminPortOptions): RequestHandler =>
  expressConnectMiddleware({
    routes: (router) => {
      for (const routes of options.routes) routes(router);
    },
    interceptors: [...options.interceptors],
    grpc: false,
    grpcWeb: false,
    acceptCompression: [],
    readMaxBytes: defaultMaxMessageBytes,
    maxTimeoutMs: longestRpcMs,
  });

const failure: ErrorRequestHandler = (error, _request, response, next) => {
  if (response.headersSent) return next(error);
  response.status(500).json({ code: "internal", message: "internal error" });
};

async function closeServer(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const cut = setTimeout(() => server.closeAllConnections(), 1000);
  await closed;
  clearTimeout(cut);
}
