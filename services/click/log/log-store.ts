import type { Tenant } from "#platform/db/pool.ts";
import type { OrgId } from "#platform/ids.ts";
import type { Tile, TileName } from "#platform/transparency/tiles.ts";
import type { anchorLogId, SignedLeaf } from "./leaf.ts";

const appendSql = `
with head as (
  insert into click.log_head as h (organization_id, size) values ($1, cardinality($2::uuid[]))
  on conflict (organization_id) do update set size = h.size + excluded.size
  returning size, epoch
)
insert into click.log_leaf (organization_id, leaf_index, record_id, leaf_hash, signed_by, signature, leaf, epoch)
select $1, head.size - cardinality($2::uuid[]) + l.n - 1, l.record_id, l.leaf_hash, l.signed_by, l.signature, l.leaf,
  nullif(head.epoch, 1)
from head, unnest($2::uuid[], $3::bytea[], $4::integer[], $5::bytea[], $6::bytea[])
  with ordinality as l (record_id, leaf_hash, signed_by, signature, leaf, n)
returning leaf_index as "leafIndex", epoch`;

/** Where a leaf stands in its log. */
export interface LeafPlace {
  readonly leafIndex: number;
  /** Of the log, when the leaf was recorded; null for the first. */
  readonly epoch: number | null;
}

/**
 * Appends leaves to the organization's log and returns their places, in order. Locks the log until the end of
 * the transaction: it must be the last statement, and nothing may be awaited after it.
 */
export async function appendLeaves({ orgId, client }: Tenant, leaves: readonly SignedLeaf[]): Promise<LeafPlace[]> {
  if (leaves.length === 0) return [];
  const result = await client.query<{ leafIndex: string; epoch: number | null }>(appendSql, [
    orgId,
    leaves.map((leaf) => leaf.recordId),
    leaves.map((leaf) => leaf.leafHash),
    leaves.map((leaf) => leaf.signedBy),
    leaves.map((leaf) => leaf.signature),
    leaves.map((leaf) => leaf.leaf),
  ]);
  const places = result.rows.map(({ leafIndex, epoch }) => ({ leafIndex: Number(leafIndex), epoch }));
  return places.sort((a, b) => a.leafIndex - b.leafIndex);
}

/** A leaf in the log. */
export interface LoggedLeaf extends LeafPlace {
  readonly recordId: string;
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
  signature, leaf, epoch`;

/** The leaves of these records, by record id; records without a leaf are missing. */
export async function findLeaves(
  { orgId, client }: Tenant,
  recordIds: readonly string[],
): Promise<ReadonlyMap<string, LoggedLeaf>> {
  if (recordIds.length === 0) return new Map();
  const result = await client.query<LeafRow>(
    `select ${leafColumns} from click.log_leaf where organization_id = $1 and record_id = any($2)`,
    [orgId, recordIds],
  );
  return new Map(result.rows.map((row) => [row.recordId, { ...row, leafIndex: Number(row.leafIndex) }]));
}

/** An organization's log, or the anchor log, which every organization may read. */
export type LogId = OrgId | typeof anchorLogId;

/** A checkpoint that was published. */
export interface StoredCheckpoint {
  readonly size: number;
  /** The signed note. */
  readonly note: string;
  readonly createdAt: Date;
}

interface CheckpointRow extends Omit<StoredCheckpoint, "size"> {
  /** bigint comes as text. */
  readonly size: string;
}

const checkpointOf = ([row]: readonly CheckpointRow[]): StoredCheckpoint | undefined =>
  row && { ...row, size: Number(row.size) };

/** The number of recorded leaves, including those not in the tree yet. */
export async function findLogSize({ orgId: logId, client }: Tenant): Promise<number> {
  const result = await client.query<{ size: string }>("select size from click.log_head where organization_id = $1", [
    logId,
  ]);
  return Number(result.rows[0]?.size ?? 0);
}

const checkpointColumns = `size, note, created_at as "createdAt"`;

export async function findNewestCheckpoint({ orgId: logId, client }: Tenant): Promise<StoredCheckpoint | undefined> {
  const result = await client.query<CheckpointRow>(
    `select ${checkpointColumns} from click.log_checkpoint where organization_id = $1 order by size desc limit 1`,
    [logId],
  );
  return checkpointOf(result.rows);
}

/** The checkpoint of exactly this size. */
export async function findCheckpoint(
  { orgId: logId, client }: Tenant,
  size: number,
): Promise<StoredCheckpoint | undefined> {
  const result = await client.query<CheckpointRow>(
    `select ${checkpointColumns} from click.log_checkpoint where organization_id = $1 and size = $2`,
    [logId, size],
  );
  return checkpointOf(result.rows);
}

/** The first checkpoint that covers a leaf. */
export async function findCheckpointCovering(
  { orgId: logId, client }: Tenant,
  leafIndex: number,
): Promise<StoredCheckpoint | undefined> {
  const result = await client.query<CheckpointRow>(
    `select ${checkpointColumns} from click.log_checkpoint where organization_id = $1 and size > $2 order by size limit 1`,
    [logId, leafIndex],
  );
  return checkpointOf(result.rows);
}

/** The existing ones of these tiles, in full width: a partial tile may have grown since. */
export async function readTiles({ orgId: logId, client }: Tenant, names: readonly TileName[]): Promise<Tile[]> {
  if (names.length === 0) return [];
  const result = await client.query<{ level: number; tile: string; hashes: Buffer }>(
    `select t.level, t.tile, t.hashes
     from unnest($2::smallint[], $3::bigint[]) as n (level, tile)
     join click.log_tile t on t.organization_id = $1 and t.level = n.level and t.tile = n.tile`,
    [logId, names.map(({ level }) => level), names.map(({ tile }) => tile)],
  );
  return result.rows.map(({ level, tile, hashes }) => ({ level, tile: Number(tile), hashes }));
}
