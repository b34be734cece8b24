import type { Tenant } from "#platform/db/pool.ts";
import { keyLifetimeMs } from "../domain/endpoint.ts";

/** A key that a caller sent with a request. */
export interface KeyedRequest {
  readonly key: string;
  /** SHA-256 of the canonical request. */
  readonly requestHash: Buffer;
  readonly now: Date;
}

export type KeyUse =
  /** Nobody has used the key, or not lately. */
  | { readonly kind: "new" }
  /** The same request made this endpoint. */
  | { readonly kind: "replay"; readonly endpointId: string }
  /** Another request has used the key. */
  | { readonly kind: "conflict" };

export async function findKey({ orgId, client }: Tenant, { key, requestHash, now }: KeyedRequest): Promise<KeyUse> {
  const { rows } = await client.query<{ endpointId: string; isSame: boolean }>({
    name: "webhooks-find-key",
    text: `select endpoint_id as "endpointId", request_hash = $3 as "isSame"
     from webhooks.idempotency_key where organization_id = $1 and key = $2 and created_at > $4`,
    values: [orgId, key, requestHash, expiredBefore(now)],
  });
  const [row] = rows;
  if (row === undefined) return { kind: "new" };
  return row.isSame ? { kind: "replay", endpointId: row.endpointId } : { kind: "conflict" };
}

/**
 * Takes the key for what this transaction makes. While another transaction holds the key, waits for its end: "new" says
 * that the key belongs to this transaction, anything else that it has been used meanwhile.
 */
export async function takeKey(tenant: Tenant, request: KeyedRequest, endpointId: string): Promise<KeyUse> {
  const { rowCount } = await tenant.client.query({
    name: "webhooks-take-key",
    text: `insert into webhooks.idempotency_key as k (organization_id, key, request_hash, endpoint_id, created_at)
     values ($1, $2, $3, $4, $5)
     on conflict (organization_id, key) do update set
       request_hash = excluded.request_hash, endpoint_id = excluded.endpoint_id, created_at = excluded.created_at
     where k.created_at <= $6`,
    values: [tenant.orgId, request.key, request.requestHash, endpointId, request.now, expiredBefore(request.now)],
  });
  return rowCount === 1 ? { kind: "new" } : findKey(tenant, request);
}

const expiredBefore = (now: Date): Date => new Date(now.getTime() - keyLifetimeMs);
