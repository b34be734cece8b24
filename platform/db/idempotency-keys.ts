import { identifier } from "./ddl.ts";
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
export interface KeyTarget {
  readonly id: string;
  readonly now: Date;
}

export interface IdempotencyKeys<Request extends KeyedRequest = KeyedRequest> {
  find(tenant: Tenant, request: Request, now: Date): Promise<KeyUse>;
  /**
   * Takes the key for what this transaction makes. While another transaction holds the key, waits for its end: "new"
   * says that the key belongs to this transaction, anything else that it has been used meanwhile.
   */
  take(tenant: Tenant, request: Request, target: KeyTarget): Promise<KeyUse>;
}

/** The keys in the table `idempotency_key` of a service; `target` is the column that names what was made. */
export function createIdempotencyKeys<const Column extends string = never>(options: {
  readonly schema: string;
  readonly target: string;
  /** Columns, of the request too, in which a repetition must be the same as well. */
  readonly sameToo?: readonly Column[];
  /** After this time a key is free again; for ever when absent. */
  readonly lifetimeMs?: number;
}): IdempotencyKeys<KeyedRequest & { readonly [C in Column]: string }> {
  const { sameToo = [], lifetimeMs } = options;
  const [schema, target] = [identifier(options.schema), identifier(options.target)];
  const columns = ["request_hash", ...sameToo.map(identifier)];
  const places = columns.map((_, index) => `$${index + 3}`);
  const [id, at, expired] = [3, 4, 5].map((place) => `$${place + columns.length}`);
  const set = [...columns, target, "created_at"].map((column) => `${column} = excluded.${column}`).join(", ");
  const conflict =
    lifetimeMs === undefined ? "do nothing" : `do update set ${set} where k.created_at <= ${expired}`;
  const findSql = `select ${target} as "targetId", ${columns.map((column, index) => `${column} = ${places[index]}`).join(" and ")} as "isSame"
    from ${schema}.idempotency_key where organization_id = $1 and key = $2
    ${lifetimeMs === undefined ? "" : `and created_at > $${columns.length + 3}`}`;
  const takeSql = `insert into ${schema}.idempotency_key as k (organization_id, key, ${columns.join(", ")}, ${target}, created_at)
    values ($1, $2, ${places.join(", ")}, ${id}, ${at}) on conflict (organization_id, key) ${conflict}`;
  type Request = KeyedRequest & { readonly [C in Column]: string };
  const valuesOf = ({ orgId }: Tenant, request: Request) => [
    ...[orgId, request.key, Buffer.from(request.requestHash)],
    ...sameToo.map((column) => request[column]),
  ];
  const expiredBefore = (now: Date) => (lifetimeMs === undefined ? [] : [new Date(now.getTime() - lifetimeMs)]);
  const find = async (tenant: Tenant, request: Request, now: Date): Promise<KeyUse> => {
    const values = [...valuesOf(tenant, request), ...expiredBefore(now)];
    const { rows } = await tenant.client.query<{ targetId: string; isSame: boolean }>({
      ...{ name: `${schema}-find-key`, text: findSql, values },
    });
    const [row] = rows;
    if (row === undefined) return { kind: "new" };
    return row.isSame ? { kind: "replay", targetId: row.targetId } : { kind: "conflict" };
  };
  return {
    find,
    take: async (tenant, request, { id, now }) => {
      const values = [...valuesOf(tenant, request), id, now, ...expiredBefore(now)];
      const { rowCount } = await tenant.client.query({ name: `${schema}-take-key`, text: takeSql, values });
      return rowCount === 1 ? { kind: "new" } : find(tenant, request, now);
    },
  };
}
