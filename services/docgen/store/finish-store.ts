import type { Tenant } from "#platform/db/pool.ts";
import type { EventContext, OutboxRecord } from "#platform/outbox/outbox.ts";
import { type BatchProgress, type EndedItems, hasBatchEnded, withEnded } from "../domain/batch.ts";
import type { Document, DocumentSource, Failure, RenderedVersion } from "../domain/document.ts";
import type { Profile } from "../domain/page.ts";
import { batchCompleted } from "../events.ts";
import type { RenderWarning } from "../renderer/render-job.ts";
import type { Claimed } from "./claim-store.ts";
import { documentColumns } from "./document-store.ts";

type Claim = Pick<Claimed, "id" | "claim">;

/** What a claimed document is rendered from. */
export interface RenderInput {
  readonly source: DocumentSource;
  readonly profile: Profile;
  readonly locale: string;
  readonly timeZone: string;
  readonly createdAt: Date;
  /** The published version that it is made from; null for a text of the templates service. */
  readonly version: RenderedVersion | null;
  /** Of the request that asked for it. */
  readonly traceparent?: string;
}

/** Undefined when the claim is no longer valid. */
export async function readInput({ orgId, client }: Tenant, { id, claim }: Claim): Promise<RenderInput | undefined> {
  const { rows } = await client.query<RenderInput>({
    name: "docgen-read-input",
    text: `select d.source, d.profile, d.locale, d.time_zone as "timeZone", d.created_at as "createdAt", d.traceparent,
       case when v.version is null then null
         else jsonb_build_object('format', v.format, 'content', v.content, 'page', v.page) end as version
     from docgen.document d
     left join docgen.template_version v
       on v.organization_id = d.organization_id and v.template_id = d.template_id and v.version = d.template_version
     where d.organization_id = $1 and d.id = $2 and d.claim = $3`,
    values: [orgId, id, claim],
  });
  return rows[0];
}

/** A document that has just ended, with the request that its events belong to. */
export type Finished = Document & { readonly requestId: string; readonly traceparent: string };

export interface Completion {
  readonly sha256: Uint8Array;
  readonly bytes: number;
  readonly pages: number;
  readonly warnings: readonly RenderWarning[];
  readonly renderMs: number;
  readonly completedAt: Date;
}

const endedSql = "source = null, claim = null, claimed_until = null, completed_at = $4";
const whereSql = `where organization_id = $1 and id = $2 and claim = $3
  returning ${documentColumns}, request_id as "requestId", traceparent`;

/**
 * Its bytes are the blob store's, under the id of the document. Undefined when the claim holds no more: then nothing may
 * be written. Otherwise the document stays locked until the end of the transaction.
 */
export async function completeClaimed(
  { orgId, client }: Tenant,
  { id, claim }: Claim,
  completion: Completion,
): Promise<Finished | undefined> {
  const { sha256, bytes, pages, warnings, renderMs, completedAt } = completion;
  const { rows } = await client.query<Finished>({
    name: "docgen-complete-claimed",
    text: `update docgen.document set status = 'completed', ${endedSql}, sha256 = $5, bytes = $6, pages = $7,
       warnings = $8, render_ms = $9, expires_at = $4::timestamptz + expires_in * interval '1 second' ${whereSql}`,
    values: [
      ...[orgId, id, claim, completedAt, sha256, bytes, pages],
      ...[JSON.stringify(warnings), Math.round(renderMs)],
    ],
  });
  return rows[0];
}

/** As completeClaimed, for one that has failed. */
export async function failClaimed(
  { orgId, client }: Tenant,
  { id, claim }: Claim,
  { failure, completedAt }: { readonly failure: Failure; readonly completedAt: Date },
): Promise<Finished | undefined> {
  const { rows } = await client.query<Finished>(
    `update docgen.document set status = 'failed', ${endedSql}, failure = $5 ${whereSql}`,
    [orgId, id, claim, completedAt, JSON.stringify(failure)],
  );
  return rows[0];
}

/**
 * Counts items that end in this transaction. Those of one batch follow each other here, so that exactly one of them is
 * the last: with it the batch ends, and its event is returned for the outbox. Its slot was spent when it was submitted,
 * whatever has become of its items.
 *
 * To be called after the documents have been locked and written: everybody who locks a batch has its documents before.
 */
export async function noteItemsEnded(
  tenant: Tenant,
  batchId: string,
  ended: EndedItems,
  context: EventContext,
): Promise<OutboxRecord[]> {
  const before = await lockBatch(tenant, batchId);
  const after = withEnded(before, ended);
  const isOver = hasBatchEnded(after);
  await tenant.client.query(
    `update docgen.batch set completed = $3, failed = $4, cancelled = $5, status = $6, completed_at = $7,
       slot = case when $7::timestamptz is null then slot else 'spent' end
     where organization_id = $1 and id = $2`,
    [
      ...[tenant.orgId, batchId, after.completed, after.failed, after.cancelled, after.status],
      isOver ? context.now : null,
    ],
  );
  if (!isOver) return [];
  const { requestId, traceparent } = before;
  return [batchCompleted({ ...context, caller: { orgId: tenant.orgId, requestId, traceparent } }, after)];
}

interface LockedBatch extends BatchProgress {
  readonly id: string;
  readonly requestId: string;
  readonly traceparent: string;
}

async function lockBatch({ orgId, client }: Tenant, batchId: string): Promise<LockedBatch> {
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
