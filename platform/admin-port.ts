import { createHash, timingSafeEqual } from "node:crypto";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import {
  Code,
  ConnectError,
  createClient,
  createConnectRouter,
  createContextValues,
  type Transport,
} from "@connectrpc/connect";
import { expressConnectMiddleware } from "@connectrpc/connect-express";
import express, { type ErrorRequestHandler, type Express, type RequestHandler } from "express";
import { Health, HealthCheckResponse_ServingStatus as ServingStatus } from "#gen/grpc/health/v1/health_pb.ts";
import { type FreshText, textNow } from "./config.ts";
import { type Operator, operatorKey, parseAdminTokens, requireOperatorRight } from "./rpc/callers.ts";
import { type ServerInterceptorOptions, serverInterceptors } from "./rpc/interceptors.ts";
import { defaultMaxMessageBytes } from "./rpc/metadata.ts";
import type { RpcRoutes } from "./rpc/routes.ts";

/** Whether this process accepts requests. */
export interface HealthState {
  isServing(): boolean;
  setServing(serving: boolean): void;
}

/** A health state that starts as not serving. */
export function createHealthState(): HealthState {
  let serving = false;
  return {
    isServing: () => serving,
    setServing: (value) => {
      serving = value;
    },
  };
}

/**
 * grpc.health.v1.Health/Check: reports the process's state under "" and under the name of each service it
 * serves. Other names are `not_found`, as the protocol requires. Watch is not supported.
 */
export const healthRoutes =
  (health: HealthState, serviceNames: readonly string[]): RpcRoutes =>
  (router) => {
    router.rpc(Health.method.check, (request) => {
      if (request.service !== "" && !serviceNames.includes(request.service)) {
        throw new ConnectError(`unknown service ${request.service}`, Code.NotFound);
      }
      return { status: health.isServing() ? ServingStatus.SERVING : ServingStatus.NOT_SERVING };
    });
  };

/** Names the dependencies that are away. */
export type FindMissing = () => Promise<readonly string[]>;

/** After which somebody who was asked whether he is there counts as away. */
export const healthMs = 800;

/** Services whose health check does not report serving in time. */
export function unreachable(channels: Readonly<Record<string, Transport>>): FindMissing {
  return async () => {
    const states = Object.entries(channels).map(async ([name, transport]) => {
      const { status } = await createClient(Health, transport)
        .check({}, { timeoutMs: healthMs })
        .catch(() => ({ status: ServingStatus.UNKNOWN }));
      return status === ServingStatus.SERVING ? [] : [name];
    });
    return (await Promise.all(states)).flat();
  };
}

export interface AdminPortOptions {
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
  /** The bearer tokens that RPC callers must send one of, as parseAdminTokens reads them. Empty turns RPCs off. */
  readonly token: FreshText;
  /** What services offer to each other as well. */
  readonly routes: readonly RpcRoutes[];
  /** What is for operators alone, also those who only look. */
  readonly operatorRoutes: readonly RpcRoutes[];
  /** For people, at the root; without the token, which it asks for. */
  readonly page?: RequestHandler | undefined;
  readonly observed: Omit<ServerInterceptorOptions, "callers">;
  readonly health: HealthState;
  /** Throws when nothing can be served at all. */
  checkReady(): Promise<void>;
  /** Names what is away although others can be served without it. */
  readonly findMissing?: FindMissing | undefined;
}

export interface AdminPort {
  readonly port: number;
  /** Stops listening, waits up to a second for responses in progress, then closes the remaining connections. */
  close(): Promise<void>;
}

/**
 * The operators' port: `GET /livez` (the event loop is running), `GET /readyz` (this process can serve
 * requests; as `degraded`, with the names of what is away, when only some of them), `GET /metrics` (Prometheus), and, with the token, every RPC of the routes as a Connect POST, for
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
    const { registry } = options.observed.metrics;
    response.type(registry.contentType).send(await registry.metrics());
  });
  const takesCalls = textNow(options.token) !== "";
  if (takesCalls && options.page !== undefined) app.use(options.page);
  if (takesCalls) app.use(requireToken(options.token), requirePost, rpcFace(options));
  app.use((_request, response) => {
    response.status(404).json({ code: "not_found", message: "there is nothing at this address" });
  });
  app.use(failure);
  return app;
}

function readiness(options: AdminPortOptions): RequestHandler {
  const { checkReady, findMissing = async () => [] } = options;
  const look = async (): Promise<readonly string[]> => {
    const missing = withTimeout(findMissing, readinessTimeoutMs).catch(() => ["unknown"]);
    await withTimeout(checkReady, readinessTimeoutMs);
    return missing;
  };
  // Concurrent callers share one check, because the port is open to everybody in the cluster.
  let running: Promise<readonly string[]> | undefined;
  return async (_request, response) => {
    if (!options.health.isServing()) {
      response.status(503).json({ status: "not_ready", reason: "not_serving" });
      return;
    }
    running ??= look().finally(() => {
      running = undefined;
    });
    await running.then(
      (missing) => response.json(missing.length === 0 ? { status: "ready" } : { status: "degraded", missing }),
      () => response.status(503).json({ status: "not_ready", reason: "dependency_missing" }),
    );
  };
}

async function withTimeout<T>(work: () => Promise<T>, ms: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`not done within ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([work(), late]);
  } finally {
    clearTimeout(timer);
  }
}

function requireToken(token: FreshText): RequestHandler {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return (request, response, next) => {
    const given = digest(request.headers.authorization ?? "");
    const tokens = parseAdminTokens(textNow(token));
    const [operator] = tokens.filter((known) => timingSafeEqual(given, digest(`Bearer ${known.token}`)));
    if (operator !== undefined) {
      operators.set(request, operator);
      return next();
    }
    response.status(401).set("WWW-Authenticate", "Bearer");
    response.json({ code: "unauthenticated", message: "the admin token is missing or wrong" });
  };
}

/** Who has sent a request. */
const operators = new WeakMap<object, Operator>();

const requirePost: RequestHandler = (request, response, next) => {
  if (request.method === "POST") return next();
  response.status(405).set("Allow", "POST").json({ code: "unimplemented", message: "RPCs are called with POST" });
};

function rpcFace({ routes, operatorRoutes, observed }: AdminPortOptions): RequestHandler {
  const forOperators = createConnectRouter();
  for (const offer of operatorRoutes) offer(forOperators);
  const names = new Set(forOperators.handlers.map(({ service }) => service.typeName));
  return expressConnectMiddleware({
    routes: (router) => {
      for (const offer of [...routes, ...operatorRoutes]) offer(router);
    },
    interceptors: serverInterceptors({ ...observed, callers: requireOperatorRight(names) }),
    contextValues: (request) => createContextValues().set(operatorKey, operators.get(request)),
    grpc: false,
    grpcWeb: false,
    acceptCompression: [],
    readMaxBytes: defaultMaxMessageBytes,
    maxTimeoutMs: longestRpcMs,
  });
}

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
