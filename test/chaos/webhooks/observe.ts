import type pg from "pg";
import type { KeptDelivery, KeptEndpoint } from "./history.ts";

/** Deliveries to these endpoints that are still to be made: up to a time, or ever. */
export async function waiting(
  inspector: pg.Pool,
  endpointIds: readonly string[],
  upTo: Date | undefined,
): Promise<{ readonly count: number; readonly last: Date | undefined }> {
  const { rows } = await inspector.query<{ count: number; last: Date | null }>(
    `select count(*)::integer as count, max(due_at) as last from webhooks.delivery
     where endpoint_id = any ($1::uuid[]) and due_at is not null and ($2::timestamptz is null or due_at <= $2)`,
    [endpointIds, upTo],
  );
  return { count: rows[0]?.count ?? 0, last: rows[0]?.last ?? undefined };
}

/** Events of the service's own that have not come back to it yet. */
export async function unheard(inspector: pg.Pool): Promise<number> {
  const { rows } = await inspector.query<{ count: number }>(
    `select count(*)::integer as count from webhooks.outbox o
     where not exists (select from webhooks.inbox i where i.consumer = 'webhooks' and i.event_id = o.event_id)`,
  );
  return rows[0]?.count ?? 0;
}

/** Those who were killed hold the relay no longer. */
export async function endLeases(inspector: pg.Pool): Promise<void> {
  await inspector.query("delete from webhooks.relay_lease");
}

export async function readDeliveries(inspector: pg.Pool): Promise<KeptDelivery[]> {
  const { rows } = await inspector.query<KeptDelivery>(
    `select d.organization_id as "orgId", d.event_id as "eventId", d.event_type as "eventType",
       d.endpoint_id as "endpointId", d.status, d.attempts,
       coalesce((select array_agg(a.status_code order by a.number) from webhooks.attempt a
         where a.organization_id = d.organization_id and a.delivery_id = d.id), '{}') as "statusCodes"
     from webhooks.delivery d`,
  );
  return rows;
}

export async function readEndpoints(inspector: pg.Pool): Promise<KeptEndpoint[]> {
  const { rows } = await inspector.query<KeptEndpoint>(
    `select id, is_enabled as "isEnabled", disabled_reason as "disabledReason" from webhooks.endpoint`,
  );
  return rows;
}
