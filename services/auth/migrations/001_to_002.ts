import { Migration } from "@mikro-orm/migrations";
import { createRoleSql, forceOrgIsolationSql } from "#platform/db/ddl.ts";

export class Migration001Initial extends Migration {
  override up(): void {
    for (const statement of [...roles, ...organizationTables, ...keyTables, ...changeTables]) this.addSql(statement);
  }
}

// Three roles, so that no statement can do more than its purpose needs: assent_auth manages one organization at a time,
// assent_auth_lookup only reads, but for any organization, and assent_auth_janitor deletes what has expired.
const roles = [
  ...["assent_auth", "assent_auth_lookup", "assent_auth_janitor"].map(createRoleSql),
  "grant usage on schema auth to assent_auth, assent_auth_lookup, assent_auth_janitor",
];

const organizationTables = [
  `create table auth.organization (
    organization_id uuid primary key,
    name text not null,
    plan text not null check (plan in ('gen_starter', 'gen_pro', 'gen_hoa', 'business', 'gen_payg')),
    sandbox boolean not null,
    limit_accept integer check (limit_accept > 0),
    limit_render integer check (limit_render > 0),
    limit_other integer check (limit_other > 0),
    limit_sign integer check (limit_sign > 0),
    created_at timestamptz not null
  )`,
  "comment on table auth.organization is 'The tenants. A limit that is null is the platform''s default.'",
  ...forceOrgIsolationSql("auth.organization"),
  "grant select, insert on auth.organization to assent_auth",
  "grant update (plan, limit_accept, limit_render, limit_other, limit_sign) on auth.organization to assent_auth",

  `create table auth.api_key (
    organization_id uuid not null references auth.organization,
    key_id text not null,
    name text not null,
    secret_hash bytea not null check (octet_length(secret_hash) = 32),
    created_at timestamptz not null,
    revoked_at timestamptz,
    primary key (organization_id, key_id)
  )`,
  `comment on table auth.api_key is
    'A caller shows its key before its organization is known, hence the look-up by key_id alone and the policy lookup. key_id has 95 random bits: it needs no unique index to be unique.'`,
  "create index api_key_lookup on auth.api_key (key_id)",
  ...forceOrgIsolationSql("auth.api_key"),
  "create policy lookup on auth.api_key for select to assent_auth_lookup using (true)",
  "grant select on auth.api_key to assent_auth_lookup",
  "grant select, insert, update (revoked_at) on auth.api_key to assent_auth",

  `create table auth.oauth_client (
    organization_id uuid not null references auth.organization,
    client_id text not null,
    name text not null,
    scopes text[] not null check (cardinality(scopes) > 0),
    secret_hash bytea not null check (octet_length(secret_hash) = 32),
    created_at timestamptz not null,
    revoked_at timestamptz,
    primary key (organization_id, client_id)
  )`,
  `comment on table auth.oauth_client is
    'A client shows its id before its organization is known, hence the look-up by client_id alone and the policy lookup. client_id has 131 random bits: it needs no unique index to be unique.'`,
  "create index oauth_client_lookup on auth.oauth_client (client_id)",
  ...forceOrgIsolationSql("auth.oauth_client"),
  "create policy lookup on auth.oauth_client for select to assent_auth_lookup using (true)",
  "grant select on auth.oauth_client to assent_auth_lookup",
  "grant select, insert, update (secret_hash, revoked_at) on auth.oauth_client to assent_auth",

  `create table auth.revoked_token (
    organization_id uuid not null references auth.organization,
    token_id text not null,
    expires_at timestamptz not null,
    revoked_at timestamptz not null,
    primary key (organization_id, token_id)
  )`,
  "comment on table auth.revoked_token is 'Access tokens revoked before they expired; deleted once they have.'",
  "create index revoked_token_expiry on auth.revoked_token (expires_at)",
  ...forceOrgIsolationSql("auth.revoked_token"),
  "create policy purge on auth.revoked_token to assent_auth_janitor using (true)",
  "grant select, insert on auth.revoked_token to assent_auth",
  "grant select, delete on auth.revoked_token to assent_auth_janitor",
];

const keyTables = [
  `create table auth.signing_key (
    generation integer primary key,
    kid text not null unique,
    private_jwk bytea not null,
    signs_from timestamptz not null,
    created_at timestamptz not null
  )`,
  `comment on table auth.signing_key is
    'The platform''s own keys, of no organization. The primary key lets one of several processes that make the next generation at once win. private_jwk is iv, tag and ciphertext of AES-256-GCM with the kid as associated data; the public key is derived from it, so a forged row verifies nothing.'`,
  "grant select on auth.signing_key to assent_auth_lookup",
  "grant insert on auth.signing_key to assent_auth",
  // Without select, ON CONFLICT cannot name the column it depends on.
  "grant select (generation) on auth.signing_key to assent_auth",
  "grant select (generation, signs_from), delete on auth.signing_key to assent_auth_janitor",
];

const changeTables = [
  `create table auth.change_head (
    only_row boolean primary key default true check (only_row),
    cursor bigint not null
  )`,
  `comment on table auth.change_head is
    'The last cursor that was given out. Whoever records a change updates this row and thereby holds it until the commit, so cursors become visible in their order and a reader never skips one.'`,
  "insert into auth.change_head (cursor) values (0)",
  "grant select, update on auth.change_head to assent_auth",
  "grant select on auth.change_head to assent_auth_lookup",

  `create table auth.change (
    cursor bigint primary key,
    kind text not null check (kind in ('token_revoked', 'client_revoked', 'key_revoked', 'organization_changed')),
    subject text not null,
    created_at timestamptz not null
  )`,
  `comment on table auth.change is
    'What gateways must forget, one feed for all organizations: ids only, nothing that belongs to a tenant.'`,
  "grant insert on auth.change to assent_auth",
  "grant select on auth.change to assent_auth_lookup",
  "grant select, delete on auth.change to assent_auth_janitor",
];

export class Migration002ClientKeys extends Migration {
  override up(): void {
    for (const statement of [...clientKeys, ...lastUses]) this.addSql(statement);
  }
}

const clientKeys = [
  `create table auth.oauth_client_key (
    organization_id uuid not null,
    client_id text not null,
    key_id text not null,
    algorithm text not null check (algorithm in ('RS256', 'ES256')),
    public_jwk jsonb not null,
    created_at timestamptz not null,
    revoked_at timestamptz,
    primary key (organization_id, client_id, key_id),
    foreign key (organization_id, client_id) references auth.oauth_client
  )`,
  `comment on table auth.oauth_client_key is
    'Public keys with which clients sign assertions (RFC 7523). A client shows its id before its organization is known, hence the policy lookup.'`,
  "comment on column auth.oauth_client_key.key_id is 'The RFC 7638 thumbprint of public_jwk.'",
  "comment on column auth.oauth_client_key.algorithm is 'Follows from the key; the only one that its assertions are verified with.'",
  ...forceOrgIsolationSql("auth.oauth_client_key"),
  "create policy lookup on auth.oauth_client_key for select to assent_auth_lookup using (true)",
  "grant select on auth.oauth_client_key to assent_auth_lookup",
  "grant select, insert, update (revoked_at) on auth.oauth_client_key to assent_auth",
];

// The uses of all organizations are written with one statement. The janitor's role sees what that statement needs and
// no secrets.
const lastUses = [
  ...[
    ["auth.api_key", "key_id"],
    ["auth.oauth_client", "client_id"],
  ].flatMap(([table, id]) => [
    `alter table ${table} add column last_used_at timestamptz`,
    `comment on column ${table}.last_used_at is 'To about a minute; null for one that was never used.'`,
    `create policy uses_read on ${table} for select to assent_auth_janitor using (true)`,
    `create policy uses_write on ${table} for update to assent_auth_janitor using (true)`,
    `grant select (organization_id, ${id}, last_used_at), update (last_used_at) on ${table} to assent_auth_janitor`,
  ]),
];
