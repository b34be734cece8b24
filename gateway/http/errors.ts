import { Code, ConnectError } from "@connectrpc/connect";
import { tabKinds } from "#api/compat-tab-kinds.ts";
import { DomainError, type ErrorCode, errorCatalogue, fromConnectError } from "#platform/errors.ts";
import type { Logger } from "#platform/logger.ts";
import { asOutage } from "#platform/outage.ts";
import { memberPath } from "#platform/problems.ts";
import type { ErrorDialect } from "./error-dialect.ts";
import type { Exchange } from "./exchange.ts";
import { jsonReply, type Reply } from "./reply.ts";

/** The body of a request that failed, and where its table has what a service calls by its place in the message. */
interface Sent {
  readonly body?: unknown;
  readonly pathOf?: ((path: string) => string) | undefined;
}

/** The response to a failed request. Unexpected errors are logged with their stack and not disclosed. */
export function errorReply(
  thrown: unknown,
  exchange: Exchange,
  dialect: ErrorDialect,
  logger: Logger,
  sent: Sent = {},
): Reply {
  const error = toDomainError(thrown, dialect, sent);
  if (error.code === "INTERNAL_ERROR") {
    const { requestId, traceparent, route } = exchange;
    logger.error({ err: thrown, requestId, traceparent, route }, "request failed");
  }
  const headers = { ...headersOf(error), ...dialect.headers?.(exchange.requestId) };
  return jsonReply(errorCatalogue[error.code].http, dialect.body(error, exchange.requestId), headers);
}

function toDomainError(thrown: unknown, dialect: ErrorDialect, sent: Sent): DomainError {
  // What the gateway itself finds is called by its place in the body already.
  if (thrown instanceof DomainError) return inDialect(thrown, dialect);
  const known = fromConnectError(thrown);
  if (known !== undefined) return inDialect(known.details.length === 0 ? known : placed(known, sent), dialect);
  const outage = asOutage(thrown);
  if (outage !== undefined) return outage;
  return new DomainError(thrown instanceof ConnectError ? codeOf(thrown.code, dialect) : "INTERNAL_ERROR");
}

/** What the services' own validation finds is named as the interface names it. */
function inDialect(error: DomainError, { validationFailed }: ErrorDialect): DomainError {
  if (error.code !== "VALIDATION_FAILED" || validationFailed === error.code) return error;
  const { details, metadata } = error;
  // Mentions the total number of problems when not all are listed.
  const said = metadata.problems === undefined ? {} : { message: error.message };
  return new DomainError(validationFailed, { ...said, details, metadata, cause: error });
}

/** Services know the message built from the body; callers know the body, so paths are translated. */
const placed = (error: DomainError, { body, pathOf = (path) => path }: Sent): DomainError =>
  new DomainError(error.code, {
    message: error.message,
    details: error.details.map((problem) => ({ ...problem, field: bodyPath(pathOf(problem.field), body) })),
    metadata: error.metadata,
    cause: error,
  });

/** For a wire error that none of our services raised by name. */
function codeOf(code: Code, dialect: ErrorDialect): ErrorCode {
  switch (code) {
    case Code.InvalidArgument:
    case Code.OutOfRange:
      return dialect.validationFailed;
    case Code.NotFound:
      return "NOT_FOUND";
    default:
      return "INTERNAL_ERROR";
  }
}

function headersOf(error: DomainError): Record<string, string> {
  const retryAfter = error.metadata.retryAfterSeconds ?? retryAfterOf[error.code];
  const challenge = challengeOf(error.code);
  return {
    ...(retryAfter === undefined ? {} : { "Retry-After": retryAfter }),
    ...(challenge === undefined ? {} : { "WWW-Authenticate": challenge }),
    ...(errorCatalogue[error.code].http === 416 ? { "Content-Range": `bytes */${error.metadata.bytes}` } : {}),
    ...(countedCodes.has(error.code) ? windowHeaders(error) : {}),
    ...(error.code === "METHOD_NOT_ALLOWED" ? { Allow: error.metadata.allow ?? "" } : {}),
  };
}

/** Seconds, where the error itself does not say. */
const retryAfterOf: Readonly<Partial<Record<ErrorCode, string>>> = { SERVICE_UNAVAILABLE: "1", GEN_BUSY: "5" };

/** What a plan or a guard refuses; what refuses the requests of a client says it in the grant instead. */
const countedCodes: ReadonlySet<ErrorCode> = new Set(["GEN_RATE_LIMITED", "RATE_LIMIT_EXCEEDED"]);

function windowHeaders({ metadata: { limit, resetAt } }: DomainError): Record<string, string> {
  if (limit === undefined || resetAt === undefined) return {};
  return { "X-RateLimit-Limit": limit, "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": resetAt };
}

/** What only a login helps against; browsers know no scheme of this name and ask nobody for a password. */
const sessionCodes: ReadonlySet<ErrorCode> = new Set([
  "SESSION_ENDED",
  "LOGIN_FAILED",
  "LOGIN_CODE_INVALID",
  "LOGIN_EXPIRED",
  "PASSKEY_REFUSED",
]);

/** RFC 6750 §3 and RFC 6749 §5.2: a 401 says which scheme it wants. */
function challengeOf(code: ErrorCode): string | undefined {
  if (code === "UNAUTHORIZED") return 'Bearer realm="assent"';
  if (code === "INVALID_TOKEN" || code === "TOKEN_EXPIRED") return 'Bearer realm="assent", error="invalid_token"';
  if (sessionCodes.has(code)) return 'Session realm="assent"';
  if (code === "INSUFFICIENT_SCOPE") return 'Bearer realm="assent", error="insufficient_scope"';
  return code === "OAUTH_INVALID_CLIENT" ? 'Basic realm="assent"' : undefined;
}

type Token = string | number;
type Members = Readonly<Record<string, unknown>>;

/** Where a body has what a message of a service has. */
interface Place {
  readonly value: unknown;
  readonly path: string;
}

/** What messages have around what a body says. */
const wrappers = new Set(["changes", "source", "definition"]);
/** Bodies have the recipients of a message in groups, in this order, and those of DocuSign their tabs by kinds. */
const recipientGroups = ["signers", "carbonCopies", "certifiedDeliveries", "inPersonSigners"];
const tabGroups = tabKinds.map(({ property }) => property);
/** Where bodies have another name for it. */
const aliases: Readonly<Record<string, string>> = { compositions: "compositeTemplates", label: "tabLabel" };

/**
 * The path in the body that was sent, of a problem that a service has found in the message made of it:
 * `definition.recipients[2].tabs[1].label` is `recipients.carbonCopies[0].tabs[1].label`. What the body does not have is
 * named by what it would be in.
 */
export function bodyPath(field: string, body: unknown): string {
  if (!isMembers(body)) return field;
  // Findings in a template's source end in their line and column.
  const [position = ""] = /:\d+:\d+$/.exec(field) ?? [];
  return pathIn(body, field.slice(0, field.length - position.length)) + position;
}

function pathIn(body: Members, field: string): string {
  let place: Place = { value: body, path: "" };
  const tokens = tokensOf(field);
  while (tokens.length > 0) {
    const found = enter(place, tokens);
    if (found === undefined) return missing(place, tokens, field);
    place = found;
  }
  return place.path;
}

/** Takes the tokens that lead to the next place; undefined when the body has none there. */
function enter(place: Place, tokens: Token[]): Place | undefined {
  const [token, next] = tokens;
  if (typeof token === "number") {
    if (!Array.isArray(place.value) || token >= place.value.length) return undefined;
    tokens.shift();
    return { value: place.value[token], path: `${place.path}[${token}]` };
  }
  if (!isMembers(place.value) || token === undefined) return undefined;
  if (typeof next === "number") {
    const found = inGroups(place, token, next) ?? inLayers(place, token, next);
    if (found !== undefined) {
      tokens.splice(0, 2);
      return found;
    }
  }
  const member = memberOf(place, token) ?? memberOf(place, aliases[token] ?? token);
  if (member === undefined && !wrappers.has(token)) return undefined;
  tokens.shift();
  return member ?? place;
}

function inGroups(place: Place, name: string, index: number): Place | undefined {
  const groups = name === "recipients" ? recipientGroups : name === "tabs" ? tabGroups : [];
  if (groups.length === 0) return undefined;
  const holder = memberOf(place, name) ?? place;
  if (Array.isArray(holder.value)) return undefined;
  let before = 0;
  for (const group of groups) {
    const list = memberOf(holder, group);
    if (!Array.isArray(list?.value)) continue;
    const items = [...list.value.entries()].filter(([, item]) => isMembers(item));
    const found = items[index - before];
    if (found !== undefined) return { value: found[1], path: `${list.path}[${found[0]}]` };
    before += items.length;
  }
  // The address named the only one, and the body is what is said of it.
  return name === "recipients" && memberOf(place, name) === undefined && before === 0 ? place : undefined;
}

/** A layer of a body that names a template and says more is two of a message. */
function inLayers(place: Place, name: string, index: number): Place | undefined {
  const list = name === "layers" ? memberOf(place, name) : undefined;
  if (!Array.isArray(list?.value)) return undefined;
  let before = 0;
  for (const [at, layer] of list.value.entries()) {
    const { templateId, ...content } = isMembers(layer) ? layer : {};
    before += (typeof templateId === "string" ? 1 : 0) + (Object.keys(content).length > 0 ? 1 : 0);
    if (index < before) return { value: layer, path: `${list.path}[${at}]` };
  }
  return undefined;
}

function missing({ path }: Place, tokens: readonly Token[], field: string): string {
  const [token, ...rest] = tokens;
  // The id of what stands in the way is no path.
  const isName = typeof token === "string" && (path !== "" || /^[A-Za-z_]\w*$/.test(token));
  if (rest.length === 0 && isName) return memberPath(path, token);
  return path === "" ? field : path;
}

/** Names in small letters or others, as the compatible interface reads them. */
function memberOf({ value, path }: Place, name: string): Place | undefined {
  if (!isMembers(value)) return undefined;
  const sent = Object.hasOwn(value, name)
    ? name
    : Object.keys(value).find((key) => key.toLowerCase() === name.toLowerCase());
  return sent === undefined ? undefined : { value: value[sent], path: memberPath(path, sent) };
}

const isMembers = (value: unknown): value is Members =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array);

/** `a_b[2]["c d"].e` is aB, 2, "c d" and e; names of messages are those of JSON. */
function tokensOf(field: string): Token[] {
  return [...field.matchAll(/\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]|([^.[\]]+)/g)].map(([, index, quoted, name = ""]) => {
    if (index !== undefined) return Number(index);
    if (quoted !== undefined) return textIn(quoted);
    return name.replaceAll(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase());
  });
}

function textIn(quoted: string): string {
  try {
    return String(JSON.parse(quoted));
  } catch {
    return quoted;
  }
}
