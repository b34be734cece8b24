import type { Pool } from "pg";
import type { OrgId } from "#platform/ids.ts";

/** When an API key or a client was used. */
export interface Use {
  readonly orgId: OrgId;
  readonly id: string;
  readonly at: Date;
}

// A row is written once a minute at most, by however many processes. One that another process writes at this moment is
// left to it: without waiting, nobody waits in a circle.
const due = (table: string, id: string): string => `
  select row.organization_id, row.${id}, used.at
  from auth.${table} row join used on used.organization_id = row.organization_id and used.id = row.${id}
  where row.last_used_at is null or row.last_used_at <= used.at - interval '1 minute'
  for no key update of row skip locked`;

const updateUses = `
  with used as (
    select * from unnest($1::uuid[], $2::text[], $3::timestamptz[]) as used (organization_id, id, at)
  ),
  due_key as (${due("api_key", "key_id")}),
  due_client as (${due("oauth_client", "client_id")}),
  written_key as (
    update auth.api_key row set last_used_at = due_key.at from due_key
    where row.organization_id = due_key.organization_id and row.key_id = due_key.key_id
  )
  update auth.oauth_client row set last_used_at = due_client.at from due_client
  where row.organization_id = due_client.organization_id and row.client_id = due_client.client_id`;

/** Writes uses of keys and clients of any organization with one statement. */
export async function writeUses(janitor: Pool, uses: readonly Use[]): Promise<void> {
  await janitor.query(updateUses, [uses.map((use) => use.orgId), uses.map((use) => use.id), uses.map((use) => use.at)]);
}
