import type { ErrorCode } from "#platform/errors.ts";

/** An answer that every address can give, before or instead of the operation there. */
interface GeneralAnswer {
  readonly status: number;
  readonly code: ErrorCode;
  readonly when: string;
}

export const generalAnswers: readonly GeneralAnswer[] = [
  {
    status: 400,
    code: "VALIDATION_FAILED",
    when: "The request is not valid HTTP, its path is no percent-encoded UTF-8, the header Host is missing, or Host, Authorization or Content-Type was sent more than once.",
  },
  {
    status: 404,
    code: "NOT_FOUND",
    when: "No operation has this path. Under /v1/gen/ and /batches as not_found in the body of document generation.",
  },
  {
    status: 405,
    code: "METHOD_NOT_ALLOWED",
    when: "The path has no such method. The header Allow lists those it has. Under /v1/gen/ and /batches as method_not_allowed in the body of document generation.",
  },
  { status: 408, code: "VALIDATION_FAILED", when: "The request took too long to arrive." },
  {
    status: 429,
    code: "RATE_LIMIT_EXCEEDED",
    when: "One network address sends far more than any client may, or keeps failing to authenticate. Wait for the seconds in Retry-After.",
  },
  {
    status: 429,
    code: "CLICK_RATE_LIMITED",
    when: "The same, under /v1/click/.",
  },
  {
    status: 429,
    code: "GEN_RATE_LIMITED",
    when: "The same, under /v1/gen/ and /batches, as rate_limited in the body of document generation.",
  },
  { status: 431, code: "PAYLOAD_TOO_LARGE", when: "The head of the request is larger than 16 KiB." },
];
