import type { Tenant } from "#platform/db/pool.ts";
import type { JsonObject } from "../agreement/agreement.ts";

export async function insertBulkList({ orgId, client }: Tenant, list: BulkList): Promise<void> {
  await client.query(
    `insert into sign.bulk_list (organization_id, id, name, copies, copy_count, created_at)
      values ($1, $2, $3, $4, $5, $6)`,
    [orgId, list.id, list.name, JSON.stringify(list.copies), list.copies.length, list.createdAt],
  );
}

const listColumns = `id, name, copies, created_at as "createdAt"`;

export async function findBulkList({ orgId, client }: Tenant, id: string): Promise<BulkList | undefined> {
  const { rows } = await client.query<BulkList>(
    `select ${listColumns} from sign.bulk_list where organization_id = $1 and id = $2`,
    [orgId, id],
  );
  return rows[0];
}

/** A bulk list as it appears in a list of bulk lists. */
export type BulkListSummary = Omit<BulkList, "copies"> & { readonly copyCount: number };

const maxListed = 1_000;

export async function listBulkLists({ orgId, client }: Tenant): Promise<BulkListSummary[]> {
  const { rows } = await client.query<BulkListSummary>(
    `select id, name, copy_count as "copyCount", created_at as "createdAt" from sign.bulk_list
      where organization_id = $1 order by created_at desc, id desc limit ${maxListed}`,
    [orgId],
  );
  return rows;
}

/** Undefined when the list does not exist. */
export async function replaceBulkList(
  { orgId, client }: Tenant,
  id: string,
  { name, copies }: Pick<BulkList, "name" | "copies">,
): Promise<BulkList | undefined> {
  const { rows } = await client.query<BulkList>(
    `update sign.bulk_list set name = $3, copies = $4, copy_count = $5 where organization_id = $1 and id = $2
      returning ${listColumns}`,
    [orgId, id, name, JSON.stringify(copies), copies.length],
  );
  return rows[0];
}

/** False when the list does not exist. */
export async function deleteBulkList({ orgId, client }: Tenant, id: string): Promise<boolean> {
  const { rowCount } = await client.query("delete from sign.bulk_list where organization_id = $1 and id = $2", [
    orgId,
    id,
  ]);
  return rowCount === 1;
}

/** Runs in the transaction that creates the jobs of the batch's copies. */
export async function insertBulkBatch({ orgId, client }: Tenant, batch: BulkBatch): Promise<void> {
  await client.query(
    `insert into sign.bulk_batch (organization_id, id, list_id, name, source_id, copies, total, created_by,
        submitted_at, ended_at)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
    [
      orgId,
      batch.id,
      batch.listId,
      batch.name,
      batch.sourceId,
      JSON.stringify(batch.copies),
      batch.total,
      batch.createdBy,
      batch.submittedAt,
      batch.endedAt,
    ],
  );
}

const summaryColumns = `id, list_id as "listId", name, source_id as "sourceId", total, sent, failed, failures,
  created_by as "createdBy", submitted_at as "submittedAt", ended_at as "endedAt"`;

/** A batch without its copies. */
export type BulkBatchSummary = Omit<BulkBatch, "copies">;

export async function findBulkBatch({ orgId, client }: Tenant, id: string): Promise<BulkBatchSummary | undefined> {
  const { rows } = await client.query<BulkBatchSummary>(
    `select ${summaryColumns} from sign.bulk_batch where organization_id = $1 and id = $2`,
    [orgId, id],
  );
  return rows[0];
}

export async function listBulkBatches({ orgId, client }: Tenant, limit: number): Promise<BulkBatchSummary[]> {
  const { rows } = await client.query<BulkBatchSummary>(
    `select ${summaryColumns} from sign.bulk_batch where organization_id = $1
      order by submitted_at desc, id desc limit $2`,
    [orgId, limit],
  );
  return rows;
}

/** One copy of a batch, with its sender. */
export async function findBulkCopy(
  { orgId, client }: Tenant,
  batchId: string,
  index: number,
): Promise<(Pick<BulkBatch, "sourceId" | "createdBy"> & { copy: BulkBatch["copies"][number] }) | undefined> {
  const { rows } = await client.query<{
    sourceId: string;
    createdBy: string;
    copy: BulkBatch["copies"][number] | null;
  }>(
    `select source_id as "sourceId", created_by as "createdBy", copies -> $3::int as copy
      from sign.bulk_batch where organization_id = $1 and id = $2`,
    [orgId, batchId, index],
  );
  const [row] = rows;
  return row === undefined || row.copy === null ? undefined : { ...row, copy: row.copy };
}

/** Records the agreement that a copy has become, in the transaction that creates it. */
export async function noteBulkAgreement(
  { orgId, client }: Tenant,
  batchId: string,
  agreementId: string,
): Promise<void> {
  await client.query("update sign.agreement set bulk_batch_id = $3 where organization_id = $1 and id = $2", [
    orgId,
    agreementId,
    batchId,
  ]);
}

/**
 * Records that a copy was sent or failed, in the same transaction, so that each counts once. When the last copy
 * ends, the copies and the personal data in them are deleted.
 */
export async function noteBulkCopy(
  { orgId, client }: Tenant,
  batchId: string,
  now: Date,
  failure?: BulkFailure,
): Promise<void> {
  await client.query(
    `update sign.bulk_batch set sent = sent + $3, failed = failed + $4, failures = failures || $5::jsonb,
        ended_at = case when sent + failed + 1 = total then $6::timestamptz end,
        copies = case when sent + failed + 1 = total then '[]' else copies end
      where organization_id = $1 and id = $2`,
    [
      orgId,
      batchId,
      failure === undefined ? 1 : 0,
      failure === undefined ? 0 : 1,
      JSON.stringify(failure === undefined ? [] : [failure]),
      now,
    ],
  );
}

/** The overrides of one copy in a bulk list, stored as given and checked when the copy is sent. */
export type BulkCopy = JsonObject;

export interface BulkList {
  readonly id: string;
  readonly name: string;
  readonly copies: readonly BulkCopy[];
  readonly createdAt: Date;
}

/** One sending of a bulk list. */
export interface BulkBatch {
  readonly id: string;
  readonly listId: string;
  readonly name: string;
  /** The draft or template to send. */
  readonly sourceId: string;
  /** The list's copies at the time of sending. */
  readonly copies: readonly BulkCopy[];
  readonly total: number;
  readonly sent: number;
  readonly failed: number;
  readonly failures: readonly BulkFailure[];
  readonly createdBy: string;
  readonly submittedAt: Date;
  readonly endedAt: Date | null;
}

/** A copy that could not be sent, with the reason. */
interface BulkFailure {
  readonly index: number;
  readonly errorCode: string;
  readonly message: string;
}
