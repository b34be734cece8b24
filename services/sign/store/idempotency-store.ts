import type pg from "pg";
import type { OrgId } from "#platform/ids.ts";

/** A key that a caller sent with a request. */
export interface KeyedRequest {
  readonly key: string;
  /** SHA-256 of the request that the key belongs to. */
  readonly requestHash: Uint8Array;
}

export type KeyUse =
  /** Nobody has used the key. */
  | { readonly kind: "new" }
  /** The same request made or sent this agreement. */
  | { readonly kind: "replay"; readonly agreementId: string }
  /** Another request has used the key. */
  | { readonly kind: "conflict" };

export async function findKey(
  orgId: OrgId,
  client: pg.PoolClient,
  { key, requestHash }: KeyedRequest,
): Promise<KeyUse> {
  const { rows } = await client.query<{ agreementId: string; isSame: boolean }>({
    name: "sign-find-key",
    text: `select agreement_id as "agreementId", request_hash = $3 as "isSame"
     from sign.idempotency_key where organization_id = $1 and key = $2`,
    values: [orgId, key, Buffer.from(requestHash)],
  });
  const [row] = rows;
  if (row === undefined) return { kind: "new" };
  return row.isSame ? { kind: "replay", agreementId: row.agreementId } : { kind: "conflict" };
}

/**
 * Takes the key for what this transaction does. While another transaction holds the key, waits for its end: "new" says
 * that the key belongs to this transaction, anything else that it has been used meanwhile.
 */
export async function takeKey(
  orgId: OrgId,
  client: pg.PoolClient,
  request: KeyedRequest,
  target: { readonly agreementId: string; readonly now: Date },
): Promise<KeyUse> {
  const { rowCount } = await client.query({
    name: "sign-take-key",
    text: `insert into sign.idempotency_key (organization_id, key, request_hash, agreement_id, created_at)
     values ($1, $2, $3, $4, $5) on conflict (organization_id, key) do nothing`,
    values: [orgId, request.key, Buffer.from(request.requestHash), target.agreementId, target.now],
  });
  return rowCount === 1 ? { kind: "new" } : findKey(orgId, client, request);
}
