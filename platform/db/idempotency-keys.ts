import { identifier, literal } from "./ddl.ts";
import type { Tenant } from "./pool.ts";

/** A key that a caller sent with a request. */
export interface KeyedRequest {
  readonly key: string;
  /** SHA-256 of the canonical request. */
  readonly requestHash: Uint8Array;
}

export type KeyUse =
  /** Nobody has used the key, or not lately where keys expire. */
  | { readonly kind: "new" }
  /** The same request made or sent this. */
  | { readonly kind: "replay"; readonly targetId: string }
  /** Another request has used the key. */
  | { readonly kind: "conflict" };

/** What a transaction makes under a key. */
interface Target {
  readonly id: string;
  readonly createdAt: Date;
}

/**
 * The keys in the table `idempotency_key` of a service, whose column `target` names what was made. The same key with
 * another `request_hash` is a conflict, and so is one that another `operation` of a service has used that has several. Keys
 * are free again after their lifetime, where there is one.
 */
export function createIdempotencyKeys(options: {
  schema: string;
  target: string;
  operation?: string;
  lifetimeMs?: number;
}) {
  const [schema, target] = [identifier(options.schema), identifier(options.target)];
  const { lifetimeMs } = options;
  const isExpiring = lifetimeMs !== undefined;
  const operation = options.operation === undefined ? undefined : literal(options.operation);
  const name = (act: string): string => [options.schema, options.operation ?? [], act].flat().join("-");
  const isSame = `request_hash = $3${operation === undefined ? "" : ` and operation = ${operation}`}`;
  const [column, value] = operation === undefined ? ["", ""] : [", operation", `, ${operation}`];
  const findSql = `select ${target} as "targetId", ${isSame} as "isSame" from ${schema}.idempotency_key
    where organization_id = $1 and key = $2${isExpiring ? " and created_at > $4" : ""}`;
  const takeSql = `insert into ${schema}.idempotency_key as k (organization_id, key, request_hash, ${target}, created_at${column})
    values ($1, $2, $3, $4, $5${value}) on conflict (organization_id, key) ${
      isExpiring
        ? `do update set request_hash = excluded.request_hash, ${target} = excluded.${target},
          created_at = excluded.created_at where k.created_at <= $6`
        : "do nothing"
    }`;
  const expired = (now: Date): Date[] => (isExpiring ? [new Date(now.getTime() - lifetimeMs)] : []);

  async function findKey({ orgId, client }: Tenant, { key, requestHash }: KeyedRequest, now: Date): Promise<KeyUse> {
    const { rows } = await client.query<{ targetId: string; isSame: boolean }>({
      name: name("find-key"),
      text: findSql,
      values: [orgId, key, Buffer.from(requestHash), ...expired(now)],
    });
    const [row] = rows;
    if (row === undefined) return { kind: "new" };
    return row.isSame ? { kind: "replay", targetId: row.targetId } : { kind: "conflict" };
  }

  /**
   * Takes the key for what this transaction makes. While another transaction holds the key, waits for its end: "new"
   * says that the key belongs to this transaction, anything else that it has been used meanwhile.
   */
  async function takeKey(tenant: Tenant, request: KeyedRequest, { id, createdAt }: Target): Promise<KeyUse> {
    const { rowCount } = await tenant.client.query({
      name: name("take-key"),
      text: takeSql,
      values: [tenant.orgId, request.key, Buffer.from(request.requestHash), id, createdAt, ...expired(createdAt)],
    });
    return rowCount === 1 ? { kind: "new" } : findKey(tenant, request, createdAt);
  }

  return { findKey, takeKey };
}
