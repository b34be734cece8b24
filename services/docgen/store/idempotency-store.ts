import { createIdempotencyKeys, type KeyedRequest as Keyed, type KeyUse } from "#platform/db/idempotency-keys.ts";
import type { Tenant } from "#platform/db/pool.ts";
import { schema } from "./orm.ts";

export type { KeyUse } from "#platform/db/idempotency-keys.ts";

const keysFor = (operation: string) => createIdempotencyKeys({ schema, target: "target_id", operation });
const keys = { document: keysFor("document"), batch: keysFor("batch") };

/** A key that a caller sent with a request. */
export interface KeyedRequest extends Keyed {
  readonly operation: keyof typeof keys;
}

export const keyedRequest = (
  operation: KeyedRequest["operation"],
  { idempotencyKey: key, requestHash }: { readonly idempotencyKey: string; readonly requestHash: Uint8Array },
): KeyedRequest | undefined => (key === "" ? undefined : { key, operation, requestHash });

export const takeKey = (
  tenant: Tenant,
  request: KeyedRequest,
  target: { readonly id: string; readonly createdAt: Date },
): Promise<KeyUse> => keys[request.operation].takeKey(tenant, request, target);

export type EarlierUse = Exclude<KeyUse, { kind: "new" }>;

/** What was made with the key before; undefined when nobody has used it. */
export async function findEarlierUse(
  tenant: Tenant,
  request: KeyedRequest,
  now: Date,
): Promise<EarlierUse | undefined> {
  const use = await keys[request.operation].findKey(tenant, request, now);
  return use.kind === "new" ? undefined : use;
}
