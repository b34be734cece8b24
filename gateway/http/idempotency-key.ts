import type { Request } from "express";
import { DomainError, type ErrorCode, errorCatalogue } from "#platform/errors.ts";
import { headerCount } from "./client-error.ts";

const headerName = "x-idempotency-key";
const printable = /^[\x20-\x7e]{1,255}$/;

/**
 * The idempotency key of a request; empty when an optional one is missing. Throws when a required one is missing, and
 * for one that was sent more than once or is not what a key may be, with the given code.
 */
export function readIdempotencyKey(req: Request, need: "required" | "optional", invalid: ErrorCode): string {
  const key = req.headers[headerName];
  if (key === undefined && need === "optional") return "";
  if (key === undefined) throw new DomainError("CLICK_IDEMPOTENCY_KEY_REQUIRED");
  // Node joins repeated headers with a comma, which a key may contain.
  if (
    typeof key !== "string" ||
    key.length > 255 ||
    !printable.test(key) ||
    headerCount(req.rawHeaders, headerName) > 1
  ) {
    throw new DomainError(invalid, { message: errorCatalogue.CLICK_IDEMPOTENCY_KEY_INVALID.message });
  }
  return key;
}
