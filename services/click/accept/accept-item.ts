import type { Caller } from "#platform/caller.ts";
import { DomainError } from "#platform/errors.ts";
import type { AcceptBody, ParseAcceptBody } from "./accept-body.ts";
import type { KeyHasher } from "./key-hasher.ts";

/** One acceptance as it comes in. */
export interface AcceptItem {
  readonly caller: Caller;
  /** The network side of the request. */
  readonly observed: { readonly ip: string; readonly userAgent: string };
  readonly idempotencyKey: string;
  /** Canonical JSON. */
  readonly bytes: Uint8Array;
  /** What a repetition must be equal in, when that is more than the acceptance itself. */
  readonly compared?: Uint8Array;
  /** Set when the acceptance completes its session as well. */
  readonly completion?: { readonly reason: string | null };
}

/** An acceptance whose shape is right. */
export interface CheckedItem extends Omit<AcceptItem, "bytes" | "compared"> {
  readonly body: AcceptBody;
  readonly idempotencyHash: Buffer;
  readonly bodyHash: Buffer;
}

const keyPattern = /^[\x20-\x7e]{1,255}$/;

/** Checks what needs no look-up; throws CLICK_IDEMPOTENCY_KEY_INVALID or CLICK_VALIDATION_FAILED. */
export function checkItem(item: AcceptItem, deps: { parse: ParseAcceptBody; keys: KeyHasher }): CheckedItem {
  const { bytes, compared = bytes, ...rest } = item;
  if (!keyPattern.test(item.idempotencyKey)) throw new DomainError("CLICK_IDEMPOTENCY_KEY_INVALID");
  const parsed = deps.parse(bytes);
  if (parsed.kind === "invalid") throw new DomainError("CLICK_VALIDATION_FAILED", { details: parsed.problems });
  const { orgId } = item.caller;
  return {
    ...rest,
    body: parsed.body,
    idempotencyHash: deps.keys.idempotencyHash(orgId, item.idempotencyKey),
    bodyHash: deps.keys.bodyHash(orgId, compared),
  };
}
