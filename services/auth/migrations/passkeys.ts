import { destroyerSql, forceOrgIsolationSql } from "#platform/db/ddl.ts";
import { sqlMigration } from "#platform/db/migrate.ts";

/** People sign in to the dashboard with passkeys. */
export const passkeyMigrations = [
  sqlMigration(
    "024_passkeys",
    `create table auth.passkey (
    organization_id uuid not null,
    passkey_id uuid not null,
    user_id uuid not null,
    credential_id bytea not null check (octet_length(credential_id) between 1 and 1023),
    public_key bytea not null,
    sign_count bigint not null,
    transports text[] not null,
    rp_id text not null,
    name text not null,
    passwordless boolean not null,
    synced boolean not null,
    created_at timestamptz(3) not null,
    last_used_at timestamptz(3),
    primary key (organization_id, passkey_id),
    unique (organization_id, credential_id),
    foreign key (organization_id, user_id) references auth.user_account on delete cascade
  )`,
    "comment on column auth.passkey.public_key is 'in COSE; the authenticator keeps the private one'",
    "comment on column auth.passkey.sign_count is 'what its authenticator counted up to; one that goes back was copied'",
    "comment on column auth.passkey.rp_id is 'the host whose pages may use it'",
    "comment on column auth.passkey.passwordless is 'whether it can sign in by itself'",
    "create index passkey_of_user on auth.passkey (organization_id, user_id)",
    ...forceOrgIsolationSql("auth.passkey"),
    "create policy lookup on auth.passkey for select to assent_auth_lookup using (true)",
    "grant select (organization_id, user_id) on auth.passkey to assent_auth_lookup",
    "grant select, insert, update (sign_count, synced, last_used_at, name), delete on auth.passkey to assent_auth",
    `create table auth.spent_challenge (
    organization_id uuid not null references auth.organization,
    challenge_hash bytea not null check (octet_length(challenge_hash) = 32),
    expires_at timestamptz(3) not null,
    primary key (organization_id, challenge_hash)
  )`,
    "comment on table auth.spent_challenge is 'Challenges that passkeys have signed: each is accepted once, until it expires.'",
    "create index spent_challenge_expiry on auth.spent_challenge (expires_at)",
    ...forceOrgIsolationSql("auth.spent_challenge"),
    "create policy purge on auth.spent_challenge to assent_auth_janitor using (true)",
    "grant select (expires_at), delete on auth.spent_challenge to assent_auth_janitor",
    "grant select (organization_id, challenge_hash), insert on auth.spent_challenge to assent_auth",
    "alter table auth.mail_job drop constraint mail_job_kind_check",
    `alter table auth.mail_job add constraint mail_job_kind_check check (kind in
    ('invitation', 'reset', 'lockout', 'endpoint-disabled', 'passkey-added', 'passkey-removed')) not valid`,
    ...destroyerSql("auth", "assent_auth_destroyer", ["organization_deletion"]),
  ),
  // In a transaction of its own, in which nobody who writes has to wait for it.
  sqlMigration("025_passkey_mails", "alter table auth.mail_job validate constraint mail_job_kind_check"),
];
