import type { DomainError, ErrorCode } from "#platform/errors.ts";

/** How a family of operations names the errors that the gateway itself finds, and what its error body looks like. */
export interface ErrorDialect {
  readonly validationFailed: ErrorCode;
  readonly payloadTooLarge: ErrorCode;
  readonly rateLimited: ErrorCode;
  body(error: DomainError, requestId: string): Readonly<Record<string, unknown>>;
}

const standardBody = (error: DomainError, requestId: string): Readonly<Record<string, unknown>> => {
  const body = { errorCode: error.code, message: error.message, requestId };
  if (error.details.length === 0) return body;
  return { ...body, details: error.details.map(({ field, code, message }) => ({ field, code, message })) };
};

/** Of everything that has no dialect of its own, unknown addresses included. */
export const standardDialect: ErrorDialect = {
  validationFailed: "VALIDATION_FAILED",
  payloadTooLarge: "PAYLOAD_TOO_LARGE",
  rateLimited: "RATE_LIMIT_EXCEEDED",
  body: standardBody,
};

export const clickDialect: ErrorDialect = {
  validationFailed: "CLICK_VALIDATION_FAILED",
  payloadTooLarge: "CLICK_PAYLOAD_TOO_LARGE",
  rateLimited: "CLICK_RATE_LIMITED",
  body: standardBody,
};

/** RFC 6749 §5.2. */
export const oauthDialect: ErrorDialect = {
  validationFailed: "OAUTH_INVALID_REQUEST",
  payloadTooLarge: "OAUTH_INVALID_REQUEST",
  rateLimited: "RATE_LIMIT_EXCEEDED",
  body: (error) => ({ error: oauthErrorName(error.code), error_description: describe(error) }),
};

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
