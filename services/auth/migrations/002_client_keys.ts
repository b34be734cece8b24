import { Migration } from "@mikro-orm/migrations";
import { forceOrgIsolationSql } from "#platform/db/ddl.ts";

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
