import type pg from "pg";
import type { OrgId } from "#platform/ids.ts";
import type { Attempt } from "../domain/delivery.ts";
import { type Settled, settleSql, settleValues } from "./delivery-store.ts";

/** What becomes of a delivery by an attempt, which is its last one so far. The delivery is locked. */
export async function settleAttempted(
  client: pg.PoolClient,
  orgId: OrgId,
  settled: Settled,
  { at, statusCode, durationMs, error, response, url }: Attempt,
): Promise<void> {
  await client.query({
    name: "webhooks-settle-attempted",
    text: `with settled as (${settleSql})
     insert into webhooks.attempt (organization_id, delivery_id, number, at, status_code, duration_ms, error, response, url)
     values ($1, $2, $4, $8, $9, $10, $11, $12, $13)`,
    values: [...settleValues(orgId, settled), at, statusCode, durationMs, error, response, url],
  });
}

/** The latest attempts of each of these deliveries, the latest first. */
export async function latestAttempts(
  client: pg.PoolClient,
  orgId: OrgId,
  { deliveryIds, limit }: { readonly deliveryIds: readonly string[]; readonly limit: number },
): Promise<ReadonlyMap<string, readonly Attempt[]>> {
  if (deliveryIds.length === 0) return new Map();
  const { rows } = await client.query<Attempt & { deliveryId: string }>({
    name: "webhooks-latest-attempts",
    text: `select i.id as "deliveryId", a.at, a.status_code as "statusCode", a.duration_ms as "durationMs", a.error,
       a.response, a.url
     from unnest($2::uuid[]) as i (id) cross join lateral (
       select * from webhooks.attempt a
       where a.organization_id = $1 and a.delivery_id = i.id order by a.number desc limit $3
     ) a order by i.id, a.number desc`,
    values: [orgId, deliveryIds, limit],
  });
  const byDelivery = Map.groupBy(rows, ({ deliveryId }) => deliveryId);
  return new Map(
    [...byDelivery].map(([id, attempts]) => [id, attempts.map(({ deliveryId: _, ...attempt }) => attempt)]),
  );
}
