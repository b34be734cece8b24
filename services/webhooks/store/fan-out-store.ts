import type pg from "pg";
import type { OrgId } from "#platform/ids.ts";
import { isOrdered, type NewDelivery, type StoredEvent } from "../domain/delivery.ts";
import { usualPlaces } from "./queue-store.ts";

/** Events of an organization, and who is to be told of them. */
export interface FanOut {
  readonly orgId: OrgId;
  readonly events: readonly StoredEvent[];
  readonly deliveries: readonly NewDelivery[];
}

/**
 * Notes deliveries in this order, due at once, and that their receivers have something waiting. An event that is there
 * already stays as it is, and so does a delivery that the receiver has of the same event. One statement: many of them a
 * second cost mostly the way to the database.
 */
export async function insertFanOut(client: pg.PoolClient, fanOuts: readonly FanOut[], now: Date): Promise<void> {
  const values = [...eventColumns(fanOuts), ...deliveryColumns(fanOuts), ...queueColumns(fanOuts), now];
  await client.query({ name: "webhooks-insert-fan-out", text: insertSql, values });
}

const insertSql = `with event as (
    insert into webhooks.event (organization_id, id, type, data, occurred_at, created_at)
    select organization_id, id, type, data, occurred_at, $19
    from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::timestamptz[])
      as e (organization_id, id, type, data, occurred_at)
    order by organization_id, id
    on conflict (organization_id, id) do nothing
  ), delivery as (
    insert into webhooks.delivery (organization_id, id, event_id, event_type, receiver_id, endpoint_id,
      connect_id, agreement_id, receiver_index, status, due_at, occurred_at, created_at)
    select organization_id, id, event_id, event_type, receiver_id, endpoint_id, connect_id, agreement_id,
      receiver_index, 'pending', $19, occurred_at, $19
    from unnest($6::uuid[], $7::uuid[], $8::uuid[], $9::text[], $10::uuid[], $11::uuid[], $12::integer[], $13::uuid[],
      $14::integer[], $15::timestamptz[]) with ordinality as d (organization_id, id, event_id, event_type, receiver_id,
      endpoint_id, connect_id, agreement_id, receiver_index, occurred_at, number)
    order by organization_id, number
    on conflict (organization_id, receiver_id, event_id) do nothing
  )
  insert into webhooks.queue as q (organization_id, receiver_id, places, is_ordered, next_at)
  select r.organization_id, r.id, case when r.is_ordered then 1 else ${usualPlaces} end, r.is_ordered, $19
  from unnest($16::uuid[], $17::uuid[], $18::boolean[]) as r (organization_id, id, is_ordered)
  order by r.organization_id, r.id
  on conflict (organization_id, receiver_id) do update set next_at = least(q.next_at, excluded.next_at)`;

function eventColumns(fanOuts: readonly FanOut[]): unknown[][] {
  const rows = fanOuts.flatMap(({ orgId, events }) => events.map((event) => ({ orgId, event })));
  return [
    rows.map(({ orgId }) => orgId),
    rows.map(({ event }) => event.id),
    rows.map(({ event }) => event.type),
    rows.map(({ event }) => event.data),
    rows.map(({ event }) => event.occurredAt),
  ];
}

function deliveryColumns(fanOuts: readonly FanOut[]): unknown[][] {
  const rows = fanOuts.flatMap(({ orgId, deliveries }) => deliveries.map((delivery) => ({ orgId, ...delivery })));
  return [
    rows.map(({ orgId }) => orgId),
    rows.map(({ id }) => id),
    rows.map(({ eventId }) => eventId),
    rows.map(({ eventType }) => eventType),
    rows.map(({ receiverId }) => receiverId),
    rows.map(({ endpointId }) => endpointId),
    rows.map(({ connectId }) => connectId),
    rows.map(({ agreementId }) => agreementId),
    rows.map(({ receiverIndex }) => receiverIndex),
    rows.map(({ occurredAt }) => occurredAt),
  ];
}

function queueColumns(fanOuts: readonly FanOut[]): unknown[][] {
  const rows = fanOuts.flatMap(({ orgId, deliveries }) =>
    [...new Map(deliveries.map((one) => [one.receiverId, isOrdered(one)]))].map((queue) => ({ orgId, queue })),
  );
  return [
    rows.map(({ orgId }) => orgId),
    rows.map(({ queue: [receiverId] }) => receiverId),
    rows.map(({ queue: [, isOrderedOne] }) => isOrderedOne),
  ];
}
