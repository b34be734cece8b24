import type pg from "pg";
import type { OrgId } from "#platform/ids.ts";
import type { SignedLeaf } from "../log/leaf.ts";

const appendSql = `
with head as (
  insert into click.log_head as h (organization_id, size) values ($1, cardinality($2::uuid[]))
  on conflict (organization_id) do update set size = h.size + excluded.size
  returning size
)
insert into click.log_leaf (organization_id, leaf_index, record_id, leaf_hash, signed_by, signature, leaf)
select $1, head.size - cardinality($2::uuid[]) + l.n - 1, l.record_id, l.leaf_hash, l.signed_by, l.signature, l.leaf
from head, unnest($2::uuid[], $3::bytea[], $4::integer[], $5::bytea[], $6::bytea[])
  with ordinality as l (record_id, leaf_hash, signed_by, signature, leaf, n)
returning leaf_index as "leafIndex"`;

/**
 * Adds leaves to the organization's log and gives their indexes, in the order of the leaves. From here to the end of the
 * transaction nobody else can add to this log: it must be the last statement, and nothing may be waited for after it.
 */
export async function appendLeaves(
  orgId: OrgId,
  client: pg.ClientBase,
  leaves: readonly SignedLeaf[],
): Promise<number[]> {
  if (leaves.length === 0) return [];
  const result = await client.query<{ leafIndex: string }>(appendSql, [
    orgId,
    leaves.map((leaf) => leaf.recordId),
    leaves.map((leaf) => leaf.leafHash),
    leaves.map((leaf) => leaf.signedBy),
    leaves.map((leaf) => leaf.signature),
    leaves.map((leaf) => leaf.leaf),
  ]);
  return result.rows.map((row) => Number(row.leafIndex)).sort((a, b) => a - b);
}

/** A leaf as the log holds it. */
export interface LoggedLeaf {
  readonly recordId: string;
  readonly leafIndex: number;
  readonly leafHash: Buffer;
  readonly signedBy: number;
  readonly signature: Buffer;
  readonly leaf: Buffer;
}

interface LeafRow extends Omit<LoggedLeaf, "leafIndex"> {
  /** bigint comes as text. */
  readonly leafIndex: string;
}

const leafColumns = `record_id as "recordId", leaf_index as "leafIndex", leaf_hash as "leafHash", signed_by as "signedBy",
  signature, leaf`;

/** The leaves of these records, by record id; those that have none are left out. */
export async function findLeaves(
  orgId: OrgId,
  client: pg.ClientBase,
  recordIds: readonly string[],
): Promise<ReadonlyMap<string, LoggedLeaf>> {
  if (recordIds.length === 0) return new Map();
  const result = await client.query<LeafRow>(
    `select ${leafColumns} from click.log_leaf where organization_id = $1 and record_id = any($2)`,
    [orgId, recordIds],
  );
  return new Map(result.rows.map((row) => [row.recordId, { ...row, leafIndex: Number(row.leafIndex) }]));
}
