import type pg from "pg";
import type { OrgId } from "#platform/ids.ts";
import type { OutboxRecord } from "#platform/outbox/outbox.ts";
import { type BatchProgress, type EndedItems, hasBatchEnded, withEnded } from "../domain/batch.ts";
import { batchCompleted, type EventContext } from "../events.ts";

/**
 * Counts items that end in this transaction. Those of one batch follow each other here, so that exactly one of them is
 * the last: with it the batch ends, and its event is returned for the outbox. Its slot was spent when it was submitted,
 * whatever has become of its items.
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
    `update docgen.batch set completed = $3, failed = $4, cancelled = $5, status = $6, completed_at = $7,
       slot = case when $7::timestamptz is null then slot else 'spent' end
     where organization_id = $1 and id = $2`,
    [...[orgId, batchId, after.completed, after.failed, after.cancelled, after.status], isOver ? context.now : null],
  );
  if (!isOver) return [];
  const { requestId, traceparent } = before;
  return [batchCompleted({ ...context, caller: { orgId, requestId, traceparent } }, after)];
}

interface LockedBatch extends BatchProgress {
  readonly id: string;
  readonly requestId: string;
  readonly traceparent: string;
}

async function lockBatch(client: pg.PoolClient, orgId: OrgId, batchId: string): Promise<LockedBatch> {
  const { rows } = await client.query<LockedBatch>(
    `select id, status, total, completed, failed, cancelled, cancelled_at as "cancelledAt",
       request_id as "requestId", traceparent
     from docgen.batch where organization_id = $1 and id = $2 for update`,
    [orgId, batchId],
  );
  const [batch] = rows;
  if (batch === undefined) throw new Error("the batch of an item is missing");
  return batch;
}
