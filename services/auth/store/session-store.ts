import type { Tenant } from "#platform/db/pool.ts";
import { idleMs, maxSessions, type SessionState } from "../domain/session.ts";

export interface StoredSession extends SessionState {
  readonly id: string;
  readonly userId: string;
  readonly createdAt: Date;
  readonly ip: string;
  readonly userAgent: string;
}

/** Of the table as `s`. */
export const sessionColumns = `
  s.session_id as "sessionId", s.user_id as "userId", s.token_hash as "tokenHash", s.token_used as "tokenUsed",
  s.previous_hash as "previousHash", s.previous_until as "previousUntil", s.rotated_at as "rotatedAt",
  s.created_at as "sessionCreatedAt", s.last_seen_at as "lastSeenAt", s.expires_at as "expiresAt", s.ip,
  s.user_agent as "userAgent"`;

type Row = Omit<StoredSession, "id" | "createdAt"> & { readonly sessionId: string; readonly sessionCreatedAt: Date };

const toSession = ({ sessionId, sessionCreatedAt, ...rest }: Row): StoredSession => ({
  ...rest,
  id: sessionId,
  createdAt: sessionCreatedAt,
});

const insertSql = `
  insert into auth.user_session (organization_id, session_id, user_id, token_hash, token_used, rotated_at, created_at,
    last_seen_at, expires_at, ip, user_agent)
  values ($1, $2, $3, $4, true, $5, $5, $5, $6, $7, $8)`;

export type NewSession = Pick<
  StoredSession,
  "id" | "userId" | "tokenHash" | "createdAt" | "expiresAt" | "ip" | "userAgent"
>;

export async function insertSession({ orgId, client }: Tenant, session: NewSession): Promise<void> {
  const { id, userId, tokenHash, createdAt, expiresAt, ip, userAgent } = session;
  await client.query(insertSql, [orgId, id, userId, tokenHash, createdAt, expiresAt, ip, userAgent]);
}

/** Locks it; undefined for an unknown one. */
export async function lockSession({ orgId, client }: Tenant, sessionId: string): Promise<StoredSession | undefined> {
  const sql = `select ${sessionColumns} from auth.user_session s
    where s.organization_id = $1 and s.session_id = $2 for update`;
  const row = (await client.query<Row>(sql, [orgId, sessionId])).rows[0];
  return row && toSession(row);
}

const updateSql = `
  update auth.user_session set token_hash = $3, token_used = $4, previous_hash = $5, previous_until = $6,
    rotated_at = $7, last_seen_at = $8, ip = $9, user_agent = $10
  where organization_id = $1 and session_id = $2`;

export async function writeSession({ orgId, client }: Tenant, session: StoredSession): Promise<void> {
  const { id, tokenHash, tokenUsed, previousHash, previousUntil, rotatedAt, lastSeenAt, ip, userAgent } = session;
  const values = [tokenHash, tokenUsed, previousHash, previousUntil, rotatedAt, lastSeenAt, ip, userAgent];
  await client.query(updateSql, [orgId, id, ...values]);
}

/** Gives a session another token at once: the one before ends. False when the user has no such session. */
export async function replaceToken(
  { orgId, client }: Tenant,
  session: { readonly id: string; readonly userId: string; readonly tokenHash: Buffer; readonly now: Date },
): Promise<boolean> {
  const sql = `update auth.user_session set token_hash = $4, token_used = true, previous_hash = null,
      previous_until = null, rotated_at = $5
    where organization_id = $1 and session_id = $2 and user_id = $3`;
  const { id, userId, tokenHash, now } = session;
  return (await client.query(sql, [orgId, id, userId, tokenHash, now])).rowCount === 1;
}

/** The last used first. */
export async function listSessions({ orgId, client }: Tenant, userId: string, now: Date): Promise<StoredSession[]> {
  const sql = `select ${sessionColumns} from auth.user_session s
    where s.organization_id = $1 and s.user_id = $2 and s.expires_at > $3 and s.last_seen_at > $4
    order by s.last_seen_at desc, s.session_id`;
  const values = [orgId, userId, now, new Date(now.getTime() - idleMs)];
  return (await client.query<Row>(sql, values)).rows.map(toSession);
}

/** False when the user has no such session. */
export async function deleteSession(
  { orgId, client }: Tenant,
  { userId, sessionId }: { readonly userId: string; readonly sessionId: string },
): Promise<boolean> {
  const sql = "delete from auth.user_session where organization_id = $1 and user_id = $2 and session_id = $3";
  return (await client.query(sql, [orgId, userId, sessionId])).rowCount === 1;
}

/** Ends every session of the user, but for one when it is named; how many there were. */
export async function deleteSessionsOf(
  { orgId, client }: Tenant,
  userId: string,
  except: string | null = null,
): Promise<number> {
  const sql = `delete from auth.user_session
    where organization_id = $1 and user_id = $2 and ($3::uuid is null or session_id <> $3)`;
  return (await client.query(sql, [orgId, userId, except])).rowCount ?? 0;
}

/** Makes room for one more session; whether one had to end. */
export async function makeRoom({ orgId, client }: Tenant, userId: string): Promise<boolean> {
  const sql = `delete from auth.user_session s using (
      select session_id from auth.user_session where organization_id = $1 and user_id = $2
      order by last_seen_at desc, session_id offset ${maxSessions - 1}
    ) old
    where s.organization_id = $1 and s.session_id = old.session_id`;
  return ((await client.query(sql, [orgId, userId])).rowCount ?? 0) > 0;
}
