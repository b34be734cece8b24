import type { KeyedRequest } from "./change-agreement.ts";

/** The key of a request that may be repeated; undefined when it has none. */
export const keyedRequest = (request: {
  readonly idempotencyKey: string;
  readonly requestHash: Uint8Array;
}): KeyedRequest | undefined =>
  request.idempotencyKey === "" ? undefined : { key: request.idempotencyKey, requestHash: request.requestHash };
