import type { Tenant } from "#platform/db/pool.ts";

export interface StoredTotp {
  /** Encrypted; null when there is none. */
  readonly secret: Buffer | null;
  readonly enabledAt: Date | null;
  /** The last step whose code was used. */
  readonly lastStep: number | null;
}

const selectTotp = `
  select totp_secret as secret, totp_enabled_at as "enabledAt", totp_last_step::float8 as "lastStep"
  from auth.user_account where organization_id = $1 and user_id = $2 for update`;

/** Locks the user, so that a code is used once. */
export async function lockTotp({ orgId, client }: Tenant, userId: string): Promise<StoredTotp | undefined> {
  return (await client.query<StoredTotp>(selectTotp, [orgId, userId])).rows[0];
}

const updateTotp = `
  update auth.user_account set totp_secret = $3, totp_enabled_at = $4, totp_last_step = $5
  where organization_id = $1 and user_id = $2`;

export async function writeTotp({ orgId, client }: Tenant, userId: string, totp: StoredTotp): Promise<void> {
  await client.query(updateTotp, [orgId, userId, totp.secret, totp.enabledAt, totp.lastStep]);
}

/** With none, the user has no codes any more. */
export async function replaceRecoveryCodes(
  { orgId, client }: Tenant,
  userId: string,
  hashes: readonly Buffer[],
): Promise<void> {
  await client.query("delete from auth.recovery_code where organization_id = $1 and user_id = $2", [orgId, userId]);
  const insert = `insert into auth.recovery_code (organization_id, user_id, code_hash)
    select $1, $2, unnest($3::bytea[])`;
  if (hashes.length > 0) await client.query(insert, [orgId, userId, hashes]);
}

/** False when the user has no such code, or has used it. */
export async function consumeRecoveryCode({ orgId, client }: Tenant, userId: string, hash: Buffer): Promise<boolean> {
  const sql = "delete from auth.recovery_code where organization_id = $1 and user_id = $2 and code_hash = $3";
  return (await client.query(sql, [orgId, userId, hash])).rowCount === 1;
}

export interface NewChallenge {
  readonly tokenHash: Buffer;
  readonly userId: string;
  readonly expiresAt: Date;
}

export async function insertChallenge({ orgId, client }: Tenant, challenge: NewChallenge): Promise<void> {
  const { tokenHash, userId, expiresAt } = challenge;
  const sql =
    "insert into auth.login_challenge (organization_id, token_hash, user_id, expires_at) values ($1, $2, $3, $4)";
  await client.query(sql, [orgId, tokenHash, userId, expiresAt]);
}

/** How many wrong codes it has had. Locks it; undefined when it was used or has expired. */
export async function lockChallenge(
  { orgId, client }: Tenant,
  tokenHash: Buffer,
  now: Date,
): Promise<number | undefined> {
  const sql = `select failures from auth.login_challenge
    where organization_id = $1 and token_hash = $2 and expires_at > $3 for update`;
  return (await client.query<{ failures: number }>(sql, [orgId, tokenHash, now])).rows[0]?.failures;
}

export async function countChallengeFailure({ orgId, client }: Tenant, tokenHash: Buffer): Promise<void> {
  const sql = "update auth.login_challenge set failures = failures + 1 where organization_id = $1 and token_hash = $2";
  await client.query(sql, [orgId, tokenHash]);
}

export async function deleteChallenge({ orgId, client }: Tenant, tokenHash: Buffer): Promise<void> {
  const sql = "delete from auth.login_challenge where organization_id = $1 and token_hash = $2";
  await client.query(sql, [orgId, tokenHash]);
}

/** Logins that wait for the second factor of the user begin anew. */
export async function deleteChallengesOf({ orgId, client }: Tenant, userId: string): Promise<void> {
  const sql = "delete from auth.login_challenge where organization_id = $1 and user_id = $2";
  await client.query(sql, [orgId, userId]);
}
