import type pg from "pg";
import type { OrgId } from "#platform/ids.ts";

/**
 * What the sweeper removes. It looks at all organizations, so these statements span them: the pool must be the sweeper's,
 * whose role sees times and ids only. Each takes at most so many rows at once, and leaves what others hold.
 */
export interface Sweeping {
  /** Rows of before are removed. */
  readonly before: Date;
  readonly limit: number;
}

/** Keys of requests that nobody repeats any more; how many. */
export async function removeOldKeys(sweeper: pg.Pool, { before, limit }: Sweeping): Promise<number> {
  const { rowCount } = await sweeper.query(
    `delete from sign.idempotency_key where (organization_id, key) in (
       select organization_id, key from sign.idempotency_key
       where created_at < $1 order by created_at limit $2 for update skip locked)`,
    [before, limit],
  );
  return rowCount ?? 0;
}

/** Links and sessions that ended long ago, by their own time; how many. */
export async function removeOldViews(sweeper: pg.Pool, { before, limit }: Sweeping): Promise<number> {
  const { rowCount } = await sweeper.query(
    `delete from sign.view where (organization_id, token_hash) in (
       select organization_id, token_hash from sign.view
       where not is_reusable and expires_at < $1 and coalesce(session_expires_at, expires_at) < $1
       order by expires_at limit $2 for update skip locked)`,
    [before, limit],
  );
  return rowCount ?? 0;
}

/** A place in the order in which links are looked at. */
export interface LinkPlace {
  readonly createdAt: Date;
  readonly orgId: OrgId;
  readonly tokenHash: Buffer;
}

/**
 * Links of mails whose agreement ended or was deleted long ago. They end with it and not by themselves, so each is looked
 * at; answers where to go on, undefined when all were.
 */
export async function removeLinksOfEnded(
  sweeper: pg.Pool,
  { before, limit }: Sweeping,
  after?: LinkPlace,
): Promise<LinkPlace | undefined> {
  const { rows } = await sweeper.query<LinkPlace & { looked: number }>(linksSql, [
    before,
    limit,
    after?.createdAt ?? null,
    after?.orgId ?? null,
    after?.tokenHash ?? null,
  ]);
  const [last] = rows;
  return last === undefined || last.looked < limit ? undefined : last;
}

const linksSql = `
with looked as materialized (
  select created_at, organization_id, token_hash, agreement_id from sign.view
  where is_reusable and created_at < $1
    and ($3::timestamptz is null or (created_at, organization_id, token_hash) > ($3, $4::uuid, $5::bytea))
  order by created_at, organization_id, token_hash limit $2
),
ended as (
  select v.organization_id, v.token_hash from looked l
  join sign.agreement a on a.organization_id = l.organization_id and a.id = l.agreement_id
  join sign.view v on v.organization_id = l.organization_id and v.token_hash = l.token_hash
  where (a.status in ('completed', 'declined', 'voided', 'expired') and a.status_changed_at < $1) or a.deleted_at < $1
  for update of v skip locked
),
removed as (
  delete from sign.view v using ended e where v.organization_id = e.organization_id and v.token_hash = e.token_hash
)
select created_at as "createdAt", organization_id as "orgId", token_hash as "tokenHash",
  (select count(*)::int from looked) as looked
from looked order by created_at desc, organization_id desc, token_hash desc limit 1`;

/** Jobs that were given up and that nobody has looked at since; how many. */
export async function removeOldFailures(sweeper: pg.Pool, { before, limit }: Sweeping): Promise<number> {
  const { rowCount } = await sweeper.query(
    `delete from sign.job where (organization_id, id) in (
       select organization_id, id from sign.job
       where failed_at < $1 order by failed_at limit $2 for update skip locked)`,
    [before, limit],
  );
  return rowCount ?? 0;
}
