import type pg from "pg";
import type { OrgId } from "#platform/ids.ts";
import { isOrdered, type NewDelivery, type StoredEvent } from "../domain/delivery.ts";
import { usualPlaces } from "./queue-store.ts";

/** Events, and who is to be told of them. */
export interface FanOut {
  readonly events: readonly StoredEvent[];
  readonly deliveries: readonly NewDelivery[];
}

/**
 * Notes deliveries in this order, due at once, and that their receivers have something waiting. An event that is there
 * already stays as it is, and so does a delivery that the receiver has of the same event. One statement: many of them a
 * second cost mostly the way to the database.
 */
export async function insertFanOut(
  client: pg.PoolClient,
  orgId: OrgId,
  { events, deliveries }: FanOut,
  now: Date,
): Promise<void> {
  const queues = [...new Map(deliveries.map((one) => [one.receiverId, isOrdered(one)]))];
  await client.query({
    name: "webhooks-insert-fan-out",
    text: `with event as (
       insert into webhooks.event (organization_id, id, type, data, occurred_at, created_at)
       select $1, id, type, data, occurred_at, $11
       from unnest($14::uuid[], $15::text[], $16::text[], $17::timestamptz[]) as e (id, type, data, occurred_at)
       on conflict (organization_id, id) do nothing
     ), delivery as (
     insert into webhooks.delivery (organization_id, id, event_id, event_type, receiver_id, endpoint_id,
       connect_id, agreement_id, receiver_index, status, due_at, occurred_at, created_at)
     select $1, id, event_id, event_type, receiver_id, endpoint_id, connect_id, agreement_id, receiver_index,
       'pending', $11, occurred_at, $11
     from unnest($2::uuid[], $3::uuid[], $4::text[], $5::uuid[], $6::uuid[], $7::integer[], $8::uuid[], $9::integer[],
       $10::timestamptz[]) with ordinality as d (id, event_id, event_type, receiver_id, endpoint_id, connect_id,
       agreement_id, receiver_index, occurred_at, number)
     order by number
     on conflict (organization_id, receiver_id, event_id) do nothing
     )
     insert into webhooks.queue as q (organization_id, receiver_id, places, is_ordered, next_at)
     select $1, r.id, case when r.is_ordered then 1 else ${usualPlaces} end, r.is_ordered, $11
     from unnest($12::uuid[], $13::boolean[]) as r (id, is_ordered) order by r.id
     on conflict (organization_id, receiver_id) do update set next_at = least(q.next_at, excluded.next_at)`,
    values: [
      orgId,
      deliveries.map(({ id }) => id),
      deliveries.map(({ eventId }) => eventId),
      deliveries.map(({ eventType }) => eventType),
      deliveries.map(({ receiverId }) => receiverId),
      deliveries.map(({ endpointId }) => endpointId),
      deliveries.map(({ connectId }) => connectId),
      deliveries.map(({ agreementId }) => agreementId),
      deliveries.map(({ receiverIndex }) => receiverIndex),
      deliveries.map(({ occurredAt }) => occurredAt),
      now,
      queues.map(([receiverId]) => receiverId),
      queues.map(([, isOrderedOne]) => isOrderedOne),
      events.map(({ id }) => id),
      events.map(({ type }) => type),
      events.map(({ data }) => data),
      events.map(({ occurredAt }) => occurredAt),
    ],
  });
}
