// Campaigns of any organization that have something to do.
import type pg from "pg";
import type { OrgId } from "#platform/ids.ts";

export interface CampaignName {
  readonly orgId: OrgId;
  readonly id: string;
}

/** Whether any campaign of any organization may have anything to do. As the sweeper. */
export async function hasWork(pool: pg.Pool, now: Date): Promise<boolean> {
  const sql = `select exists (select from click.campaign where next_at <= $1)
    or exists (select from click.campaign where status = 'RUNNING' and (unchecked > 0 or announced_at is null)) as "hasWork"`;
  return (await pool.query<{ hasWork: boolean }>(sql, [now.toISOString()])).rows[0]?.hasWork ?? false;
}

/**
 * Some that run and have something due, of any organization, those first that have waited longest. None that was not
 * announced yet. As the sweeper.
 */
export async function findDueCampaigns(
  pool: pg.Pool,
  { now, offset, limit }: { readonly now: Date; readonly offset: number; readonly limit: number },
): Promise<CampaignName[]> {
  const sql = `select organization_id as "orgId", id from click.campaign
    where next_at <= $1 and status = 'RUNNING' and announced_at is not null
    order by next_at, organization_id, id offset $2 limit $3`;
  return (await pool.query<CampaignName>(sql, [now.toISOString(), offset, limit])).rows;
}

/** Some whose people are due to be deleted, those first that have waited longest. As the sweeper. */
export async function findForgotten(pool: pg.Pool, now: Date, limit: number): Promise<CampaignName[]> {
  const sql = `select organization_id as "orgId", id from click.campaign where next_at <= $1 and status <> 'RUNNING'
    order by next_at limit $2`;
  return (await pool.query<CampaignName>(sql, [now.toISOString(), limit])).rows;
}

/** The next ones that run and have people that nobody has looked at, or were not announced. As the sweeper. */
export async function findUncheckedCampaigns(
  pool: pg.Pool,
  after: CampaignName | undefined,
  limit: number,
): Promise<CampaignName[]> {
  const sql = `select organization_id as "orgId", id from click.campaign
    where status = 'RUNNING' and (unchecked > 0 or announced_at is null)
      and ($1::uuid is null or (organization_id, id) > ($1, $2::uuid)) order by organization_id, id limit $3`;
  return (await pool.query<CampaignName>(sql, [after?.orgId, after?.id, limit])).rows;
}
