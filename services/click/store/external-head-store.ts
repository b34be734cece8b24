import type pg from "pg";
import type { OrgId } from "#platform/ids.ts";
import type { ExternalHead } from "../domain/external-head-leaf.ts";

/** A head with its place in the log. */
export interface LoggedHead extends ExternalHead {
  readonly leafIndex: number;
  readonly leafHash: Buffer;
  /** The exact bytes that were signed. */
  readonly leaf: Buffer;
}

/** The head that was entered for this; its row and its leaf are of one transaction. */
export async function findExternalHead(
  orgId: OrgId,
  client: pg.ClientBase,
  { source, agreementId }: Pick<ExternalHead, "source" | "agreementId">,
): Promise<LoggedHead | undefined> {
  const { rows } = await client.query<Omit<LoggedHead, "leafIndex"> & { readonly leafIndex: string }>(
    `select h.source, h.agreement_id as "agreementId", h.head_hash as "headHash", h.sequence,
       h.completed_at as "completedAt", l.leaf_index as "leafIndex", l.leaf_hash as "leafHash", l.leaf
     from click.external_head h
     join click.log_leaf l on l.organization_id = h.organization_id and l.record_id = h.record_id
     where h.organization_id = $1 and h.source = $2 and h.agreement_id = $3`,
    [orgId, source, agreementId],
  );
  return rows[0] && { ...rows[0], leafIndex: Number(rows[0].leafIndex) };
}

/** Notes a head; false when there is one already. Waits for others that are just entering one for the same. */
export async function insertExternalHead(
  orgId: OrgId,
  client: pg.ClientBase,
  { source, agreementId, headHash, sequence, completedAt }: ExternalHead,
  { recordId, recordedAt }: { readonly recordId: string; readonly recordedAt: Date },
): Promise<boolean> {
  const { rowCount } = await client.query(
    `insert into click.external_head
       (organization_id, source, agreement_id, record_id, head_hash, sequence, completed_at, recorded_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict do nothing`,
    [orgId, source, agreementId, recordId, headHash, sequence, completedAt.toISOString(), recordedAt.toISOString()],
  );
  return rowCount === 1;
}
