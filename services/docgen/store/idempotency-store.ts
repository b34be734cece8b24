import type { Tenant } from "#platform/db/pool.ts";

/** A key that a caller sent with a request. */
export interface KeyedRequest {
  readonly key: string;
  readonly operation: "document" | "batch";
  /** SHA-256 of the canonical request. */
  readonly requestHash: Uint8Array;
}

export type KeyUse =
  /** Nobody has used the key. */
  | { readonly kind: "new" }
  /** The same request made this document or batch. */
  | { readonly kind: "replay"; readonly targetId: string }
  /** Another request has used the key. */
  | { readonly kind: "conflict" };

export async function findKey({ orgId, client }: Tenant, request: KeyedRequest): Promise<KeyUse> {
  const { key, operation, requestHash } = request;
  const { rows } = await client.query<{ targetId: string; isSame: boolean }>({
    name: "docgen-find-key",
    text: `select target_id as "targetId", operation = $3 and request_hash = $4 as "isSame"
     from docgen.idempotency_key where organization_id = $1 and key = $2`,
    values: [orgId, key, operation, Buffer.from(requestHash)],
  });
  const [row] = rows;
  if (row === undefined) return { kind: "new" };
  return row.isSame ? { kind: "replay", targetId: row.targetId } : { kind: "conflict" };
}

/**
 * Takes the key for what this transaction creates. If another transaction holds the key, waits for its end: "new" means
 * that the key belongs to this transaction, anything else that it has been used meanwhile.
 */
export async function takeKey(
  tenant: Tenant,
  request: KeyedRequest,
  target: { readonly id: string; readonly createdAt: Date },
): Promise<KeyUse> {
  const { key, operation, requestHash } = request;
  const { rowCount } = await tenant.client.query({
    name: "docgen-take-key",
    text: `insert into docgen.idempotency_key (organization_id, key, operation, request_hash, target_id, created_at)
     values ($1, $2, $3, $4, $5, $6) on conflict (organization_id, key) do nothing`,
    values: [tenant.orgId, key, operation, Buffer.from(requestHash), target.id, target.createdAt],
  });
  return rowCount === 1 ? { kind: "new" } : findKey(tenant, request);
}
