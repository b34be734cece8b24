import type pg from "pg";
import { shareHolds } from "#platform/db/hold-marks.ts";
import type { Tenant } from "#platform/db/pool.ts";
import { type OrgId, parseOrgId } from "#platform/ids.ts";
import type { Delivery } from "../domain/delivery.ts";
import { type DeliveryRow, deliveryColumns, deliveryOf } from "./delivery-store.ts";

// The queue of the receiver is locked in all of these. What is just being sent is left alone: its attempt is under way.

const isFree = "(d.claim is null or d.claimed_until <= $2)";
const againSql = `due_at = $2, step = 0, claim = null, claimed_until = null,
    status = case when d.attempts = 0 or d.status in ('pending', 'delivered') then 'pending' else 'failed' end`;

/** Restarts the schedule of one delivery. Undefined while it is being sent. */
export async function requeueOne(
  { orgId, client }: Tenant,
  { id, now }: { readonly id: string; readonly now: Date },
): Promise<Delivery | undefined> {
  const { rows } = await client.query<DeliveryRow>(
    `update webhooks.delivery d set ${againSql}
     where d.organization_id = $1 and d.id = $3 and ${isFree} returning ${deliveryColumns}`,
    [orgId, now, id],
  );
  return rows[0] && deliveryOf(rows[0]);
}

/** The deliveries of an endpoint whose events are of the time from since to before until. */
export interface RecoverRange {
  readonly endpointId: string;
  readonly since: Date;
  readonly until: Date;
  /** Goes on behind this one. */
  readonly after: RecoverPosition | undefined;
  readonly limit: number;
  readonly now: Date;
}

export interface RecoverPosition {
  readonly at: Date;
  readonly id: string;
}

/** Sends again what could not be delivered to an endpoint, the oldest events first. `last` is absent at the end. */
export async function requeueOfEndpoint(
  { orgId, client }: Tenant,
  { endpointId, since, until, after, limit, now }: RecoverRange,
): Promise<{ readonly count: number; readonly last: RecoverPosition | undefined }> {
  const { rows } = await client.query<{ id: string; at: Date; isQueued: boolean }>(
    `with batch as materialized (
       select d.id, d.occurred_at, ${isFree} as is_free from webhooks.delivery d
       where d.organization_id = $1 and d.endpoint_id = $3 and d.status in ('failed', 'dead')
         and d.occurred_at >= $4 and d.occurred_at < $5
         and ($6::timestamptz is null or (d.occurred_at, d.id) > ($6, $7::uuid))
       order by d.occurred_at, d.id limit $8
     ), changed as (
       update webhooks.delivery d set ${againSql} from batch
       where batch.is_free and d.organization_id = $1 and d.id = batch.id
     )
     select id, occurred_at as at, is_free as "isQueued" from batch order by occurred_at, id`,
    [orgId, now, endpointId, since, until, after?.at, after?.id, limit],
  );
  const last = rows.length === limit ? rows.at(-1) : undefined;
  return { count: rows.filter(({ isQueued }) => isQueued).length, last };
}

/** The next receivers of the compatible interface to which something could not be delivered. */
export async function undeliveredConnects(
  { orgId, client }: Tenant,
  { agreementIds, limit }: { readonly agreementIds: readonly string[]; readonly limit: number },
): Promise<{ readonly id: string; readonly receiverId: string; readonly endpointId: string | undefined }[]> {
  const { rows } = await client.query<{ id: string; receiverId: string; endpointId: string | null }>(
    `select d.id, d.receiver_id as "receiverId", d.endpoint_id as "endpointId" from webhooks.delivery d
     where d.organization_id = $1 and d.status in ('failed', 'dead')
       and (d.connect_id is not null or d.receiver_index is not null)
       and (cardinality($2::uuid[]) = 0 or d.agreement_id = any ($2::uuid[]))
     order by d.created_at desc, d.id desc limit $3`,
    [orgId, agreementIds, limit],
  );
  return rows.map((row) => ({ ...row, endpointId: row.endpointId ?? undefined }));
}

/** Sends these of one receiver again, as far as they have still not been delivered. */
export async function requeueUndelivered(
  { orgId, client }: Tenant,
  { ids, receiverId, now }: { readonly ids: readonly string[]; readonly receiverId: string; readonly now: Date },
): Promise<Delivery[]> {
  const { rows } = await client.query<DeliveryRow>(
    `update webhooks.delivery d set ${againSql}
     where d.organization_id = $1 and d.id = any ($3::uuid[]) and d.receiver_id = $4 and d.status in ('failed', 'dead')
       and ${isFree}
     returning ${deliveryColumns}`,
    [orgId, now, ids, receiverId],
  );
  return rows.map(deliveryOf);
}

// All of these run as the role that removes what is old of every organization. In batches, so that no statement runs long.

/** What is removed, and how old it is by then. */
interface SweepLimits {
  readonly keysBefore: Date;
  readonly endpointsBefore: Date;
  readonly usesBefore: Date;
}

/** Deletes some obsolete rows; true when there may be more. */
export async function sweepSome(sweeper: pg.Pool, limits: SweepLimits, batch: number): Promise<boolean> {
  const { keysBefore, endpointsBefore, usesBefore } = limits;
  let isMore = false;
  for (const { table, key, column, before } of [
    { table: "idempotency_key", key: "key", column: "created_at", before: keysBefore },
    { table: "endpoint", key: "id", column: "deleted_at", before: endpointsBefore },
    { table: "use_day", key: "day", column: "day", before: usesBefore },
  ]) {
    const { rowCount } = await sweeper.query(
      `delete from webhooks.${table} t using (
         select organization_id, ${key} from webhooks.${table} where ${column} < $1 order by ${column} limit $2
       ) old
       where t.organization_id = old.organization_id and t.${key} = old.${key}`,
      [before, batch],
    );
    isMore ||= rowCount === batch;
  }
  return (await sweepQueues(sweeper, batch)) || isMore;
}

/** The organizations that have deliveries from before then, by the indexes that begin with the organization. */
export async function findOldDeliveries(sweeper: pg.Pool, before: Date): Promise<OrgId[]> {
  const { rows } = await sweeper.query<{ id: string }>(
    `with recursive organization as (
       (select organization_id as id from webhooks.delivery order by organization_id limit 1)
       union all
       select (select d.organization_id from webhooks.delivery d where d.organization_id > o.id
         order by d.organization_id limit 1)
       from organization o where o.id is not null
     )
     select id from organization where exists (
       select from webhooks.delivery d where d.organization_id = organization.id and d.created_at < $1)`,
    [before],
  );
  return rows.flatMap(({ id }) => parseOrgId(id) ?? []);
}

/** Deletes some deliveries of an organization with their attempts, unless there is a hold by then; how many they were. */
export async function dropOldDeliveries(
  tenant: Tenant,
  before: Date,
  holdMark: number,
  batch: number,
): Promise<number> {
  await shareHolds(tenant, "webhooks", holdMark);
  const { rowCount } = await tenant.client.query(
    `delete from webhooks.delivery where organization_id = $1 and id = any(array(
       select id from webhooks.delivery where organization_id = $1 and created_at < $2 order by created_at limit $3))`,
    [tenant.orgId, before, batch],
  );
  return rowCount ?? 0;
}

/**
 * Deletes some events of which there are no deliveries; how many they were. Those of organizations that keep their deliveries
 * are passed over: each batch would look at all of them again.
 */
export async function sweepEvents(
  sweeper: pg.Pool,
  { before, keeping, batch }: { readonly before: Date; readonly keeping: readonly OrgId[]; readonly batch: number },
): Promise<number> {
  const { rowCount } = await sweeper.query(
    `delete from webhooks.event e using (
       select organization_id, id from webhooks.event old
       where created_at < $1 and organization_id <> all($3::uuid[]) and not exists (
         select from webhooks.delivery d where d.organization_id = old.organization_id and d.event_id = old.id)
       order by created_at limit $2
     ) old where e.organization_id = old.organization_id and e.id = old.id`,
    [before, batch, keeping],
  );
  return rowCount ?? 0;
}

/** Receivers that nothing waits for; those that get something are noted again. */
async function sweepQueues(sweeper: pg.Pool, batch: number): Promise<boolean> {
  const { rowCount } = await sweeper.query(
    `delete from webhooks.queue q using (
       select organization_id, receiver_id from webhooks.queue where next_at is null limit $1
     ) idle
     where q.organization_id = idle.organization_id and q.receiver_id = idle.receiver_id and q.next_at is null`,
    [batch],
  );
  return rowCount === batch;
}
