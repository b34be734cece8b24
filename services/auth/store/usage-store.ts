import type { Pool } from "pg";
import type { OrgId } from "#platform/ids.ts";
import type { ScheduledKey } from "#platform/key-schedule.ts";

/** When an API key or a client was used. */
export interface Use {
  readonly orgId: OrgId;
  readonly id: string;
  readonly at: Date;
}

// Each row is written at most once a minute by all processes together. Rows locked by another process are
// skipped, which avoids deadlocks.
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

/** The pool of these functions has the role that may delete what has expired, of any organization. */
export async function deleteExpiredTokens(janitor: Pool, before: Date): Promise<number> {
  return (await janitor.query("delete from auth.revoked_token where expires_at < $1", [before])).rowCount ?? 0;
}

export async function deleteOldChanges(janitor: Pool, before: Date): Promise<number> {
  return (await janitor.query("delete from auth.change where created_at < $1", [before])).rowCount ?? 0;
}

/** Sessions that have expired, or were not used since `idleSince`. */
export async function deleteEndedSessions(janitor: Pool, now: Date, idleSince: Date): Promise<number> {
  const sql = "delete from auth.user_session where expires_at < $1 or last_seen_at < $2";
  return (await janitor.query(sql, [now, idleSince])).rowCount ?? 0;
}

export async function deleteExpiredLinks(janitor: Pool, now: Date): Promise<number> {
  return (await janitor.query("delete from auth.user_link where expires_at < $1", [now])).rowCount ?? 0;
}

export async function deleteExpiredChallenges(janitor: Pool, now: Date): Promise<number> {
  return (await janitor.query("delete from auth.login_challenge where expires_at < $1", [now])).rowCount ?? 0;
}

export async function deleteSpentChallenges(janitor: Pool, now: Date): Promise<number> {
  return (await janitor.query("delete from auth.spent_challenge where expires_at < $1", [now])).rowCount ?? 0;
}

/** Oldest first. */
export async function listKeySchedule(janitor: Pool): Promise<ScheduledKey[]> {
  const select = 'select generation, signs_from as "signsFrom" from auth.signing_key order by generation';
  return (await janitor.query<ScheduledKey>(select)).rows;
}

export async function deleteSigningKeys(janitor: Pool, generations: readonly number[]): Promise<number> {
  if (generations.length === 0) return 0;
  return (await janitor.query("delete from auth.signing_key where generation = any($1)", [generations])).rowCount ?? 0;
}
