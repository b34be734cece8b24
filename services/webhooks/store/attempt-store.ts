import type { Tenant } from "#platform/db/pool.ts";
import type { Attempt } from "../domain/delivery.ts";
import { type Settled, settleSql, settleValues } from "./delivery-store.ts";

/** What becomes of a delivery by an attempt, which is its last one so far. The delivery is locked. */
export async function settleAttempted(
  { orgId, client }: Tenant,
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
  { orgId, client }: Tenant,
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

/** So many rows, one statement never runs into its time limit. */
const batchLength = 1_000;

/**
 * Nothing that waits for the receiver is sent any more. The caller has made sure that nothing new is added: it has the
 * row of the endpoint locked and disables or deletes it. What others have locked is left to them: whoever is about to
 * send it finds the endpoint disabled.
 */
export async function giveUpWaiting({ orgId, client }: Tenant, receiverId: string): Promise<number> {
  let total = 0;
  let last: Last = { count: 0, dueAt: null, sequence: null };
  do {
    const { rows } = await client.query<Last>({
      name: "webhooks-give-up",
      text: giveUpSql,
      values: [orgId, receiverId, last.dueAt, last.sequence],
    });
    last = rows[0] ?? { count: 0, dueAt: null, sequence: null };
    total += last.count;
  } while (last.count === batchLength);
  return total;
}

/** Where a batch ended. */
interface Last {
  readonly count: number;
  readonly dueAt: Date | null;
  readonly sequence: string | null;
}

// Goes on behind the last row of the batch before: from the front, each would walk over what the others have changed.
const giveUpSql = `with waiting as materialized (
    select id, due_at, sequence from webhooks.delivery
    where organization_id = $1 and receiver_id = $2 and due_at is not null
      and ($3::timestamptz is null or (due_at, sequence) > ($3, $4::bigint))
    order by due_at, sequence limit ${batchLength} for update skip locked
  ), given_up as (
    update webhooks.delivery d set status = 'dead', due_at = null, claim = null, claimed_until = null
    from waiting where d.organization_id = $1 and d.id = waiting.id
  )
  select (count(*) over ())::integer as count, due_at as "dueAt", sequence from waiting
  order by due_at desc, sequence desc limit 1`;
