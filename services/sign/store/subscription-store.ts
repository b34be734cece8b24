import type pg from "pg";
import type { OrgId } from "#platform/ids.ts";
import type { JsonObject } from "../domain/agreement.ts";
import { inTransaction } from "./transaction.ts";

/** Where the events of an organization's agreements are sent, as its integration said it. */
export interface Subscription {
  /** Decimal digits. */
  readonly id: string;
  readonly settings: JsonObject;
  readonly createdAt: Date;
}

const columns = `id, settings, created_at as "createdAt"`;

/** False when the number is taken. */
export const insertSubscription = (pool: pg.Pool, orgId: OrgId, subscription: Subscription): Promise<boolean> =>
  inTransaction(orgId, pool, async (client) => {
    const { rowCount } = await client.query(
      `insert into sign.subscription (organization_id, id, settings, created_at) values ($1, $2, $3, $4)
        on conflict do nothing`,
      [orgId, subscription.id, subscription.settings, subscription.createdAt],
    );
    return rowCount === 1;
  });

export const findSubscription = (pool: pg.Pool, orgId: OrgId, id: string): Promise<Subscription | undefined> =>
  inTransaction(orgId, pool, async (client) => {
    const { rows } = await client.query<Subscription>(
      `select ${columns} from sign.subscription where organization_id = $1 and id = $2`,
      [orgId, id],
    );
    return rows[0];
  });

const maxListed = 1_000;

export const listSubscriptions = (pool: pg.Pool, orgId: OrgId): Promise<Subscription[]> =>
  inTransaction(orgId, pool, async (client) => {
    const { rows } = await client.query<Subscription>(
      `select ${columns} from sign.subscription where organization_id = $1 order by created_at, id limit ${maxListed}`,
      [orgId],
    );
    return rows;
  });

/** Undefined when there is none. */
export const replaceSubscription = (
  pool: pg.Pool,
  orgId: OrgId,
  id: string,
  settings: JsonObject,
): Promise<Subscription | undefined> =>
  inTransaction(orgId, pool, async (client) => {
    const { rows } = await client.query<Subscription>(
      `update sign.subscription set settings = $3 where organization_id = $1 and id = $2 returning ${columns}`,
      [orgId, id, settings],
    );
    return rows[0];
  });

/** False when there is none. */
export const deleteSubscription = (pool: pg.Pool, orgId: OrgId, id: string): Promise<boolean> =>
  inTransaction(orgId, pool, async (client) => {
    const { rowCount } = await client.query("delete from sign.subscription where organization_id = $1 and id = $2", [
      orgId,
      id,
    ]);
    return rowCount === 1;
  });
