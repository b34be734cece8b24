import type { Pool } from "pg";
import type { ScheduledKey } from "../domain/key-schedule.ts";

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

/** Oldest first. */
export async function listKeySchedule(janitor: Pool): Promise<ScheduledKey[]> {
  const select = 'select generation, signs_from as "signsFrom" from auth.signing_key order by generation';
  return (await janitor.query<ScheduledKey>(select)).rows;
}

export async function deleteSigningKeys(janitor: Pool, generations: readonly number[]): Promise<number> {
  if (generations.length === 0) return 0;
  return (await janitor.query("delete from auth.signing_key where generation = any($1)", [generations])).rowCount ?? 0;
}
