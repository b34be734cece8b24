import { factsOf, genErrorName } from "#api/generation-errors.ts";
import { DomainError, type ErrorCode, errorCatalogue } from "#platform/errors.ts";
import type { Grant } from "../limits/window-store.ts";

/** The body of an error of document generation. */
export const genErrorBody = (error: DomainError): Readonly<Record<string, unknown>> => ({
  code: genErrorName(error.code),
  message: error.message,
  details: detailsOf(error),
});

function detailsOf({ code, details, metadata }: DomainError): Record<string, unknown> {
  // A caller who is refused before authentication has no plan yet.
  const facts = { ...(code === "GEN_RATE_LIMITED" ? { plan: null } : {}), ...factsOf(metadata) };
  if (details.length === 0) return facts;
  if (code === "GEN_TEMPLATE_ERROR") return { ...facts, errors: details.map(templateFinding) };
  return { ...facts, fields: details.map(({ field, code, message }) => ({ field, code, message })) };
}

/** The place of a finding travels as `content:<line>:<column>`. */
function templateFinding({ field, code, message }: DomainError["details"][number]) {
  const [, line, column] = /:(\d+):(\d+)$/.exec(field) ?? [];
  return { code, message, line: placeOf(line), column: placeOf(column) };
}

/** Places begin with 1; null when a finding has none. */
const placeOf = (text: string | undefined): number | null => (text === undefined || text === "0" ? null : Number(text));

/** The codes that a family of operations uses for the gateway's own errors, and its error body. */
export interface ErrorDialect {
  readonly validationFailed: ErrorCode;
  readonly payloadTooLarge: ErrorCode;
  readonly rateLimited: ErrorCode;
  readonly idempotencyKeyInvalid: ErrorCode;
  /** There is no room for the request right now. */
  readonly busy: ErrorCode;
  body(error: DomainError, requestId: string): Readonly<Record<string, unknown>>;
  /** Extra headers of its errors. */
  headers?(requestId: string): Readonly<Record<string, string>>;
}

const standardBody = (error: DomainError, requestId: string): Readonly<Record<string, unknown>> => {
  const body = { errorCode: error.code, message: error.message, requestId };
  if (error.details.length === 0) return body;
  return { ...body, details: error.details.map(({ field, code, message }) => ({ field, code, message })) };
};

/** The dialect of everything that has none of its own, unknown paths included. */
export const standardDialect: ErrorDialect = {
  validationFailed: "VALIDATION_FAILED",
  payloadTooLarge: "PAYLOAD_TOO_LARGE",
  rateLimited: "RATE_LIMIT_EXCEEDED",
  idempotencyKeyInvalid: "VALIDATION_FAILED",
  busy: "SERVICE_UNAVAILABLE",
  body: standardBody,
};

/** Signing; bodies that carry documents are answered DOCUMENT_TOO_LARGE in every dialect. */
export const signDialect: ErrorDialect = { ...standardDialect };

export const clickDialect: ErrorDialect = {
  validationFailed: "CLICK_VALIDATION_FAILED",
  payloadTooLarge: "CLICK_PAYLOAD_TOO_LARGE",
  rateLimited: "CLICK_RATE_LIMITED",
  idempotencyKeyInvalid: "CLICK_IDEMPOTENCY_KEY_INVALID",
  busy: "SERVICE_UNAVAILABLE",
  body: standardBody,
};

/** Document generation: `{ code, message, details }` with codes in lower case. */
export const genDialect: ErrorDialect = {
  validationFailed: "GEN_INVALID_REQUEST",
  payloadTooLarge: "GEN_PAYLOAD_TOO_LARGE",
  rateLimited: "GEN_RATE_LIMITED",
  idempotencyKeyInvalid: "GEN_INVALID_REQUEST",
  busy: "GEN_BUSY",
  body: genErrorBody,
};

/** RFC 6749 §5.2. */
export const oauthDialect: ErrorDialect = {
  validationFailed: "OAUTH_INVALID_REQUEST",
  payloadTooLarge: "OAUTH_INVALID_REQUEST",
  rateLimited: "RATE_LIMIT_EXCEEDED",
  idempotencyKeyInvalid: "OAUTH_INVALID_REQUEST",
  busy: "SERVICE_UNAVAILABLE",
  body: (error) => ({ error: oauthErrorName(error.code), error_description: describe(error) }),
};

/** The windows in which requests are counted. */
const requestWindowSeconds = "60";

/** The refusal of a request for which a client, or its network address, has no budget left. */
export function tooManyRequests({ rateLimited }: ErrorDialect, grant: Grant): DomainError {
  const { limit, retryAfterSeconds, plan } = grant;
  // In document generation the code's own message speaks of the plan, which has its own windows.
  const isShared = rateLimited === "GEN_RATE_LIMITED";
  return new DomainError(rateLimited, {
    ...(isShared ? { message: errorCatalogue.RATE_LIMIT_EXCEEDED.message } : {}),
    metadata: {
      ...(isShared && plan !== undefined ? { plan } : {}),
      limit: String(limit),
      windowSeconds: requestWindowSeconds,
      retryAfterSeconds: String(retryAfterSeconds),
    },
  });
}

/** The name that RFC 6749 has for an error. */
export function oauthErrorName(code: ErrorCode): string {
  switch (code) {
    case "OAUTH_INVALID_CLIENT":
      return "invalid_client";
    case "OAUTH_INVALID_GRANT":
      return "invalid_grant";
    case "OAUTH_INVALID_SCOPE":
      return "invalid_scope";
    case "OAUTH_UNSUPPORTED_GRANT_TYPE":
      return "unsupported_grant_type";
    case "INTERNAL_ERROR":
      return "server_error";
    case "SERVICE_UNAVAILABLE":
    case "RATE_LIMIT_EXCEEDED":
      return "temporarily_unavailable";
    default:
      return "invalid_request";
  }
}

/** RFC 6749 has no place for details, and allows printable ASCII without quotes and backslashes only. */
function describe(error: DomainError): string {
  const problems = error.details.map(({ field, message }) => `${field} ${message}.`);
  return [error.message, ...problems]
    .join(" ")
    .replaceAll('"', "'")
    .replaceAll(/[^\x20-\x21\x23-\x5b\x5d-\x7e]/g, "?");
}
