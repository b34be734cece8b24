import type pg from "pg";
import type { OrgId } from "#platform/ids.ts";
import type { Tile, TileName } from "#platform/transparency/tiles.ts";
import type { anchorLogId } from "../log/leaf.ts";

/** The log of an organization, or the anchor log, which every organization may read. */
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

/** How many leaves are recorded, whether the tree has them already or not. */
export async function findLogSize(logId: LogId, client: pg.ClientBase): Promise<number> {
  const result = await client.query<{ size: string }>("select size from click.log_head where organization_id = $1", [
    logId,
  ]);
  return Number(result.rows[0]?.size ?? 0);
}

const checkpointColumns = `size, note, created_at as "createdAt"`;

export async function findNewestCheckpoint(logId: LogId, client: pg.ClientBase): Promise<StoredCheckpoint | undefined> {
  const result = await client.query<CheckpointRow>(
    `select ${checkpointColumns} from click.log_checkpoint where organization_id = $1 order by size desc limit 1`,
    [logId],
  );
  return checkpointOf(result.rows);
}

/** The checkpoint of exactly this size. */
export async function findCheckpoint(
  logId: LogId,
  client: pg.ClientBase,
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
  logId: LogId,
  client: pg.ClientBase,
  leafIndex: number,
): Promise<StoredCheckpoint | undefined> {
  const result = await client.query<CheckpointRow>(
    `select ${checkpointColumns} from click.log_checkpoint where organization_id = $1 and size > $2 order by size limit 1`,
    [logId, leafIndex],
  );
  return checkpointOf(result.rows);
}

/** Those of the tiles that there are, as wide as they have become: a partial one may be wider than it once was. */
export async function readTiles(logId: LogId, client: pg.ClientBase, names: readonly TileName[]): Promise<Tile[]> {
  if (names.length === 0) return [];
  const result = await client.query<{ level: number; tile: string; hashes: Buffer }>(
    `select t.level, t.tile, t.hashes
     from unnest($2::smallint[], $3::bigint[]) as n (level, tile)
     join click.log_tile t on t.organization_id = $1 and t.level = n.level and t.tile = n.tile`,
    [logId, names.map(({ level }) => level), names.map(({ tile }) => tile)],
  );
  return result.rows.map(({ level, tile, hashes }) => ({ level, tile: Number(tile), hashes }));
}
