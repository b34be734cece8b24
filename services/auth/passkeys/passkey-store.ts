import type { Tenant } from "#platform/db/pool.ts";

export type AuthenticatorTransport = "ble" | "cable" | "hybrid" | "internal" | "nfc" | "smart-card" | "usb";

export interface StoredPasskey {
  readonly id: string;
  readonly userId: string;
  readonly credentialId: Buffer;
  /** In COSE. */
  readonly publicKey: Buffer;
  /** What its authenticator counted up to; 0 while it does not count. */
  readonly signCount: number;
  readonly transports: readonly AuthenticatorTransport[];
  /** The host whose pages may use it. */
  readonly rpId: string;
  readonly name: string;
  readonly passwordless: boolean;
  readonly synced: boolean;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
}

const columns = `passkey_id as id, user_id as "userId", credential_id as "credentialId", public_key as "publicKey",
  sign_count::float8 as "signCount", transports, rp_id as "rpId", name, passwordless, synced, created_at as "createdAt",
  last_used_at as "lastUsedAt"`;

/** The oldest first. */
export async function listPasskeysOf({ orgId, client }: Tenant, userId: string): Promise<StoredPasskey[]> {
  const sql = `select ${columns} from auth.passkey where organization_id = $1 and user_id = $2
    order by created_at, passkey_id`;
  return (await client.query<StoredPasskey>(sql, [orgId, userId])).rows;
}

/** Locks it, so that a count is compared with the last one. */
export async function lockPasskey(
  { orgId, client }: Tenant,
  userId: string,
  credentialId: Buffer,
): Promise<StoredPasskey | undefined> {
  const sql = `select ${columns} from auth.passkey
    where organization_id = $1 and user_id = $2 and credential_id = $3 for update`;
  return (await client.query<StoredPasskey>(sql, [orgId, userId, credentialId])).rows[0];
}

const insertSql = `
  insert into auth.passkey (organization_id, passkey_id, user_id, credential_id, public_key, sign_count, transports,
    rp_id, name, passwordless, synced, created_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
  on conflict (organization_id, credential_id) do nothing`;

/** False when the organization has a passkey with this id. */
export async function insertPasskey(
  { orgId, client }: Tenant,
  passkey: Omit<StoredPasskey, "lastUsedAt">,
): Promise<boolean> {
  const { id, userId, credentialId, publicKey, signCount, transports, rpId, name } = passkey;
  const { passwordless, synced, createdAt } = passkey;
  const values = [id, userId, credentialId, publicKey, signCount, transports, rpId, name, passwordless, synced];
  return (await client.query(insertSql, [orgId, ...values, createdAt])).rowCount === 1;
}

export async function notePasskeyUse(
  { orgId, client }: Tenant,
  { id, signCount, synced, now }: Pick<StoredPasskey, "id" | "signCount" | "synced"> & { readonly now: Date },
): Promise<void> {
  const sql = `update auth.passkey set sign_count = $3, synced = $4, last_used_at = $5
    where organization_id = $1 and passkey_id = $2`;
  await client.query(sql, [orgId, id, signCount, synced, now]);
}

/** Undefined when the user has no such passkey. */
export async function renamePasskeyOf(
  { orgId, client }: Tenant,
  userId: string,
  { id, name }: Pick<StoredPasskey, "id" | "name">,
): Promise<StoredPasskey | undefined> {
  const sql = `update auth.passkey set name = $4 where organization_id = $1 and user_id = $2 and passkey_id = $3
    returning ${columns}`;
  return (await client.query<StoredPasskey>(sql, [orgId, userId, id, name])).rows[0];
}

/** Its name; undefined when the user has no such passkey. */
export async function deletePasskey(
  { orgId, client }: Tenant,
  userId: string,
  id: string,
): Promise<string | undefined> {
  const sql = `delete from auth.passkey where organization_id = $1 and user_id = $2 and passkey_id = $3 returning name`;
  return (await client.query<{ name: string }>(sql, [orgId, userId, id])).rows[0]?.name;
}

/** False when it was spent before. */
export async function spendChallenge({ orgId, client }: Tenant, hash: Buffer, expiresAt: Date): Promise<boolean> {
  const sql = `insert into auth.spent_challenge (organization_id, challenge_hash, expires_at) values ($1, $2, $3)
    on conflict do nothing`;
  return (await client.query(sql, [orgId, hash, expiresAt])).rowCount === 1;
}
