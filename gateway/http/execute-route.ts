import type { Request, RequestHandler } from "express";
import { DomainError } from "#platform/errors.ts";
import type { Logger } from "#platform/logger.ts";
import { atHost } from "#platform/service-settings.ts";
import type { Authenticate } from "../auth/authenticate.ts";
import type { Principal } from "../auth/principal.ts";
import type { AuthenticateRenderToken, RenderGrant } from "../auth/render-token.ts";
import type { DocumentBodies } from "../document-bodies/document-bodies.ts";
import type { ReadDocuments } from "../document-bodies/read-documents.ts";
import type { FloodGuard } from "../limits/flood-guard.ts";
import { lockTokenIn } from "../routes/edit-lock.ts";
import { insufficientScope, isOpenWhileSuspended } from "../routes/require-scope.ts";
import type { Route, RouteRequest } from "../routes/route.ts";
import type { Services } from "../routes/services.ts";
import type { Sessions } from "../sessions/authenticate-session.ts";
import { requireCsrfToken, sessionCookie, sessionTokenIn } from "../sessions/cookie.ts";
import { linkProblemReply } from "../signing/replies.ts";
import { readBody } from "./body.ts";
import { type BodyBudget, type BodyRoom, documentLimits, unbudgetedRouteBytes } from "./body-budget.ts";
import { readDocumentBody } from "./document-body.ts";
import { tooManyRequests } from "./error-dialect.ts";
import { errorReply } from "./errors.ts";
import { type Exchange, exchangeOf } from "./exchange.ts";
import { protectedReply } from "./file-reply.ts";
import {
  compileTexts,
  findUnstorable,
  readIdempotencyKey,
  readParams,
  readQuery,
  requireExistingNames,
  type TextValidators,
  textProblems,
} from "./params.ts";
import type { IsUsedUp, RequireActive, TakeRequest } from "./rate-limit.ts";
import { type Reply, readableAnywhere, sendReply, withLoggedStream } from "./reply.ts";
import type { CompileSchema, Validate } from "./validate.ts";

export interface ExecutorDeps {
  readonly authenticate: Authenticate;
  readonly authenticateRenderToken: AuthenticateRenderToken;
  readonly sessions: Pick<Sessions, "authenticate">;
  readonly takeRequest: TakeRequest;
  readonly isUsedUp: IsUsedUp;
  readonly requireActive: RequireActive;
  readonly floodGuard: Pick<FloodGuard, "takeForGuess">;
  readonly bodyBudget: BodyBudget;
  /** Of bodies that carry documents. */
  readonly documentBudget: BodyBudget;
  readonly documentBodies: Pick<DocumentBodies, "read">;
  readonly services: Services;
  readonly logger: Logger;
  readonly compileSchema: CompileSchema;
  /** Where clients reach this API; as each request says when empty. */
  readonly publicUrl: string;
}

/**
 * Creates a route's handler. Only this function runs routes, so every operation checks in the same order:
 * credential (401), budget (429), scope, suspension and then a session's CSRF token (403), request (400), and only then the
 * operation itself.
 */
export function executeRoute(route: Route, deps: ExecutorDeps): RequestHandler {
  requireScopes(route);
  const validators = compileValidators(route, deps.compileSchema);
  return async (req, res) => {
    const exchange = exchangeOf(res);
    exchange.route = route.path;
    let reply: Reply;
    let room: BodyRoom | undefined;
    let body: unknown;
    try {
      const { renderGrant, counted } = await count(req, exchange, route, deps);
      reply = await unlessRefused(counted, async () => {
        await authorize(req, exchange, route, renderGrant, deps);
        room = roomFor(route, exchange, deps);
        const request = {
          ...(await readRequest(req, exchange, route, { validators, room, documentBodies: deps.documentBodies })),
          renderGrant,
          pageHost: exchange.pageHost,
          publicUrl: () => publicUrlAt(req, exchange, deps.publicUrl),
        };
        body = request.body;
        requireExistingNames(request.params, route, validators.texts);
        if (route.besideLimit !== true) await counted;
        return route.handle(request, deps.services);
      });
    } catch (error) {
      reply = patient(
        error,
        errorReply(error, exchange, route.dialect, deps.logger, { body, pathOf: route.body?.pathOf }),
      );
      reply = linkProblemReply(req, reply, exchange);
      if (reply.status === 401) deps.floodGuard.takeForGuess(exchange.address);
    } finally {
      // The parsed body stays in memory until here, whether or not its sender still waits.
      room?.release();
    }
    reply = protectedReply(withLoggedStream(reply, exchange, deps.logger), route, exchange);
    sendReply(res, exchange, route.crossOrigin === true ? readableAnywhere(reply) : reply);
  };
}

const patient = (error: unknown, reply: Reply): Reply =>
  error instanceof DomainError && error.code === "DOCUMENT_TOO_LARGE" ? { ...reply, unread: documentLimits } : reply;

/** Only routes with large bodies need room for them. */
function roomFor(
  { body }: Route,
  { principal, address }: Exchange,
  { bodyBudget, documentBudget }: ExecutorDeps,
): BodyRoom | undefined {
  if (body === undefined || body.maxBytes <= unbudgetedRouteBytes) return undefined;
  return (body.documents === undefined ? bodyBudget : documentBudget).roomFor(principal?.orgId ?? address);
}

function requireScopes({ access, operationId }: Route): void {
  if (access !== "public" && access.scopes.length === 0) {
    throw new Error(`the operation ${operationId} is protected but names no scope`);
  }
}

interface Validators {
  readonly texts: TextValidators;
  readonly query: Validate | undefined;
  readonly body: Validate | undefined;
}

/** A process may have several gateways, and a schema is compiled for milliseconds. */
const compiled = new WeakMap<Route, Validators>();

function compileValidators(route: Route, compileSchema: CompileSchema): Validators {
  const known = compiled.get(route) ?? {
    texts: compileTexts(route, compileSchema),
    query: route.query && compileSchema({ type: "object", ...route.query }),
    body: route.body && route.body.unparsed !== true ? compileSchema(route.body.schema) : undefined,
  };
  compiled.set(route, known);
  return known;
}

interface Admission {
  /** In place of a credential. */
  readonly renderGrant?: RenderGrant | undefined;
  /** Rejects when the budget is used up; absent when the request is counted already. */
  readonly counted?: Promise<void> | undefined;
}

/** Finds out who sends the request, and takes it from their budget. */
async function count(req: Request, exchange: Exchange, route: Route, deps: ExecutorDeps): Promise<Admission> {
  const { access, dialect } = route;
  if (access === "public") return {};
  const token = access.renderToken === true && req.headers.authorization === undefined ? tokenOf(req) : undefined;
  const renderGrant = token === undefined ? undefined : await deps.authenticateRenderToken(token, exchange);
  const principal = renderGrant?.principal ?? (await identify(req, exchange, deps));
  exchange.principal = principal;
  const { limitGroup } = access;
  // For routes counted in the organization's plan, the service does the counting.
  if (limitGroup === "plan") return { renderGrant };
  const take = async (): Promise<void> => {
    exchange.grant = await deps.takeRequest(principal, limitGroup, req.method);
    if (!exchange.grant.granted) throw tooManyRequests(dialect, exchange.grant);
  };
  // Who is refused again and again must not cost a read each time.
  if ((route.besideLimit === true || isReadQuickly(route)) && !(await deps.isUsedUp(principal, limitGroup))) {
    return { renderGrant, counted: take() };
  }
  await take();
  return { renderGrant };
}

/** Whether the request may be read and checked while it is counted. */
const isReadQuickly = ({ body }: Route): boolean => body !== undefined && body.maxBytes <= unbudgetedRouteBytes;

/** What comes of the work, good or bad, is told only when the count allows the request. */
async function unlessRefused<T>(counted: Promise<void> | undefined, work: () => Promise<T>): Promise<T> {
  if (counted === undefined) return work();
  const working = work();
  // Nobody waits for it once the request is refused.
  working.catch(() => {});
  await counted;
  return working;
}

async function authorize(
  req: Request,
  { principal, pageHost }: Exchange,
  { access }: Route,
  renderGrant: RenderGrant | undefined,
  deps: ExecutorDeps,
): Promise<void> {
  if (access === "public" || principal === undefined) return;
  if (pageHost !== undefined && pageHost.organizationId !== principal.orgId) throw new DomainError("NOT_FOUND");
  if (renderGrant === undefined && !access.scopes.some((scope) => principal.scopes.has(scope))) {
    throw insufficientScope(access.scopes);
  }
  if (!isOpenWhileSuspended(access)) await deps.requireActive(principal, req.method);
  if (principal.user !== undefined) {
    requireCsrfToken(
      { method: req.method, headers: req.headers, publicUrl: publicUrlOf(req, deps.publicUrl) },
      principal.user,
    );
  }
}

/** By the Authorization header, or else by the session cookie, which may be renewed on the way. */
async function identify(req: Request, exchange: Exchange, deps: ExecutorDeps): Promise<Principal> {
  const { authorization, cookie } = req.headers;
  const publicUrl = publicUrlOf(req, deps.publicUrl);
  const token = authorization === undefined ? sessionTokenIn(cookie, publicUrl) : undefined;
  if (token === undefined) return deps.authenticate(authorization);
  const { requestId, traceparent } = exchange;
  const { principal, newToken } = await deps.sessions.authenticate(token, {
    ...visitorOf(req, exchange),
    requestId,
    traceparent,
  });
  if (newToken !== undefined) exchange.newCookie = sessionCookie(newToken, principal.user.expiresAt, publicUrl);
  return principal;
}

const visitorOf = (req: Request, { address }: Exchange): { readonly ip: string; readonly userAgent: string } => ({
  ip: address,
  userAgent: (req.headers["user-agent"] ?? "").slice(0, 500),
});

/** What comes twice stays a list, which is no token. */
function tokenOf(req: Request): string | undefined {
  const { token } = readQuery(req.originalUrl, { token: {} });
  return token === undefined ? undefined : String(token);
}

interface ReadingDeps extends Pick<ExecutorDeps, "documentBodies"> {
  readonly validators: Validators;
  readonly room: BodyRoom | undefined;
}

async function readRequest(
  req: Request,
  exchange: Exchange,
  route: Route,
  { validators, room, documentBodies }: ReadingDeps,
): Promise<Omit<RouteRequest, "renderGrant" | "publicUrl" | "pageHost">> {
  const { query: querySpec, body: bodySpec, dialect } = route;
  const idempotencyKey =
    route.idempotencyKey === undefined
      ? ""
      : readIdempotencyKey(req, route.idempotencyKey, dialect.idempotencyKeyInvalid);
  const params = readParams(req.params, route);
  refuseProblems(textProblems(params, route, validators.texts), route);
  const query = querySpec === undefined ? {} : readQuery(req.originalUrl, querySpec.properties);
  refuseProblems(findUnstorable(query), route);
  refuseProblems(validators.query?.(query), route);
  const { value: body, files } = await readAnyBody(req, route, room, documentBodies);
  // Bytes are for the operation itself to read.
  if (body !== undefined && !Buffer.isBuffer(body)) refuseProblems(validators.body?.(body), route);
  else if (body === undefined && bodySpec?.required === true && files.length === 0) {
    throw new DomainError(dialect.validationFailed, { message: "A body is required. Send a JSON object." });
  }
  return {
    method: req.method,
    params,
    query,
    body: body ?? {},
    files,
    caller: callerOf(exchange, lockTokenIn(req.headers)),
    scopes: exchange.principal?.scopes ?? noScopes,
    user: exchange.principal?.user,
    observed: { ip: exchange.address, userAgent: (req.headers["user-agent"] ?? "").slice(0, 1_000) },
    idempotencyKey,
    headers: req.headers,
  };
}

const noScopes: ReadonlySet<string> = new Set();

/** What a body says, and the documents in it. */
async function readAnyBody(
  req: Request,
  { body, dialect }: Route,
  room: BodyRoom | undefined,
  documentBodies: ReadingDeps["documentBodies"],
): Promise<ReadDocuments> {
  if (body === undefined) return { value: undefined, files: [] };
  if (body.documents === undefined) return { value: await readBody(req, body, dialect, room), files: [] };
  return readDocumentBody(req, { ...body.documents, maxBytes: body.maxBytes }, dialect, { room, documentBodies });
}

function refuseProblems(details: ReturnType<Validate> | undefined, { dialect }: Route): void {
  if (details !== undefined && details.length > 0) throw new DomainError(dialect.validationFailed, { details });
}

/** On public routes nobody calls, and nothing behind them asks who does. */
const callerOf = ({ principal, requestId, traceparent }: Exchange, lockToken: string): RouteRequest["caller"] => ({
  orgId: (principal?.orgId ?? "") as Principal["orgId"],
  clientId: principal?.clientId ?? "",
  requestId,
  traceparent,
  ...(lockToken === "" ? {} : { lockToken }),
});

const hostPattern = /^(?:[a-z0-9_-]+(?:\.[a-z0-9_-]+)*|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i;

/**
 * The API's public address: as configured, or else where this request was sent according to trusted proxies.
 * Empty if the Host header is unusable, so that links become relative.
 */
export function publicUrlOf(req: Pick<Request, "protocol" | "host">, configured: string): string {
  if (configured !== "") return configured;
  const { protocol, host } = req;
  return typeof host === "string" && host.length <= 255 && hostPattern.test(host) ? `${protocol}://${host}` : "";
}

/** The same at the host name of an organization, whose pages call themselves by it. */
function publicUrlAt(req: Request, { pageHost }: Exchange, configured: string): string {
  return atHost(publicUrlOf(req, configured), pageHost?.host);
}
