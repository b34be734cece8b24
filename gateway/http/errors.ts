import { Code, ConnectError } from "@connectrpc/connect";
import { DomainError, type ErrorCode, errorCatalogue, fromConnectError } from "#platform/errors.ts";
import type { Logger } from "#platform/logger.ts";
import { asOutage } from "#platform/outage.ts";
import { bodyPath } from "./body-path.ts";
import type { ErrorDialect } from "./error-dialect.ts";
import type { Exchange } from "./exchange.ts";
import { jsonReply, type Reply } from "./reply.ts";

/** The body of a request that failed, and where its table has what a service calls by its place in the message. */
interface Sent {
  readonly body?: unknown;
  readonly pathOf?: ((path: string) => string) | undefined;
}

/** The answer to a request that failed. What is no expected error is logged with its stack and told to nobody. */
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
  // How many problems there were, when not all are listed.
  const said = metadata.problems === undefined ? {} : { message: error.message };
  return new DomainError(validationFailed, { ...said, details, metadata, cause: error });
}

/** Services know the messages that were made of a body; callers know the body. */
const placed = (error: DomainError, { body, pathOf = (path) => path }: Sent): DomainError =>
  new DomainError(error.code, {
    message: error.message,
    details: error.details.map((problem) => ({ ...problem, field: bodyPath(pathOf(problem.field), body) })),
    metadata: error.metadata,
    cause: error,
  });

/** An error of the wire that none of our services has raised by name. */
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
]);

/** RFC 6750 §3 and RFC 6749 §5.2: a 401 says which scheme it wants. */
function challengeOf(code: ErrorCode): string | undefined {
  if (code === "UNAUTHORIZED") return 'Bearer realm="assent"';
  if (code === "INVALID_TOKEN" || code === "TOKEN_EXPIRED") return 'Bearer realm="assent", error="invalid_token"';
  if (sessionCodes.has(code)) return 'Session realm="assent"';
  if (code === "INSUFFICIENT_SCOPE") return 'Bearer realm="assent", error="insufficient_scope"';
  return code === "OAUTH_INVALID_CLIENT" ? 'Basic realm="assent"' : undefined;
}
