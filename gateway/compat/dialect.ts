import { DomainError, type ErrorCode, errorCatalogue } from "#platform/errors.ts";
import type { ErrorDialect } from "../http/error-dialect.ts";

/**
 * The DocuSign-compatible interface: our error bodies and codes, with messages that start with DocuSign's code,
 * because many clients search the message for it.
 */
export const compatDialect: ErrorDialect = {
  validationFailed: "VALIDATION_FAILED",
  payloadTooLarge: "PAYLOAD_TOO_LARGE",
  rateLimited: "RATE_LIMIT_EXCEEDED",
  idempotencyKeyInvalid: "VALIDATION_FAILED",
  busy: "SERVICE_UNAVAILABLE",
  headers: (requestId) => ({ "X-DocuSign-TraceToken": requestId }),
  body: (error, requestId) => {
    const { code, details } = error;
    const body = { errorCode: code, message: compatMessage(error), requestId };
    if (details.length === 0) return body;
    return { ...body, details: details.map(({ field, code, message }) => ({ field, code, message })) };
  },
};

/** What DocuSign calls an error. */
function docusignCode(error: DomainError): string {
  const { code, metadata, details } = error;
  if (code === "INVALID_ENVELOPE_STATUS" && metadata.operation === "void") return "ENVELOPE_CANNOT_VOID_INVALID_STATE";
  if (code === "VALIDATION_FAILED") {
    if (details.some((detail) => detail.code === "TAB_OUT_OF_BOUNDS")) return "TAB_OUT_OF_BOUNDS";
    if (details.length === 0 && /^(The|A) body /.test(saidBy(error))) return "INVALID_REQUEST_BODY";
  }
  return codes[code] ?? "UNSPECIFIED_ERROR";
}

/**
 * The message prefixed with DocuSign's code. Includes the invalid fields, because clients often show nothing
 * else.
 */
function compatMessage(error: DomainError): string {
  const problems = error.details.slice(0, maxNamed).map(({ field, message }) => withoutStop(`${field} ${message}`));
  const more = error.details.length > maxNamed ? ` And ${error.details.length - maxNamed} more.` : "";
  const named = problems.length === 0 ? "" : ` ${problems.join("; ")}.${more}`;
  return `${docusignCode(error)}: ${saidBy(error)}${named}`;
}

/** List items end without a full stop, which the list adds. */
const withoutStop = (text: string): string => text.trim().replace(/\.$/, "");

const maxNamed = 5;

/** The original message: route dialects recreate validation errors without it. */
function saidBy({ code, message, cause }: DomainError): string {
  const isRenewed = message === errorCatalogue[code].message && cause instanceof DomainError;
  return isRenewed ? cause.message : message;
}

/** Codes without a row map to UNSPECIFIED_ERROR. */
const codes: Readonly<Partial<Record<ErrorCode, string>>> = {
  UNAUTHORIZED: "USER_AUTHENTICATION_FAILED",
  INVALID_TOKEN: "AUTHORIZATION_INVALID_TOKEN",
  TOKEN_EXPIRED: "AUTHORIZATION_INVALID_TOKEN",
  INSUFFICIENT_SCOPE: "USER_LACKS_PERMISSIONS",
  ORGANIZATION_SUSPENDED: "ACCOUNT_HAS_BEEN_SUSPENDED",
  ACCOUNT_NOT_FOUND: "USER_LACKS_MEMBERSHIP",
  NOT_FOUND: "RESOURCE_NOT_FOUND",
  METHOD_NOT_ALLOWED: "INVALID_REQUEST_METHOD",
  UNSUPPORTED_MEDIA_TYPE: "INVALID_CONTENT_TYPE",
  PAYLOAD_TOO_LARGE: "MAX_REQUEST_SIZE_EXCEEDED",
  RATE_LIMIT_EXCEEDED: "HOURLY_APIINVOCATION_LIMIT_EXCEEDED",
  SERVICE_UNAVAILABLE: "SERVICE_UNAVAILABLE",
  VALIDATION_FAILED: "INVALID_REQUEST_PARAMETER",
  IDEMPOTENCY_KEY_REUSED: "INVALID_REQUEST_PARAMETER",
  ENVELOPE_NOT_FOUND: "ENVELOPE_DOES_NOT_EXIST",
  TEMPLATE_NOT_FOUND: "TEMPLATE_ID_INVALID",
  ENVELOPE_CANNOT_BE_MODIFIED: "ENVELOPE_INVALID_STATUS",
  ENVELOPE_ALREADY_SENT: "ENVELOPE_INVALID_STATUS",
  ENVELOPE_LOCKED: "EDIT_LOCK_NOT_LOCK_OWNER",
  ENVELOPE_NOT_LOCKED: "EDIT_LOCK_ENVELOPE_NOT_LOCKED",
  INVALID_ENVELOPE_STATUS: "ENVELOPE_INVALID_STATUS",
  LEGAL_HOLD: "ENVELOPE_INVALID_STATUS",
  DOCUMENTS_REQUIRED: "ENVELOPE_IS_INCOMPLETE",
  RECIPIENTS_REQUIRED: "ENVELOPE_IS_INCOMPLETE",
  DOCUMENT_NOT_FOUND: "DOCUMENT_DOES_NOT_EXIST",
  DOCUMENT_ERASED: "DOCUMENT_DOES_NOT_EXIST",
  INVALID_DOCUMENT_FORMAT: "UNABLE_TO_CONVERT_DOCUMENT",
  DOCUMENT_TOO_LARGE: "DOCUMENT_EXCEEDS_MAX_SIZE",
  INVALID_BASE64: "INVALID_REQUEST_PARAMETER",
  CORRUPTED_DOCUMENT: "UNABLE_TO_LOAD_DOCUMENT",
  RECIPIENT_NOT_FOUND: "UNKNOWN_ENVELOPE_RECIPIENT",
  RECIPIENT_NOT_EMBEDDED: "UNKNOWN_ENVELOPE_RECIPIENT",
  RECIPIENT_NOT_IN_SEQUENCE: "RECIPIENT_NOT_IN_SEQUENCE",
  RECIPIENT_ALREADY_SIGNED: "RECIPIENT_UPDATE_FAILED",
  INVALID_EMAIL: "INVALID_EMAIL_ADDRESS_FOR_RECIPIENT",
  DUPLICATE_RECIPIENT: "INVALID_REQUEST_PARAMETER",
  INVALID_RETURN_URL: "INVALID_REQUEST_PARAMETER",
  VIEW_URL_EXPIRED: "INVALID_REQUEST_PARAMETER",
  TAB_NOT_FOUND: "TAB_DOES_NOT_EXIST",
  ANCHOR_TAB_STRING_NOT_FOUND: "ANCHOR_TAB_STRING_NOT_FOUND",
  BULK_LIST_NOT_FOUND: "BULK_SEND_LIST_DOES_NOT_EXIST",
  BULK_BATCH_NOT_FOUND: "BULK_SEND_BATCH_DOES_NOT_EXIST",
  BRAND_NOT_FOUND: "INVALID_BRAND_ID",
  SUBSCRIPTION_NOT_FOUND: "CONNECT_CONFIGURATION_DOES_NOT_EXIST",
  WEBHOOK_DELIVERY_NOT_FOUND: "CONNECT_LOG_DOES_NOT_EXIST",
  CONNECT_SECRET_NOT_FOUND: "CONNECT_SECRET_DOES_NOT_EXIST",
  FOLDER_NOT_FOUND: "FOLDER_DOES_NOT_EXIST",
};
