import type pg from "pg";
import type { OrgId } from "#platform/ids.ts";
import type { OutboxRecord } from "#platform/outbox/outbox.ts";
import { type BatchProgress, type EndedItems, hasBatchEnded, withEnded } from "../domain/batch.ts";
import { batchCompleted, type EventContext } from "../events.ts";
import { returnSlots } from "./usage-store.ts";

/**
 * Counts items that end in this transaction. Those of one batch follow each other here, so that exactly one of them is
 * the last: with it the batch ends, and its event is returned for the outbox.
 *
 * To be called after the documents have been locked and written: everybody who locks a batch has its documents before.
 */
export async function noteItemsEnded(
  client: pg.PoolClient,
  orgId: OrgId,
  batchId: string,
  ended: EndedItems,
  context: EventContext,
): Promise<OutboxRecord[]> {
  const before = await lockBatch(client, orgId, batchId);
  const after = withEnded(before, ended);
  const isOver = hasBatchEnded(after);
  await client.query(
    `update docgen.batch set completed = $3, failed = $4, cancelled = $5, status = $6, completed_at = $7
     where organization_id = $1 and id = $2`,
    [...[orgId, batchId, after.completed, after.failed, after.cancelled, after.status], isOver ? context.now : null],
  );
  if (!isOver) return [];
  await settleSlot(client, orgId, after);
  const { requestId, traceparent } = before;
  return [batchCompleted({ ...context, caller: { orgId, requestId, traceparent } }, after)];
}

interface LockedBatch extends BatchProgress {
  readonly id: string;
  readonly slot: "taken" | "spent" | "returned";
  readonly hourStart: Date;
  readonly requestId: string;
  readonly traceparent: string;
}

async function lockBatch(client: pg.PoolClient, orgId: OrgId, batchId: string): Promise<LockedBatch> {
  const { rows } = await client.query<LockedBatch>(
    `select id, status, total, completed, failed, cancelled, cancelled_at as "cancelledAt", slot,
       hour_start as "hourStart", request_id as "requestId", traceparent
     from docgen.batch where organization_id = $1 and id = $2 for update`,
    [orgId, batchId],
  );
  const [batch] = rows;
  if (batch === undefined) throw new Error("the batch of an item is missing");
  return batch;
}

/** A batch that was cancelled before any item was begun gives its slot back. It ends once, so this happens once. */
async function settleSlot(
  client: pg.PoolClient,
  orgId: OrgId,
  { id, cancelled, hourStart }: LockedBatch,
): Promise<void> {
  const isReturned = cancelled > 0 && !(await hasStarted(client, orgId, id));
  await client.query("update docgen.batch set slot = $3 where organization_id = $1 and id = $2", [
    ...[orgId, id],
    isReturned ? "returned" : "spent",
  ]);
  if (isReturned) await returnSlots(client, orgId, { hourStart });
}

async function hasStarted(client: pg.PoolClient, orgId: OrgId, batchId: string): Promise<boolean> {
  const { rowCount } = await client.query(
    `select from docgen.document
     where organization_id = $1 and batch_id = $2 and item_index >= 0 and started_at is not null limit 1`,
    [orgId, batchId],
  );
  return rowCount !== 0;
}
