import type pg from "pg";
import type { Tenant } from "#platform/db/pool.ts";

/** What the database has of a log. */
export interface LogState {
  readonly leaves: number;
  readonly epoch: number;
  readonly treeSize: number;
  readonly frontier: Buffer;
  /** Of the tree; null when there is none. */
  readonly root: Buffer | null;
  /** Of the checkpoint that was published at the size that was asked for. */
  readonly rootThen: Buffer | null;
}

export async function readLogState(client: pg.ClientBase, logId: string, size: number): Promise<LogState> {
  type Row = Omit<LogState, "leaves" | "treeSize"> & Record<"leaves" | "treeSize", string>;
  const { rows } = await client.query<Row>(
    `select coalesce(h.size, 0) as leaves, coalesce(h.epoch, 1) as epoch, coalesce(t.size, 0) as "treeSize",
       coalesce(t.frontier, '') as frontier, t.root, c.root as "rootThen"
     from (select $1::uuid as id) l
     left join click.log_head h on h.organization_id = l.id
     left join click.log_tree t on t.organization_id = l.id
     left join click.log_checkpoint c on c.organization_id = l.id and c.size = $2`,
    [logId, size],
  );
  const row = rows[0] as Row;
  return { ...row, leaves: Number(row.leaves), treeSize: Number(row.treeSize) };
}

/** Locks the log's head until the end of the transaction; undefined when the log has no leaves. */
export async function lockHead({
  orgId,
  client,
}: Tenant): Promise<{ readonly leaves: number; readonly epoch: number } | undefined> {
  const { rows } = await client.query<{ size: string; epoch: number }>(
    "select size, epoch from click.log_head where organization_id = $1 for update",
    [orgId],
  );
  return rows[0] && { leaves: Number(rows[0].size), epoch: rows[0].epoch };
}

/** A new epoch of a log. */
export interface LogEpoch {
  readonly epoch: number;
  /** Of its first leaf. */
  readonly firstIndex: number;
  /** The size of the last checkpoint that the database had. */
  readonly treeSize: number;
  /** What the former epochs had signed and the database lacks: from this index, up to and without the other. */
  readonly missing: { readonly from: number; readonly to: number };
  /** The newest checkpoint that is known of before. */
  readonly former: { readonly epoch: number; readonly size: number; readonly note: string };
  readonly openedAt: Date;
  /** The operator who knew of it before it was opened; absent when somebody is yet to confirm it. */
  readonly confirmedBy?: string | undefined;
}

/** Records the epoch and makes it the current one. The head is locked. */
export async function insertEpoch({ orgId, client }: Tenant, opened: LogEpoch): Promise<void> {
  const { epoch, firstIndex, treeSize, missing, former, openedAt, confirmedBy = null } = opened;
  const at = openedAt.toISOString();
  await client.query(
    `insert into click.log_epoch (organization_id, epoch, first_index, tree_size, missing_from, former_epoch, former_size,
       former_note, opened_at, confirmed_at, confirmed_by)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, case when $10::text is null then null else $9::timestamptz end, $10)`,
    [orgId, epoch, firstIndex, treeSize, missing.from, former.epoch, former.size, former.note, at, confirmedBy],
  );
  await client.query("update click.log_head set epoch = $2 where organization_id = $1", [orgId, epoch]);
}

const columns = `e.organization_id as "logId", e.epoch, e.first_index as "firstIndex", e.tree_size as "treeSize",
  e.missing_from as "missingFrom", e.former_epoch as "formerEpoch", e.former_size as "formerSize",
  e.former_note as "formerNote", e.opened_at as "openedAt", e.confirmed_at as "confirmedAt",
  e.confirmed_by as "confirmedBy"`;

interface EpochRow extends Record<"firstIndex" | "treeSize" | "missingFrom" | "formerSize", string> {
  readonly logId: string;
  readonly epoch: number;
  readonly formerEpoch: number;
  readonly formerNote: string;
  readonly openedAt: Date;
  readonly confirmedAt: Date | null;
  readonly confirmedBy: string | null;
}

/** An epoch as it stands in the database. */
export interface StoredEpoch extends Omit<LogEpoch, "confirmedBy"> {
  readonly logId: string;
  /** When an operator has taken note of it. */
  readonly confirmedAt: Date | null;
  /** Null also for those that were confirmed before names were kept. */
  readonly confirmedBy: string | null;
}

const epochOfRow = (row: EpochRow): StoredEpoch => ({
  ...{ logId: row.logId, epoch: row.epoch, openedAt: row.openedAt },
  ...{ confirmedAt: row.confirmedAt, confirmedBy: row.confirmedBy },
  ...{ firstIndex: Number(row.firstIndex), treeSize: Number(row.treeSize) },
  missing: { from: Number(row.missingFrom), to: Number(row.formerSize) },
  former: { epoch: row.formerEpoch, size: Number(row.formerSize), note: row.formerNote },
});

/** The epochs of a log after the first, in their order. */
export async function listEpochs({ orgId, client }: Tenant): Promise<StoredEpoch[]> {
  const { rows } = await client.query<EpochRow>(
    `select ${columns} from click.log_epoch e where e.organization_id = $1 order by e.epoch`,
    [orgId],
  );
  return rows.map(epochOfRow);
}

// Everything below spans organizations: pools connect as the integrator.

/** The epochs that were opened, those that nobody has confirmed first, then the latest. */
export async function listAllEpochs(pool: pg.Pool, limit: number): Promise<StoredEpoch[]> {
  const { rows } = await pool.query<EpochRow>(
    `select ${columns} from click.log_epoch e
     order by e.confirmed_at is not null, e.opened_at desc, e.organization_id, e.epoch limit $1`,
    [limit],
  );
  return rows.map(epochOfRow);
}

/** How many epochs nobody has confirmed, and the highest number of any. */
export async function countEpochs(pool: pg.Pool): Promise<{ readonly unconfirmed: number; readonly highest: number }> {
  const { rows } = await pool.query<{ unconfirmed: number; highest: number }>(
    `select count(*) filter (where confirmed_at is null)::integer as unconfirmed, coalesce(max(epoch), 1) as highest
     from click.log_epoch`,
  );
  return rows[0] as { unconfirmed: number; highest: number };
}

/** As many epochs as may have been opened and forgotten again after one that is known. */
const forgottenEpochs = 50;

/** The numbers of the epochs that logs have or had: those that are known, and those in between that may be forgotten. */
export async function findEpochNumbers(pool: pg.Pool): Promise<number[]> {
  const { rows } = await pool.query<{ epoch: number }>(
    `select epoch from click.log_epoch union select former_epoch from click.log_epoch
     union select first_epoch from click.log_witness`,
  );
  const known = [1, ...rows.map(({ epoch }) => epoch)].sort((a, b) => a - b);
  const highest = known.at(-1) ?? 1;
  const after = known.flatMap((one) => Array.from({ length: forgottenEpochs }, (_, n) => one + n));
  return [...new Set(after)].filter((one) => one <= highest);
}

/** Confirms the epochs of a log, or of all, for an operator; how many were not confirmed before. */
export async function confirmEpochs(
  pool: pg.Pool,
  logId: string | undefined,
  { operator, now }: { readonly operator: string; readonly now: Date },
): Promise<number> {
  const { rowCount } = await pool.query(
    `update click.log_epoch set confirmed_at = $2, confirmed_by = $3
     where confirmed_at is null and ($1::uuid is null or organization_id = $1)`,
    [logId ?? null, now.toISOString(), operator],
  );
  return rowCount ?? 0;
}

/** Which witness of the logs the database knows. */
export interface StoredWitness {
  readonly marker: string;
  readonly since: Date;
  /** The operator who has confirmed it; null for the first one. */
  readonly confirmedBy: string | null;
  /** Nothing is signed in an epoch before this one, except in the logs of organizations that are younger. */
  readonly firstEpoch: number;
}

export async function findWitness(client: pg.Pool | pg.ClientBase): Promise<StoredWitness | undefined> {
  const { rows } = await client.query<StoredWitness>(
    'select marker, since, confirmed_by as "confirmedBy", first_epoch as "firstEpoch" from click.log_witness',
  );
  return rows[0];
}

/** The same; until the transaction ends nobody else locks it. */
export async function lockWitness(client: pg.ClientBase): Promise<StoredWitness | undefined> {
  await client.query("select pg_advisory_xact_lock(hashtextextended('click log witness', 0))");
  return findWitness(client);
}

/**
 * Takes the place of the one that is known. It is locked. One that an operator has confirmed begins epochs with numbers that
 * no log ever had, not even in what the database has forgotten: `atLeast`, or higher.
 */
export async function storeWitness(
  client: pg.ClientBase,
  { marker, since, confirmedBy }: Omit<StoredWitness, "firstEpoch">,
  atLeast: number,
): Promise<void> {
  await client.query(
    `insert into click.log_witness as w (marker, since, confirmed_by, first_epoch)
     select $1, $2, $3, case when $3::text is null then 1
       else greatest($4::integer, 1 + (select coalesce(max(epoch), 1) from click.log_epoch)) end
     on conflict (only_one) do update
     set marker = excluded.marker, since = excluded.since, confirmed_by = excluded.confirmed_by,
       first_epoch = greatest(excluded.first_epoch, w.first_epoch + 1)`,
    [marker, since.toISOString(), confirmedBy, atLeast],
  );
}

const logsAtOnce = 500;

/** The logs in epochs before the first one of the witness, some at a time. */
export async function* listFormerLogs(pool: pg.Pool): AsyncGenerator<string[]> {
  let after = "00000000-0000-0000-0000-000000000000";
  let isFirst = true;
  for (;;) {
    const { rows } = await pool.query<{ logId: string }>(
      `select h.organization_id as "logId" from click.log_head h join click.log_witness w on h.epoch < w.first_epoch
       where h.organization_id > $1 or ($2 and h.organization_id = $1) order by 1 limit $3`,
      [after, isFirst, logsAtOnce],
    );
    if (rows.length > 0) yield rows.map(({ logId }) => logId);
    if (rows.length < logsAtOnce) return;
    after = rows.at(-1)?.logId ?? after;
    isFirst = false;
  }
}
