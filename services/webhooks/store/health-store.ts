import type { Tenant } from "#platform/db/pool.ts";

/** Since when every attempt to the endpoint has failed; undefined when the last one did not. The endpoint is locked. */
export async function saveFailingSince(
  { orgId, client }: Tenant,
  id: string,
  failingSince: Date | undefined,
): Promise<void> {
  await client.query({
    name: "webhooks-save-failing-since",
    text: "update webhooks.endpoint set failing_since = $3 where organization_id = $1 and id = $2",
    values: [orgId, id, failingSince],
  });
}

/** Nothing is sent to the endpoint any more, because of how it answered. The endpoint is locked. */
export async function disableEndpoint(
  { orgId, client }: Tenant,
  id: string,
  { reason, now }: { readonly reason: "gone" | "failing"; readonly now: Date },
): Promise<void> {
  await client.query(
    `update webhooks.endpoint set is_enabled = false, disabled_reason = $3, disabled_at = $4, updated_at = $4
     where organization_id = $1 and id = $2`,
    [orgId, id, reason, now],
  );
}

interface Activity {
  readonly endpoints: number;
  readonly failing: number;
  readonly disabled: number;
  readonly undelivered: number;
}

/** How the endpoints of the product's own format are now, and how many deliveries since a moment have not arrived. */
export async function readActivity({ orgId, client }: Tenant, since: Date): Promise<Activity> {
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
