import type pg from "pg";

// All of these run as the role that removes what is old of every organization. In batches, so that no statement runs long.

/** What is removed, and how old it is by then; in this order, because the former need the latter. */
export interface SweepLimits {
  readonly deliveriesBefore: Date;
  readonly keysBefore: Date;
  readonly endpointsBefore: Date;
}

/** Removes some of what is old; true when there may be more. */
export async function sweepSome(sweeper: pg.Pool, limits: SweepLimits, batch: number): Promise<boolean> {
  const { deliveriesBefore, keysBefore, endpointsBefore } = limits;
  let isMore = false;
  for (const { table, key, column, before } of [
    { table: "delivery", key: "id", column: "created_at", before: deliveriesBefore },
    { table: "event", key: "id", column: "created_at", before: deliveriesBefore },
    { table: "idempotency_key", key: "key", column: "created_at", before: keysBefore },
    { table: "endpoint", key: "id", column: "deleted_at", before: endpointsBefore },
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
