import express, {
  type ErrorRequestHandler,
  type Express,
  type Request,
  type RequestHandler,
  type Response,
  type Router,
} from "express";
import { DomainError } from "#platform/errors.ts";
import type { NewId } from "#platform/ids.ts";
import { type Logger, withoutRedaction } from "#platform/logger.ts";
import type { Metrics } from "#platform/metrics.ts";
import { noopTracer, type Tracer, within } from "#platform/telemetry.ts";
import { traceId } from "#platform/trace-context.ts";
import { compatDialect } from "../compat/dialect.ts";
import { missingOperation } from "../compat/missing.ts";
import type { FloodGuard } from "../limits/flood-guard.ts";
import type { NoteUse } from "../limits/use-report.ts";
import { admitPageHosts, type PageHosts } from "../page-hosts.ts";
import type { Route } from "../routes/route.ts";
import { linkProblemReply } from "../signing/replies.ts";
import { findHeaderProblem } from "./client-error.ts";
import {
  clickDialect,
  type ErrorDialect,
  genDialect,
  oauthDialect,
  standardDialect,
  tooManyRequests,
} from "./error-dialect.ts";
import { errorReply } from "./errors.ts";
import { type Exchange, exchangeOf, openExchange } from "./exchange.ts";
import { type ExecutorDeps, executeRoute } from "./execute-route.ts";
import { readableAnywhere, sendReply } from "./reply.ts";

export interface AppDeps
  extends Omit<ExecutorDeps, "logger" | "floodGuard">,
    Omit<AccessLogDeps, "metrics">,
    FloodGateDeps {
  readonly floodGuard: FloodGuard;
  readonly metrics: AccessLogDeps["metrics"] & FloodGateDeps["metrics"];
  /** Serves the pages. */
  readonly pages?: RequestHandler[];
  readonly newId: NewId;
  readonly tracer?: Tracer | undefined;
  readonly pageHosts: PageHosts;
  /** Addresses or networks whose X-Forwarded-For is trusted; none when empty. */
  readonly trustedProxies: readonly string[];
}

/** The Express app of the public API; the caller makes it listen. Throws when a route is invalid. */
export function createApp(deps: AppDeps): Express {
  const app = express();
  app.disable("x-powered-by");
  app.disable("etag");
  // Every route parses its own query. Routing is strict: /TYPES and /types/ are not /types.
  app.set("query parser", false);
  app.enable("case sensitive routing");
  app.enable("strict routing");
  if (deps.trustedProxies.length > 0) app.set("trust proxy", [...deps.trustedProxies]);

  app.use(beginExchange(deps, createAccessLog(deps), createFloodGate(deps)));
  app.use(admitPageHosts(deps.pageHosts));
  app.use(rewriteAddress);
  app.use(routesByBeginning(deps));
  if (deps.pages !== undefined) app.use(deps.pages);
  app.use((req) => {
    throw new DomainError("NOT_FOUND", isCompatPath(req.path) ? missingOperation(req.path) : {});
  });
  app.use(answerError(deps));
  return app;
}

/** Grouped by path, with literal segments before parameters, so that `published` is never taken for an id. */
function byPath(routes: readonly Route[]): [string, Route[]][] {
  const groups = Map.groupBy(routes, (route) => route.path);
  const order = (path: string): string => path.replaceAll(/\{\w+\}/g, "\uffff");
  return [...groups].sort(([a], [b]) => (order(a) < order(b) ? -1 : 1));
}

/**
 * A router tries its paths one after the other, and there are hundreds. Paths with the same literal beginning have a router
 * of their own, found by that beginning; the longest is asked first, so that literal segments stay before parameters.
 */
function routesByBeginning(deps: AppDeps): RequestHandler {
  const routers = new Map<string, Router>();
  for (const [path, routes] of byPath(deps.routes)) {
    const beginning = beginningsOf(path).find((one) => !one.includes("{")) ?? "";
    const router = routers.get(beginning) ?? express.Router({ caseSensitive: true, strict: true });
    routers.set(beginning, router);
    mountPath(router, path, routes, deps);
  }
  return (req, res, next) => {
    const asked = beginningsOf(req.path).flatMap((one) => routers.get(one) ?? []);
    const askNext = (error?: unknown): void => {
      const router = error ? undefined : asked.shift();
      if (router === undefined) next(error);
      else router(req, res, askNext);
    };
    askNext();
  };
}

/** The first three segments of a path, the first two, the first one, and nothing. */
function beginningsOf(path: string): string[] {
  const beginnings = [""];
  for (let end = 0; end < path.length && beginnings.length <= 3; ) {
    const slash = path.indexOf("/", end + 1);
    end = slash < 0 ? path.length : slash;
    beginnings.unshift(path.slice(0, end));
  }
  return beginnings;
}

function mountPath(router: Router, path: string, routes: readonly Route[], deps: AppDeps): void {
  const mounted = router.route(path.replaceAll(/\{(\w+)\}/g, ":$1"));
  for (const route of routes) {
    const handler = executeRoute(route, deps);
    if (route.method === "GET") mounted.get(handler);
    else if (route.method === "POST") mounted.post(handler);
    else if (route.method === "PUT") mounted.put(handler);
    else if (route.method === "PATCH") mounted.patch(handler);
    else mounted.delete(handler);
  }
  const methods = routes.map((route) => route.method);
  const allow = [...methods, ...(methods.includes("GET") ? ["HEAD"] : [])].sort().join(", ");
  mounted.all((req, res) => {
    exchangeOf(res).route = path;
    const told = isCompatPath(path) ? missingOperation(req.path) : {};
    throw new DomainError("METHOD_NOT_ALLOWED", { metadata: { allow }, ...told });
  });
}

const beginExchange = (
  { newId, tracer = noopTracer }: Pick<AppDeps, "newId" | "tracer">,
  logWhenClosed: LogWhenClosed,
  mayPass: FloodGate,
): RequestHandler => {
  /** Connections with ambiguous framing, on which requests could be smuggled. */
  const ambiguous = new WeakSet<object>();
  return (req, res, next) => {
    // What follows may not be a request at all, so the response to the first closes the connection.
    if (ambiguous.has(req.socket)) return;
    const exchange = openExchange(req, res, newId, tracer);
    logWhenClosed(req, res, exchange);
    if (!mayPass(req, res, exchange)) return;
    const problem = findHeaderProblem(req.rawHeaders, req.httpVersion);
    if (problem === undefined) return within(tracer, exchange.span, next);
    ambiguous.add(req.socket);
    res.shouldKeepAlive = false;
    next(new DomainError("VALIDATION_FAILED", { message: problem }));
  };
};

/** Express calls this for everything no route handled: unknown addresses, wrong methods, undecodable paths. */
const answerError =
  ({ logger }: AppDeps): ErrorRequestHandler =>
  (error: unknown, req, res, _next) => {
    const exchange = exchangeOf(res);
    const known = isBadPath(error)
      ? new DomainError("VALIDATION_FAILED", { message: "The path is not percent-encoded UTF-8." })
      : error;
    const reply = errorReply(known, exchange, generalDialect(known, req.path), logger);
    sendReply(res, exchange, linkProblemReply(req, reply, exchange));
  };

/** Malformed requests get the standard error body, which also fits the compatible interface. */
const generalDialect = (error: unknown, path: string): ErrorDialect => {
  if (isCompatPath(path)) return compatDialect;
  const isBadRequest = error instanceof DomainError && error.code === "VALIDATION_FAILED";
  return !isBadRequest && isGenerationPath(path) ? genDialect : standardDialect;
};

const isBadPath = (error: unknown): boolean => error instanceof Error && error.name === "URIError";

/**
 * Programs made for DocuSign write its addresses in several ways: with slashes at the end, and with the version before
 * 2.1, which has the same operations.
 */
const rewriteAddress: RequestHandler = (req, _res, next) => {
  if (isCompatPath(req.path)) req.url = compatAddress(req.url);
  next();
};

const oldVersion = "/restapi/v2/";
const version = "/restapi/v2.1/";

export function compatAddress(url: string): string {
  const query = url.indexOf("?");
  const path = query < 0 ? url : url.slice(0, query);
  let end = path.length;
  while (end > 1 && path[end - 1] === "/") end -= 1;
  const plain = path.slice(0, end);
  const named = plain.startsWith(oldVersion) ? version + plain.slice(oldVersion.length) : plain;
  return named + (query < 0 ? "" : url.slice(query));
}

export interface FloodGateDeps {
  readonly floodGuard: Pick<FloodGuard, "take">;
  readonly routes: readonly Route[];
  readonly metrics: Pick<Metrics, "limiterRefusals">;
  readonly logger: Logger;
}

/** Whether a request may go on; one that may not has been answered. */
export type FloodGate = (req: Request, res: Response, exchange: Exchange) => boolean;

/** Load balancers ask here, often, and must not find a process unhealthy because of what others sent. */
const healthPath = "/healthz";

function createFloodGate({ floodGuard, routes, metrics, logger }: FloodGateDeps): FloodGate {
  const dialectOf = createAddressDialect(routes);
  const isCrossOrigin = crossOriginMatcher(routes);
  return (req, res, exchange) => {
    if (req.url === healthPath) return true;
    exchange.grant = floodGuard.take(exchange.address);
    if (exchange.grant === undefined) return true;
    metrics.limiterRefusals.inc({ group: "flood" });
    const dialect = dialectOf(req.path);
    const reply = errorReply(tooManyRequests(dialect, exchange.grant), exchange, dialect, logger);
    const shown = linkProblemReply(req, reply, exchange);
    sendReply(res, exchange, isCrossOrigin(req.path) ? readableAnywhere(shown) : shown);
    return false;
  };
}

/** Which addresses have answers that pages of every origin may read. */
function crossOriginMatcher(routes: readonly Route[]): (path: string) => boolean {
  const patterns = routes.filter(({ crossOrigin }) => crossOrigin === true).map(({ path }) => patternOf(path));
  return (path) => patterns.some((pattern) => pattern.test(path));
}

function patternOf(path: string): RegExp {
  const literals = path.split(/\{\w+\}/).map((literal) => literal.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${literals.join("[^/]+")}$`);
}

export interface AccessLogDeps {
  readonly logger: Logger;
  readonly metrics: Pick<Metrics, "httpDuration">;
  readonly noteUse: NoteUse;
}

/** Writes one line per request and measures it, however it ends. */
export type LogWhenClosed = (req: Request, res: Response, exchange: Exchange) => void;

/** What nginx calls a client that went away before the answer. */
const clientClosed = 499;

function createAccessLog({ logger, metrics, noteUse }: AccessLogDeps): LogWhenClosed {
  // Every field of the line is named here and none is a secret; searching them for some took longer than writing it.
  const lines = withoutRedaction(logger);
  return (req, res, exchange) => {
    res.on("close", () => {
      const { requestId, traceparent, startedAt, route = "unknown", principal } = exchange;
      const elapsedMs = performance.now() - startedAt;
      const status = res.writableFinished ? res.statusCode : clientClosed;
      metrics.httpDuration.observe({ route, method: req.method, status }, elapsedMs / 1000);
      if (principal !== undefined) noteUse(principal.orgId, elapsedMs, status === 429);
      exchange.span.note?.(
        {
          "http.request.method": req.method,
          "http.route": route,
          "http.response.status_code": status,
          ...(principal === undefined ? {} : { "assent.organization_id": principal.orgId }),
        },
        `${req.method} ${route}`,
      );
      exchange.span.end(status >= 500 ? { code: String(status) } : undefined);
      const line = {
        requestId,
        traceId: traceId(traceparent),
        orgId: principal?.orgId,
        clientId: principal?.clientId,
        method: req.method,
        route,
        status,
        ms: Math.round(elapsedMs * 10) / 10,
      };
      lines.info(line, "request");
    });
  };
}

/** Whether an address is one of document generation, whether there is something at it or not. */
export const isGenerationPath = (path: string): boolean => /^\/(v1\/gen|batches)(\/|$)/.test(path);

/** Whether an address is one of the interface that is compatible with DocuSign's. */
export const isCompatPath = (path: string): boolean => path === "/restapi" || path.startsWith("/restapi/");

/** The format of errors at an address, for requests that reach no route. */
function createAddressDialect(routes: readonly Route[]): (path: string) => ErrorDialect {
  const tokenPaths = new Set(routes.filter(({ dialect }) => dialect === oauthDialect).map(({ path }) => path));
  return (path) => {
    if (path.startsWith("/v1/click/")) return clickDialect;
    if (isGenerationPath(path)) return genDialect;
    if (isCompatPath(path)) return compatDialect;
    return tokenPaths.has(path) ? oauthDialect : standardDialect;
  };
}
