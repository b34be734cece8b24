import type { Tenant } from "#platform/db/pool.ts";
import type { User, UserChange, UserRole } from "../domain/user.ts";

/** Everything of a user but its secrets, of the table as `u`. */
export const userColumns = `
  u.organization_id as "orgId", u.user_id as id, u.email, u.name, u.role, u.status, u.locale,
  u.time_zone as "timeZone", u.totp_enabled_at as "totpEnabledAt", u.created_at as "createdAt",
  u.last_login_at as "lastLoginAt", u.notices, u.password_hash is not null as "hasPassword",
  (select count(*)::integer from auth.recovery_code c
    where c.organization_id = u.organization_id and c.user_id = u.user_id) as "recoveryCodesLeft",
  (select count(*)::integer from auth.passkey p
    where p.organization_id = u.organization_id and p.user_id = u.user_id) as passkeys`;

const selectUser = `select ${userColumns} from auth.user_account u where u.organization_id = $1 and u.user_id = $2`;

export async function findUser({ orgId, client }: Tenant, userId: string): Promise<User | undefined> {
  return (await client.query<User>(selectUser, [orgId, userId])).rows[0];
}

/** Locks the user against other changes until the transaction ends. */
export async function lockUser({ orgId, client }: Tenant, userId: string): Promise<User | undefined> {
  return (await client.query<User>(`${selectUser} for update of u`, [orgId, userId])).rows[0];
}

const lockOrganizationSql =
  "select name from auth.organization where organization_id = $1 and closed_at is null for no key update";

/**
 * Locks the organization and returns its name; undefined when it is unknown, or being deleted. User management of one
 * organization is serialized by this, so that concurrent changes cannot remove the last owner. Call it before
 * locking users.
 */
export async function lockOrganization({ orgId, client }: Tenant): Promise<string | undefined> {
  return (await client.query<{ name: string }>(lockOrganizationSql, [orgId])).rows[0]?.name;
}

export async function findOrganizationName({ orgId, client }: Tenant): Promise<string> {
  const sql = "select name from auth.organization where organization_id = $1";
  return (await client.query<{ name: string }>(sql, [orgId])).rows[0]?.name ?? "";
}

/** The oldest first. */
export async function listUsers({ orgId, client }: Tenant): Promise<User[]> {
  const sql = `select ${userColumns} from auth.user_account u where u.organization_id = $1 order by u.created_at, u.user_id`;
  return (await client.query<User>(sql, [orgId])).rows;
}

/** Those of them that the organization has. */
export async function nameUsers(
  { orgId, client }: Tenant,
  userIds: readonly string[],
): Promise<{ readonly id: string; readonly name: string }[]> {
  const sql = `select user_id as id, name from auth.user_account where organization_id = $1 and user_id = any($2::uuid[])`;
  return (await client.query<{ id: string; name: string }>(sql, [orgId, userIds])).rows;
}

/** The oldest first. */
export async function listActiveOwnerIds({ orgId, client }: Tenant): Promise<string[]> {
  const sql = `select user_id as id from auth.user_account
    where organization_id = $1 and role = 'owner' and status = 'active' order by created_at, user_id`;
  return (await client.query<{ id: string }>(sql, [orgId])).rows.map(({ id }) => id);
}

/** Active users who want to know of the agreements that API keys and clients send; the oldest first. */
export async function listApplicationReaders({ orgId, client }: Tenant): Promise<User[]> {
  const sql = `select ${userColumns} from auth.user_account u
    where u.organization_id = $1 and u.status = 'active' and u.notices like '% applications' order by u.created_at, u.user_id limit 50`;
  return (await client.query<User>(sql, [orgId])).rows;
}

/** Who can sign in and is an owner. */
export async function listOwners({ orgId, client }: Tenant): Promise<User[]> {
  const sql = `select ${userColumns} from auth.user_account u
    where u.organization_id = $1 and u.status = 'active' and u.role = 'owner' order by u.created_at, u.user_id limit 50`;
  return (await client.query<User>(sql, [orgId])).rows;
}

export async function countUsers({ orgId, client }: Tenant): Promise<number> {
  const sql = "select count(*)::integer as n from auth.user_account where organization_id = $1";
  return (await client.query<{ n: number }>(sql, [orgId])).rows[0]?.n ?? 0;
}

export async function hasOtherActiveOwner(
  { orgId, client }: Tenant,
  userId: string,
  leaving: readonly string[] = [],
): Promise<boolean> {
  const sql = `select from auth.user_account
    where organization_id = $1 and user_id <> all($2::uuid[]) and role = 'owner' and status = 'active' limit 1`;
  return (await client.query(sql, [orgId, [userId, ...leaving]])).rowCount === 1;
}

export interface NewUser {
  readonly id: string;
  readonly email: string;
  readonly emailKey: string;
  readonly name: string;
  readonly role: UserRole;
  readonly locale: string;
  readonly createdAt: Date;
}

const insertUserSql = `
  insert into auth.user_account
    (organization_id, user_id, email, email_key, name, role, status, locale, time_zone, created_at)
  select $1::uuid, $2::uuid, $3, $4, $5, $6, 'invited', coalesce(nullif($7, ''), o.locale), o.time_zone, $8::timestamptz
  from auth.organization o where o.organization_id = $1
  on conflict (organization_id, email_key) do nothing`;

/** With the language and time zone of the organization. False when it has a user with this address. */
export async function insertUser({ orgId, client }: Tenant, user: NewUser): Promise<boolean> {
  const { id, email, emailKey, name, role, locale, createdAt } = user;
  const values = [orgId, id, email, emailKey, name, role, locale, createdAt];
  return (await client.query(insertUserSql, values)).rowCount === 1;
}

const updateUserSql = `
  update auth.user_account set name = coalesce($3, name), role = coalesce($4, role), status = coalesce($5, status),
    locale = coalesce($6, locale), time_zone = coalesce($7, time_zone), notices = coalesce($8, notices)
  where organization_id = $1 and user_id = $2`;

export async function updateUser(
  { orgId, client }: Tenant,
  userId: string,
  { name, role, status, locale, timeZone, notices }: UserChange,
): Promise<void> {
  await client.query(updateUserSql, [orgId, userId, name, role, status, locale, timeZone, notices]);
}

export interface StoredPassword {
  readonly hash: Buffer;
  readonly scheme: string;
}

/** What the password of an active user is checked against. */
export async function findPassword(
  { orgId, client }: Tenant,
  userId: string,
): Promise<(StoredPassword & { readonly emailKey: string }) | undefined> {
  const sql = `select password_hash as hash, password_scheme as scheme, email_key as "emailKey" from auth.user_account
    where organization_id = $1 and user_id = $2 and status = 'active' and password_hash is not null`;
  return (await client.query<StoredPassword & { emailKey: string }>(sql, [orgId, userId])).rows[0];
}

// A user with a password is active, and a new password clears earlier failed attempts.
const setPasswordSql = `
  update auth.user_account set password_hash = $3, password_scheme = $4, status = 'active',
    failures = 0, failures_since = null, locked_until = null
  where organization_id = $1 and user_id = $2`;

export async function setPassword(
  { orgId, client }: Tenant,
  userId: string,
  { hash, scheme }: StoredPassword,
): Promise<void> {
  await client.query(setPasswordSql, [orgId, userId, hash, scheme]);
}

/** Who an identity provider says that a user is; nulls while none has. */
export interface KnownIdentity {
  readonly issuer: string | null;
  readonly subject: string | null;
  readonly emailKey: string;
}

export async function findIdentity({ orgId, client }: Tenant, userId: string): Promise<KnownIdentity | undefined> {
  const sql = `select external_issuer as issuer, external_subject as subject, email_key as "emailKey"
    from auth.user_account where organization_id = $1 and user_id = $2`;
  return (await client.query<KnownIdentity>(sql, [orgId, userId])).rows[0];
}

/** From now on the user is this person of the provider, and has accepted an invitation by coming. */
export async function setIdentity(
  { orgId, client }: Tenant,
  userId: string,
  { issuer, subject }: { readonly issuer: string; readonly subject: string },
): Promise<void> {
  const sql = `update auth.user_account set external_issuer = $3, external_subject = $4, status = 'active'
    where organization_id = $1 and user_id = $2`;
  await client.query(sql, [orgId, userId, issuer, subject]);
}

export async function noteLogin({ orgId, client }: Tenant, userId: string, now: Date): Promise<void> {
  const sql = "update auth.user_account set last_login_at = $3 where organization_id = $1 and user_id = $2";
  await client.query(sql, [orgId, userId, now]);
}

/** Sessions, links and everything else of the user go with it. */
export async function deleteUser({ orgId, client }: Tenant, userId: string): Promise<void> {
  await client.query("delete from auth.user_account where organization_id = $1 and user_id = $2", [orgId, userId]);
}
