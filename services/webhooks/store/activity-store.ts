import type pg from "pg";
import type { OrgId } from "#platform/ids.ts";

export interface Activity {
  readonly endpoints: number;
  readonly failing: number;
  readonly disabled: number;
  readonly undelivered: number;
}

/** How the endpoints of the product's own format are now, and how many deliveries since a moment have not arrived. */
export async function readActivity(client: pg.ClientBase, orgId: OrgId, since: Date): Promise<Activity> {
  const { rows } = await client.query<Activity>(
    `select count(*)::integer as endpoints,
       count(*) filter (where is_enabled and failing_since is not null)::integer as failing,
       count(*) filter (where disabled_reason in ('gone', 'failing'))::integer as disabled,
       (select count(*)::float8 from webhooks.delivery
        where organization_id = $1 and status in ('failed', 'dead') and created_at >= $2) as undelivered
     from webhooks.endpoint where organization_id = $1 and deleted_at is null and kind = 'standard'`,
    [orgId, since],
  );
  return rows[0] ?? { endpoints: 0, failing: 0, disabled: 0, undelivered: 0 };
}
