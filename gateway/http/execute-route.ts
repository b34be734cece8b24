import type { Request, RequestHandler } from "express";
import { DomainError, type ErrorCode } from "#platform/errors.ts";
import { isUuid } from "#platform/ids.ts";
import type { Logger } from "#platform/logger.ts";
import type { Authenticate } from "../auth/authenticate.ts";
import type { Principal } from "../auth/principal.ts";
import type { Route, RouteRequest } from "../routes/route.ts";
import type { Services } from "../routes/services.ts";
import { readBody } from "./body.ts";
import { errorReply } from "./errors.ts";
import { type Exchange, exchangeOf } from "./exchange.ts";
import { readIdempotencyKey } from "./idempotency-key.ts";
import { readQuery } from "./query.ts";
import type { TakeRequest } from "./rate-limit.ts";
import { type Reply, sendReply } from "./reply.ts";
import type { CompileSchema, Validate } from "./validate.ts";

export interface ExecutorDeps {
  readonly authenticate: Authenticate;
  readonly takeRequest: TakeRequest;
  readonly services: Services;
  readonly logger: Logger;
  readonly compileSchema: CompileSchema;
}

/**
 * Makes the handler of a route. This is the only place that runs one, so every operation checks in the same order:
 * credential (401), budget (429), scope (403), request (400), and only then what the operation itself finds.
 */
export function executeRoute(route: Route, deps: ExecutorDeps): RequestHandler {
  requireScopes(route);
  const validators = compileValidators(route, deps.compileSchema);
  return async (req, res) => {
    const exchange = exchangeOf(res);
    exchange.route = route.path;
    let reply: Reply;
    try {
      await admit(req, exchange, route, deps);
      const request = await readRequest(req, exchange, route, validators);
      requireExistingIds(request.params, route);
      reply = await route.handle(request, deps.services);
    } catch (error) {
      reply = errorReply(error, exchange, route.dialect, deps.logger);
    }
    sendReply(res, exchange, reply);
  };
}

function requireScopes({ access, operationId }: Route): void {
  if (access !== "public" && access.scopes.length === 0) {
    throw new Error(`the operation ${operationId} is protected but names no scope`);
  }
}

interface Validators {
  readonly query: Validate | undefined;
  readonly body: Validate | undefined;
}

const compileValidators = ({ query, body }: Route, compileSchema: CompileSchema): Validators => ({
  query: query === undefined ? undefined : compileSchema({ type: "object", properties: query.properties }),
  body: body === undefined ? undefined : compileSchema(body.schema),
});

async function admit(req: Request, exchange: Exchange, { access, dialect }: Route, deps: ExecutorDeps): Promise<void> {
  if (access === "public") return;
  const principal = await deps.authenticate(req.headers.authorization);
  exchange.principal = principal;
  exchange.grant = await deps.takeRequest(principal, access.limitGroup, req.method);
  if (!exchange.grant.granted) throw new DomainError(dialect.rateLimited);
  if (!access.scopes.some((scope) => principal.scopes.has(scope))) {
    throw new DomainError("INSUFFICIENT_SCOPE", {
      message: `The token lacks the scope ${access.scopes.join(" or ")} that this operation needs. Ask for it at the token endpoint.`,
    });
  }
}

async function readRequest(
  req: Request,
  exchange: Exchange,
  route: Route,
  validators: Validators,
): Promise<RouteRequest> {
  const { query: querySpec, body: bodySpec, dialect } = route;
  const idempotencyKey = route.needsIdempotencyKey === true ? readIdempotencyKey(req) : "";
  const query = querySpec === undefined ? {} : readQuery(req.originalUrl, querySpec.properties);
  refuseProblems(validators.query?.(query), route);
  const body = bodySpec === undefined ? undefined : await readBody(req, bodySpec, dialect);
  if (body !== undefined) refuseProblems(validators.body?.(body), route);
  else if (bodySpec?.required === true) {
    throw new DomainError(dialect.validationFailed, { message: "A body is required. Send a JSON object." });
  }
  return {
    params: canonicalParams(req.params),
    query,
    body: body ?? {},
    caller: callerOf(exchange),
    observed: { ip: plainAddress(req.ip ?? ""), userAgent: (req.headers["user-agent"] ?? "").slice(0, 1_000) },
    idempotencyKey,
    authorization: req.headers.authorization,
  };
}

function refuseProblems(details: ReturnType<Validate> | undefined, { dialect }: Route): void {
  if (details !== undefined && details.length > 0) throw new DomainError(dialect.validationFailed, { details });
}

const canonicalParams = (params: Request["params"]): Record<string, string> =>
  Object.fromEntries(Object.entries(params).map(([name, value]) => [name, String(value).toLowerCase()]));

/** What is no UUID names nothing, which is all that a caller learns; the service is not asked. */
function requireExistingIds(params: Readonly<Record<string, string>>, { notFound = {} }: Route): void {
  for (const [name, code] of Object.entries<ErrorCode>(notFound)) {
    if (!isUuid(params[name] ?? "")) throw new DomainError(code);
  }
}

/** On public routes nobody calls, and nothing behind them asks who does. */
const callerOf = ({ principal, requestId, traceparent }: Exchange): RouteRequest["caller"] => ({
  orgId: (principal?.orgId ?? "") as Principal["orgId"],
  clientId: principal?.clientId ?? "",
  requestId,
  traceparent,
});

/** An IPv4 client of a socket that listens on IPv6 looks like ::ffff:192.0.2.1. */
const plainAddress = (address: string): string => (address.startsWith("::ffff:") ? address.slice(7) : address);
