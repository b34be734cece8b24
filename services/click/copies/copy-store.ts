import type pg from "pg";
import type { Tenant } from "#platform/db/pool.ts";
import type { OrgId } from "#platform/ids.ts";
import type { Copy, CopyStatus } from "./copy.ts";

/** A copy that is ours until the lease is over, or until another process takes it after that. */
export interface ClaimedCopy {
  readonly orgId: OrgId;
  readonly receiptId: string;
  readonly claim: string;
  /** The current attempt included; above the limit if processes died during the last one. */
  readonly attempts: number;
}

const claimSql = `
with due as materialized (
  select organization_id, receipt_id, attempts from click.copy
  where status = 'WAITING' and run_at <= $4 and (claimed_until is null or claimed_until <= $2)
    and not ($6 and organization_id in (
      select organization_id from click.copy where status = 'WAITING' and claimed_until > $2
    ))
  order by run_at limit 1
  for no key update skip locked
)
update click.copy c set claim = $1, claimed_until = $3, attempts = least(due.attempts + 1, $5) from due
where c.organization_id = due.organization_id and c.receipt_id = due.receipt_id
returning c.organization_id as "orgId", c.receipt_id as "receiptId", c.claim, due.attempts + 1 as attempts`;

/**
 * Takes what has been due longest, of an organization that has none under way if there is one: the backlog of one holds
 * back no other. The pool must connect as the sweeper, who sees no addresses.
 */
export async function claimCopy(
  pool: pg.Pool,
  lease: {
    readonly claim: string;
    readonly now: Date;
    readonly until: Date;
    /** Only what has been due since then. */
    readonly dueSince: Date;
    readonly maxAttempts: number;
  },
): Promise<ClaimedCopy | undefined> {
  const times = [lease.now, lease.until, lease.dueSince].map((time) => time.toISOString());
  for (const spares of [true, false]) {
    const { rows } = await pool.query<ClaimedCopy>(claimSql, [lease.claim, ...times, lease.maxAttempts, spares]);
    if (rows[0] !== undefined) return rows[0];
  }
  return undefined;
}

/** The session of the acceptance; undefined when the copy belongs to somebody else by now. */
export async function findClaimedSession(
  { orgId, client }: Tenant,
  { receiptId, claim }: ClaimedCopy,
): Promise<string | undefined> {
  const { rows } = await client.query<{ id: string }>(
    `select coalesce(a.session_id, a.receipt_id) as id from click.copy c
     join click.acceptance a on a.organization_id = c.organization_id and a.receipt_id = c.receipt_id
     where c.organization_id = $1 and c.receipt_id = $2 and c.claim = $3 and c.status = 'WAITING'`,
    [orgId, receiptId, claim],
  );
  return rows[0]?.id;
}

/** Makes the lease last longer; false when it belongs to somebody else by now, or was cancelled. */
export async function holdCopy({ orgId, client }: Tenant, copy: ClaimedCopy, until: Date): Promise<boolean> {
  const result = await client.query(
    `update click.copy set claimed_until = $4
     where organization_id = $1 and receipt_id = $2 and claim = $3 and status = 'WAITING' returning 1`,
    [orgId, copy.receiptId, copy.claim, until.toISOString()],
  );
  return result.rowCount === 1;
}

export interface CopyEnd {
  readonly status: Exclude<CopyStatus, "WAITING">;
  readonly at: Date;
  readonly messageId?: string;
  readonly documentHash?: string | undefined;
}

/** Nothing changes when it belongs to somebody else by now, or was cancelled. */
export async function endCopy({ orgId, client }: Tenant, copy: ClaimedCopy, end: CopyEnd): Promise<void> {
  await client.query(
    `update click.copy set status = $4, ended_at = $5, message_id = $6, document_hash = $7
     where organization_id = $1 and receipt_id = $2 and claim = $3 and status = 'WAITING'`,
    [orgId, copy.receiptId, copy.claim, end.status, end.at.toISOString(), end.messageId, end.documentHash],
  );
}

export async function putOffCopy({ orgId, client }: Tenant, copy: ClaimedCopy, runAt: Date): Promise<void> {
  await client.query(
    `update click.copy set run_at = $4, claim = null, claimed_until = null
     where organization_id = $1 and receipt_id = $2 and claim = $3 and status = 'WAITING'`,
    [orgId, copy.receiptId, copy.claim, runAt.toISOString()],
  );
}

/** The copies of these acceptances, in the order in which they were made. */
export async function listCopies({ orgId, client }: Tenant, receiptIds: readonly string[]): Promise<Copy[]> {
  if (receiptIds.length === 0) return [];
  const { rows } = await client.query<Copy>(
    `select receipt_id as "receiptId", status, created_at as "createdAt", ended_at as "endedAt", attempts,
       message_id as "messageId", document_hash as "documentHash"
     from click.copy where organization_id = $1 and receipt_id = any($2) order by created_at, receipt_id`,
    [orgId, receiptIds],
  );
  return rows;
}
