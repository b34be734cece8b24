import type pg from "pg";
import type { OrgId } from "#platform/ids.ts";

/** Since when every attempt to the endpoint has failed; undefined when the last one did not. The endpoint is locked. */
export async function saveFailingSince(
  client: pg.PoolClient,
  orgId: OrgId,
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
  client: pg.PoolClient,
  orgId: OrgId,
  id: string,
  { reason, now }: { readonly reason: "gone" | "failing"; readonly now: Date },
): Promise<void> {
  await client.query(
    `update webhooks.endpoint set is_enabled = false, disabled_reason = $3, disabled_at = $4, updated_at = $4
     where organization_id = $1 and id = $2`,
    [orgId, id, reason, now],
  );
}
