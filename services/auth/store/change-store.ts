import type { Pool, PoolClient } from "pg";
import type { AuthEntityManager } from "./orm.ts";

export type ChangeKind =
  | "token_revoked"
  | "client_revoked"
  | "key_revoked"
  | "organization_changed"
  | "session_changed"
  | "user_changed";

export interface StoredChange {
  readonly cursor: bigint;
  readonly kind: ChangeKind;
  readonly subject: string;
}

/** At most this many changes are read at once. */
const changePageSize = 1000;

// The update locks the only row until commit, which makes the order of cursors the order of commits. A sequence would
// not do: a reader that has seen cursor 8 would never come back for a 7 that commits later.
const insertChange = (marks: string): string => `
  with head as (update auth.change_head set cursor = cursor + 1 returning cursor)
  insert into auth.change (cursor, kind, subject, created_at) select cursor, ${marks} from head`;

/** Records a change in the caller's transaction. Call it last: until the commit all other writers of changes wait. */
export async function recordChange(em: AuthEntityManager, kind: ChangeKind, subject: string, now: Date): Promise<void> {
  await em.execute(insertChange("?, ?, ?"), [kind, subject, now], "run");
}

/** The same in a transaction without the ORM. */
export async function noteChange(client: PoolClient, kind: ChangeKind, subject: string, now: Date): Promise<void> {
  await client.query(insertChange("$1, $2, $3"), [kind, subject, now]);
}

// A cursor that was never given out comes from a database that has since been restored from a backup: start over.
const selectChanges = `
  with start as (
    select case when $1::bigint <= cursor then $1::bigint else 0 end as cursor from auth.change_head
  )
  select change.cursor::text, change.kind, change.subject
  from auth.change, start
  where change.cursor > start.cursor and (start.cursor > 0 or change.created_at > $2)
  order by change.cursor
  limit ${changePageSize}`;

/** Changes after a cursor in commit order. From the start (cursor 0) only those that are younger than `since`. */
export async function listChanges(lookup: Pool, afterCursor: bigint, since: Date): Promise<StoredChange[]> {
  const { rows } = await lookup.query<{ cursor: string; kind: ChangeKind; subject: string }>(selectChanges, [
    BigInt.asIntN(64, afterCursor) === afterCursor ? afterCursor.toString() : "0",
    since,
  ]);
  return rows.map((row) => ({ ...row, cursor: BigInt(row.cursor) }));
}

const hourMs = 60 * 60 * 1000;

/** A reader that starts anew gets changes of this age: older than any living access token, whatever clocks say. */
export const firstReadMs = 2 * hourMs;

/** Changes are kept long enough for a reader that was cut off over a weekend to read on. */
export const changeRetentionMs = 7 * 24 * hourMs;

/** Revoked tokens are kept beyond their expiry, because a verifier's clock may be late. */
export const revokedTokenMarginMs = hourMs;
