import type pg from "pg";
import type { Event, EventJson } from "#gen/assent/events/v1/events_pb.ts";
import { createRoleSql } from "#platform/db/ddl.ts";
import { inboxTablesSql } from "#platform/events/consume.ts";
import { newId, type OrgId } from "#platform/ids.ts";
import { type OutboxRecord, outboxCursorSql, outboxTablesSql } from "#platform/outbox/outbox.ts";

/** A service that does nothing but tell of orders, and count in two ways what it hears of them. */
export const schema = "shop";
export const writerRole = "assent_shop";
export const relayRole = "assent_shop_relay";
export const subject = "assent.shop.order.placed";
/** One applies each event by itself, the other one many with one transaction. */
export const consumers = ["shop-single", "shop-batched"] as const;

export const schemaSql: readonly string[] = [
  createRoleSql(writerRole),
  createRoleSql(relayRole),
  `create schema ${schema}`,
  ...outboxTablesSql({ schema, writerRole, relayRole }),
  ...outboxCursorSql({ schema, relayRole }),
  ...inboxTablesSql({ schema, role: writerRole }),
  `create table ${schema}.effect (
    consumer text, event_id uuid, times integer not null, late_ms double precision not null, at timestamptz not null,
    primary key (consumer, event_id)
  )`,
  `create table ${schema}.tally (
    consumer text, organization_id uuid, total bigint not null, primary key (consumer, organization_id)
  )`,
  `grant select, insert, update on ${schema}.effect, ${schema}.tally to ${writerRole}`,
];

export function makeOrder(organizationId: OrgId): OutboxRecord {
  const eventId = newId();
  const event = {
    id: eventId,
    subject,
    organizationId,
    occurredAt: new Date().toISOString(),
    aggregateId: newId(),
    requestId: "r",
    traceparent: "",
    sessionCompleted: { sessionId: newId(), outcome: "ACCEPTED" },
  } satisfies EventJson;
  return { eventId, organizationId, subject, data: JSON.stringify(event) };
}

/** An effect that shows when it happens twice: it counts itself, and all of them. */
export async function countOrders(client: pg.PoolClient, consumer: string, events: readonly Event[]): Promise<void> {
  const ids = events.map(({ id }) => id);
  const seconds = events.map(({ occurredAt }) => Number(occurredAt?.seconds) + Number(occurredAt?.nanos) / 1e9);
  await client.query(
    `insert into ${schema}.effect as e (consumer, event_id, times, late_ms, at)
     select $1, id, 1, 1000 * extract(epoch from clock_timestamp() - to_timestamp(s)), clock_timestamp()
     from unnest($2::uuid[], $3::double precision[]) o (id, s)
     on conflict (consumer, event_id) do update set times = e.times + 1`,
    [consumer, ids, seconds],
  );
  await client.query(
    `insert into ${schema}.tally as t (consumer, organization_id, total)
     values ($1, current_setting('app.org_id')::uuid, $2)
     on conflict (consumer, organization_id) do update set total = t.total + excluded.total`,
    [consumer, events.length],
  );
}
