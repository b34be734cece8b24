import type pg from "pg";
import type { Tenant } from "#platform/db/pool.ts";
import { anchorLogId } from "./leaf.ts";
import type { ExternalHead } from "./log-leaves.ts";
import type { StoredCheckpoint } from "./log-store.ts";

/** A published checkpoint. */
export type Published = Pick<StoredCheckpoint, "size" | "note">;

/** Proof that an organization's checkpoint existed at some time. */
export interface Anchoring {
  /** The organization's checkpoint; the leaf of the anchor log is the SHA-256 of its note. */
  readonly checkpoint: Published;
  /** Its index in the anchor log. */
  readonly anchorIndex: number;
  readonly anchorCheckpoint: Published;
  /** The RFC 3161 token over the anchor checkpoint's note; null while there is none. */
  readonly token: Buffer | null;
  readonly tsaName: string | null;
}

const findAnchoringSql = `
with anchored as (
  select a.anchor_index, c.size, c.note
  from click.anchor a
  join click.log_checkpoint c on c.organization_id = a.organization_id and c.size = a.checkpoint_size
  where a.organization_id = $1 and a.checkpoint_size > $2
  order by a.checkpoint_size
  limit 1
),
stamped as (
  select s.anchor_size, s.token, s.tsa_name
  from anchored a, click.anchor_timestamp s
  where s.anchor_size > a.anchor_index
  order by s.anchor_size
  limit 1
),
newest as (
  select c.size
  from anchored a, click.log_checkpoint c
  where c.organization_id = '${anchorLogId}' and c.size > a.anchor_index
  order by c.size desc
  limit 1
)
select a.size, a.note, a.anchor_index as "anchorIndex", c.size as "anchorSize", c.note as "anchorNote",
  s.token, s.tsa_name as "tsaName"
from anchored a
left join stamped s on true
join click.log_checkpoint c on c.organization_id = '${anchorLogId}'
  and c.size = coalesce(s.anchor_size, (select size from newest))`;

/**
 * The first anchored checkpoint that covers a leaf, and the first timestamped anchor checkpoint that covers
 * that one, or the newest while none is timestamped. Undefined while there is none.
 */
export async function findAnchoring({ orgId, client }: Tenant, leafIndex: number): Promise<Anchoring | undefined> {
  type Row = Record<"size" | "note" | "anchorIndex" | "anchorSize" | "anchorNote", string> &
    Pick<Anchoring, "token" | "tsaName">;
  const row = (await client.query<Row>(findAnchoringSql, [orgId, leafIndex])).rows[0];
  if (row === undefined) return undefined;
  return {
    checkpoint: { size: Number(row.size), note: row.note },
    anchorIndex: Number(row.anchorIndex),
    anchorCheckpoint: { size: Number(row.anchorSize), note: row.anchorNote },
    token: row.token,
    tsaName: row.tsaName,
  };
}

// Everything below spans organizations: pools and clients connect as the integrator.

/** Makes this process the anchoring one until the end of the transaction; false when another one is. */
export async function leadAnchoring(client: pg.ClientBase): Promise<boolean> {
  const result = await client.query<{ leads: boolean }>(
    "select pg_try_advisory_xact_lock(hashtextextended('click anchor', 0)) as leads",
  );
  return result.rows[0]?.leads === true;
}

// Leaves are ordered by hash, which reveals nothing about whose they are.
const anchorSql = `
with moved as materialized (
  select c.organization_id, c.size, c.leaf, row_number() over (order by c.leaf) as n
  from (
    select t.organization_id, t.size, sha256(convert_to(c.note, 'UTF8')) as leaf
    from click.log_tree t
    join click.log_checkpoint c on c.organization_id = t.organization_id and c.size = t.size
    where t.size > t.anchored_size and t.organization_id <> '${anchorLogId}'
    limit $1
  ) c
),
head as (
  insert into click.log_head as h (organization_id, size)
  select '${anchorLogId}', count(*) from moved having count(*) > 0
  on conflict (organization_id) do update set size = h.size + excluded.size
  returning size
),
placed as materialized (
  select m.organization_id, m.size, m.leaf, head.size - (select count(*) from moved) + m.n - 1 as anchor_index
  from moved m, head
),
leaves as (
  insert into click.log_leaf (organization_id, leaf_index, record_id, leaf_hash, leaf)
  select '${anchorLogId}', anchor_index, gen_random_uuid(), sha256('\\x00'::bytea || leaf), leaf from placed
),
anchors as (
  insert into click.anchor (organization_id, checkpoint_size, anchor_index)
  select organization_id, size, anchor_index from placed
)
update click.log_tree t set anchored_size = p.size from placed p where t.organization_id = p.organization_id`;

/**
 * Adds the latest checkpoints of logs that have grown since they were last anchored to the anchor log, up to a
 * limit. Returns how many. A single statement, so it happens completely or not at all.
 */
export async function anchorCheckpoints(pool: pg.Pool, limit: number): Promise<number> {
  return (await pool.query(anchorSql, [limit])).rowCount ?? 0;
}

/** A checkpoint in the anchor log. */
export interface AnchoredCheckpoint {
  readonly organizationId: string;
  readonly anchorIndex: number;
  readonly note: string;
}

/** The checkpoints at these indexes of the anchor log, from `from` up to but excluding `to`. */
export async function listAnchored(client: pg.ClientBase, from: number, to: number): Promise<AnchoredCheckpoint[]> {
  type Row = Omit<AnchoredCheckpoint, "anchorIndex"> & { anchorIndex: string };
  const result = await client.query<Row>(
    `select a.organization_id as "organizationId", a.anchor_index as "anchorIndex", c.note
     from click.anchor a
     join click.log_checkpoint c on c.organization_id = a.organization_id and c.size = a.checkpoint_size
     where a.anchor_index >= $1 and a.anchor_index < $2
     order by a.anchor_index`,
    [from, to],
  );
  return result.rows.map((row) => ({ ...row, anchorIndex: Number(row.anchorIndex) }));
}

export interface NewestAnchor extends StoredCheckpoint {
  readonly isStamped: boolean;
}

/** The anchor log's latest checkpoint. */
export async function findNewestAnchor(pool: pg.Pool): Promise<NewestAnchor | undefined> {
  type Row = Omit<NewestAnchor, "size"> & { size: string };
  const result = await pool.query<Row>(
    `select c.size, c.note, c.created_at as "createdAt", s.anchor_size is not null as "isStamped"
     from click.log_checkpoint c
     left join click.anchor_timestamp s on s.anchor_size = c.size
     where c.organization_id = $1
     order by c.size desc
     limit 1`,
    [anchorLogId],
  );
  const row = result.rows[0];
  return row && { ...row, size: Number(row.size) };
}

export interface StoredTimestamp {
  readonly anchorSize: number;
  /** DER of the TimeStampToken (RFC 3161 §2.4.2). */
  readonly token: Buffer;
  readonly tsaName: string;
  readonly stampedAt: Date;
}

/** Stores the first token only. */
export async function insertTimestamp(pool: pg.Pool, stamp: StoredTimestamp, now: Date): Promise<void> {
  await pool.query(
    `insert into click.anchor_timestamp (anchor_size, token, tsa_name, stamped_at, created_at)
     values ($1, $2, $3, $4, $5) on conflict (anchor_size) do nothing`,
    [stamp.anchorSize, stamp.token, stamp.tsaName, stamp.stampedAt.toISOString(), now.toISOString()],
  );
}

/** A head with its position in the log. */
export interface LoggedHead extends ExternalHead {
  readonly leafIndex: number;
  readonly leafHash: Buffer;
  /** The exact bytes that were signed. */
  readonly leaf: Buffer;
}

/** The stored head of the same trail, or of the same erasure; its row and leaf were written in one transaction. */
export async function findExternalHead(
  { orgId, client }: Tenant,
  { source, agreementId, sequence }: Pick<ExternalHead, "source" | "agreementId" | "sequence">,
): Promise<LoggedHead | undefined> {
  const { rows } = await client.query<Omit<LoggedHead, "leafIndex"> & { readonly leafIndex: string }>(
    `select h.source, h.agreement_id as "agreementId", h.head_hash as "headHash", h.sequence,
       h.completed_at as "completedAt", l.leaf_index as "leafIndex", l.leaf_hash as "leafHash", l.leaf
     from click.external_head h
     join click.log_leaf l on l.organization_id = h.organization_id and l.record_id = h.record_id
     where h.organization_id = $1 and h.source = $2 and h.agreement_id = $3
       and (h.source <> 'sign.erasure' or h.sequence = $4)`,
    [orgId, source, agreementId, sequence],
  );
  return rows[0] && { ...rows[0], leafIndex: Number(rows[0].leafIndex) };
}

/** Records a head; false when there is one already. Waits for a concurrent insert of the same head. */
export async function insertExternalHead(
  { orgId, client }: Tenant,
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
