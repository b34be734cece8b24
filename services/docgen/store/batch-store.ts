import type { Tenant } from "#platform/db/pool.ts";
import type { Batch, BatchStatus } from "../domain/batch.ts";

/** A batch that was just accepted. */
export interface NewBatch extends Omit<Batch, "cancelledAt"> {
  /** The window that its slot was taken from. */
  readonly hourStart: Date;
  readonly createdBy: string;
  readonly requestId: string;
  readonly traceparent: string;
}

export async function addBatch({ orgId, client }: Tenant, batch: NewBatch): Promise<void> {
  const { id, status, total, completed, failed, cancelled, completedAt, ...rest } = batch;
  await client.query(
    `insert into docgen.batch (organization_id, id, status, total, completed, failed, cancelled, slot, hour_start,
       created_by, request_id, traceparent, created_at, completed_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`,
    [
      ...[orgId, id, status, total, completed, failed, cancelled, completedAt === null ? "taken" : "spent"],
      ...[rest.hourStart, rest.createdBy, rest.requestId, rest.traceparent, rest.createdAt, completedAt],
    ],
  );
}

/** Whether one of its items has been started. */
const isBegun = `exists (
  select from docgen.document d
  where d.organization_id = b.organization_id and d.batch_id = b.id and d.item_index >= 0 and d.started_at is not null
)`;

/** A batch is running from the start of its first item, which is recorded when the first one ends. */
const selectSql = `select id, total, completed, failed, cancelled, created_at as "createdAt",
    cancelled_at as "cancelledAt", completed_at as "completedAt",
    case when status = 'queued' and ${isBegun} then 'running' else status end as status
  from docgen.batch b where organization_id = $1`;

export async function findBatch({ orgId, client }: Tenant, id: string): Promise<Batch | undefined> {
  return (await client.query<Batch>(`${selectSql} and id = $2`, [orgId, id])).rows[0];
}

export interface BatchQuery {
  readonly afterId: string | undefined;
  readonly limit: number;
  readonly status: BatchStatus | undefined;
}

/** Newest first: ids begin with their time. Few batches have not ended, so that those are looked through. */
export async function pageOfBatches({ orgId, client }: Tenant, query: BatchQuery): Promise<Batch[]> {
  const { afterId = lastId, limit, status } = query;
  const wanted = status === undefined ? "" : `and ${statusSql[status]}`;
  const text = `${selectSql} and id < $2 ${wanted} order by id desc limit $3`;
  return (await client.query<Batch>(text, [orgId, afterId, limit])).rows;
}

/** After the ids of all batches. */
const lastId = "ffffffff-ffff-ffff-ffff-ffffffffffff";

const statusSql: Readonly<Record<BatchStatus, string>> = {
  queued: `status = 'queued' and not ${isBegun}`,
  running: `status in ('queued', 'running') and (status = 'running' or ${isBegun})`,
  completed: "status = 'completed'",
  completed_with_errors: "status = 'completed_with_errors'",
  cancelled: "status = 'cancelled'",
};

/** How many items of all batches wait; counted only up to the limit. */
export async function countWaitingItems({ orgId, client }: Tenant, limit: number): Promise<number> {
  const { rows } = await client.query<{ count: number }>(
    `select count(*)::integer as count from (
       select from docgen.document
       where organization_id = $1 and status = 'queued' and (batch_id is not null) = true limit $2
     ) waiting`,
    [orgId, limit],
  );
  return rows[0]?.count ?? 0;
}

/**
 * Cancels the waiting items and returns how many; none is started any more from here on. They are locked in their order
 * and before the batch, as everywhere.
 */
export async function cancelWaitingItems({ orgId, client }: Tenant, batchId: string, now: Date): Promise<number> {
  const { rowCount } = await client.query(
    `with waiting as materialized (
       select id from docgen.document
       where organization_id = $1 and batch_id = $2 and item_index >= 0 and status = 'queued'
       order by item_index for update
     )
     update docgen.document d set status = 'cancelled', source = null, completed_at = $3
     from waiting where d.organization_id = $1 and d.id = waiting.id`,
    [orgId, batchId, now],
  );
  return rowCount ?? 0;
}

export async function markCancelled({ orgId, client }: Tenant, batchId: string, now: Date): Promise<void> {
  await client.query(
    "update docgen.batch set cancelled_at = coalesce(cancelled_at, $3) where organization_id = $1 and id = $2",
    [orgId, batchId, now],
  );
}
