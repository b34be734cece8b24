import type { Tenant } from "#platform/db/pool.ts";
import type { OrgId } from "#platform/ids.ts";
import type { Attempt, Delivery, StoredEvent } from "../domain/delivery.ts";
import type { Claimed } from "./queue-store.ts";

/** A delivery with its event. */
export interface LoadedDelivery {
  readonly delivery: Delivery;
  readonly event: StoredEvent;
}

/** What one process has claimed; undefined when it belongs to another one by now, or is gone. */
export async function loadClaimed(
  { orgId, client }: Tenant,
  { id, claim }: Pick<Claimed, "id" | "claim">,
): Promise<LoadedDelivery | undefined> {
  const { rows } = await client.query<DeliveryRow & { readonly type: string; readonly data: string }>({
    name: "webhooks-load-claimed",
    text: `select ${deliveryColumns}, e.type, e.data
     from webhooks.delivery d join webhooks.event e on e.organization_id = d.organization_id and e.id = d.event_id
     where d.organization_id = $1 and d.id = $2 and d.claim = $3`,
    values: [orgId, id, claim],
  });
  const [row] = rows;
  if (row === undefined) return undefined;
  const { type, data, ...rest } = row;
  const delivery = deliveryOf(rest);
  return { delivery, event: { id: delivery.eventId, type, data, occurredAt: delivery.occurredAt } };
}

/**
 * Locks a delivery to record its attempt. Even if the claim was given up or released meanwhile, the attempt
 * counts, as long as no other process has made one.
 */
export async function lockAttempted(
  { orgId, client }: Tenant,
  { id, claim, attempts }: Pick<Claimed, "id" | "claim"> & Pick<Delivery, "attempts">,
): Promise<Delivery | undefined> {
  const { rows } = await client.query<DeliveryRow>({
    name: "webhooks-lock-attempted",
    text: `select ${deliveryColumns} from webhooks.delivery d
     where d.organization_id = $1 and d.id = $2 and d.attempts = $4 and (d.claim is null or d.claim = $3) for update`,
    values: [orgId, id, claim, attempts],
  });
  return rows[0] && deliveryOf(rows[0]);
}

/** What becomes of a delivery; its claim ends. */
export type Settled = Pick<Delivery, "id" | "status" | "attempts" | "step" | "dueAt" | "deliveredAt">;

/** The delivery is locked. */
export async function settleDelivery({ orgId, client }: Tenant, settled: Settled): Promise<void> {
  await client.query({ name: "webhooks-settle-delivery", text: settleSql, values: settleValues(orgId, settled) });
}

const settleSql = `update webhooks.delivery set status = $3, attempts = $4, step = $5, due_at = $6,
    delivered_at = $7, claim = null, claimed_until = null
  where organization_id = $1 and id = $2`;

/** The values that settleSql begins with. */
const settleValues = (orgId: OrgId, { id, status, attempts, step, dueAt, deliveredAt }: Settled): unknown[] => [
  orgId,
  id,
  status,
  attempts,
  step,
  dueAt,
  deliveredAt,
];

/** Lets other processes claim it: at once, or from `dueAt` on. */
export async function releaseClaim(
  { orgId, client }: Tenant,
  { id, claim, dueAt }: Pick<Claimed, "id" | "claim"> & { readonly dueAt: Date | undefined },
): Promise<void> {
  await client.query(
    `update webhooks.delivery set claim = null, claimed_until = null, due_at = coalesce($4, due_at)
     where organization_id = $1 and id = $2 and claim = $3`,
    [orgId, id, claim, dueAt],
  );
}

/** As if it had never been. */
export async function removeClaimed(
  { orgId, client }: Tenant,
  { id, claim }: Pick<Claimed, "id" | "claim">,
): Promise<void> {
  await client.query("delete from webhooks.delivery where organization_id = $1 and id = $2 and claim = $3", [
    ...[orgId, id, claim],
  ]);
}

export async function findDelivery({ orgId, client }: Tenant, id: string): Promise<Delivery | undefined> {
  const { rows } = await client.query<DeliveryRow>({
    name: "webhooks-find-delivery",
    text: `select ${deliveryColumns} from webhooks.delivery d where d.organization_id = $1 and d.id = $2`,
    values: [orgId, id],
  });
  return rows[0] && deliveryOf(rows[0]);
}

/** Where a page ended. */
export interface DeliveryPosition {
  readonly at: Date;
  readonly id: string;
}

/** What is absent does not filter. */
export interface DeliveryQuery {
  readonly endpointId?: string | undefined;
  readonly status?: Delivery["status"] | undefined;
  readonly eventType?: string | undefined;
  readonly eventId?: string | undefined;
  readonly connectOnly?: boolean;
  readonly after?: DeliveryPosition | undefined;
  readonly limit: number;
}

/** Newest first. */
export async function pageOfDeliveries({ orgId, client }: Tenant, query: DeliveryQuery): Promise<Delivery[]> {
  const { endpointId, status, eventType, eventId, connectOnly = false, after, limit } = query;
  const values: unknown[] = [orgId];
  const parameter = (value: unknown): string => `$${values.push(value)}`;
  // Only the requested conditions, so that each combination finds its index.
  const conditions = ["d.organization_id = $1"];
  if (endpointId !== undefined) conditions.push(`d.endpoint_id = ${parameter(endpointId)}`);
  if (status === "failed" || status === "dead") conditions.push("d.status in ('failed', 'dead')");
  if (status === "pending") conditions.push("d.due_at is not null");
  if (status !== undefined) conditions.push(`d.status = ${parameter(status)}`);
  if (eventType !== undefined) conditions.push(`d.event_type = ${parameter(eventType)}`);
  if (eventId !== undefined) conditions.push(`d.event_id = ${parameter(eventId)}`);
  if (connectOnly) conditions.push("(d.connect_id is not null or d.receiver_index is not null)");
  if (after !== undefined) {
    conditions.push(`(d.created_at, d.id) < (${parameter(after.at)}::timestamptz, ${parameter(after.id)}::uuid)`);
  }
  const { rows } = await client.query<DeliveryRow>(
    `select ${deliveryColumns} from webhooks.delivery d where ${conditions.join(" and ")}
     order by d.created_at desc, d.id desc limit ${parameter(limit)}`,
    values,
  );
  return rows.map(deliveryOf);
}

export const deliveryColumns = `d.id, d.event_id as "eventId", d.event_type as "eventType",
    d.receiver_id as "receiverId", d.endpoint_id as "endpointId", d.connect_id as "connectId",
    d.agreement_id as "agreementId", d.receiver_index as "receiverIndex", d.status, d.attempts, d.step,
    d.due_at as "dueAt", d.occurred_at as "occurredAt", d.created_at as "createdAt", d.delivered_at as "deliveredAt"`;

/** What may be missing is null in the database. */
export type DeliveryRow = {
  readonly [K in keyof Delivery]: undefined extends Delivery[K] ? Delivery[K] | null : Delivery[K];
};

export const deliveryOf = (row: DeliveryRow): Delivery => ({
  ...row,
  endpointId: row.endpointId ?? undefined,
  connectId: row.connectId ?? undefined,
  agreementId: row.agreementId ?? undefined,
  receiverIndex: row.receiverIndex ?? undefined,
  dueAt: row.dueAt ?? undefined,
  deliveredAt: row.deliveredAt ?? undefined,
});

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
