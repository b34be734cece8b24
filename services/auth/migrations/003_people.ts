import { Migration } from "@mikro-orm/migrations";
import { forceOrgIsolationSql } from "#platform/db/ddl.ts";

export class Migration003People extends Migration {
  override up(): void {
    const all = [...users, ...secondFactor, ...sessions, ...links, ...mails, ...audit, ...others];
    for (const statement of all) this.addSql(statement);
  }
}

const users = [
  `create table auth.user_account (
    organization_id uuid not null references auth.organization,
    user_id uuid not null,
    email text not null,
    email_key text not null,
    name text not null,
    role text not null check (role in ('owner', 'developer', 'viewer')),
    status text not null check (status in ('invited', 'active', 'disabled')),
    locale text not null,
    time_zone text not null,
    password_hash bytea check (octet_length(password_hash) = 32),
    password_scheme text,
    external_subject text,
    totp_secret bytea,
    totp_enabled_at timestamptz,
    totp_last_step bigint,
    failures integer not null default 0,
    failures_since timestamptz,
    locked_until timestamptz,
    created_at timestamptz not null,
    last_login_at timestamptz,
    primary key (organization_id, user_id),
    unique (organization_id, email_key),
    check ((password_hash is null) = (password_scheme is null)),
    check (status <> 'invited' or password_hash is null),
    check (totp_enabled_at is null or totp_secret is not null)
  )`,
  `comment on table auth.user_account is
    'People who log in to the dashboard. They show an e-mail address before their organization is known, hence the look-up by email_key alone and the policy lookup.'`,
  "comment on column auth.user_account.email_key is 'The address as it is compared: composed and in lower case.'",
  `comment on column auth.user_account.password_hash is
    'An HMAC, bound to the user and keyed under the master key, of what argon2id makes of the password. The salt follows from email_key under the master key, so that one computation tries the password for all organizations of an address.'`,
  "comment on column auth.user_account.password_scheme is 'The parameters of argon2id that the hash was made with.'",
  "comment on column auth.user_account.totp_secret is 'iv, tag and ciphertext of AES-256-GCM with the user as associated data; it counts from totp_enabled_at on.'",
  "comment on column auth.user_account.failures is 'Attempts to log in that began since failures_since; one is taken back when it succeeds.'",
  "create index user_account_lookup on auth.user_account (email_key)",
  ...forceOrgIsolationSql("auth.user_account"),
  "create policy lookup on auth.user_account for select to assent_auth_lookup using (true)",
  `grant select (organization_id, user_id, email, email_key, name, role, status, locale, time_zone, password_hash,
    password_scheme, totp_enabled_at, created_at, last_login_at) on auth.user_account to assent_auth_lookup`,
  "grant select, insert, delete on auth.user_account to assent_auth",
  `grant update (name, role, status, locale, time_zone, password_hash, password_scheme, totp_secret, totp_enabled_at,
    totp_last_step, failures, failures_since, locked_until, last_login_at) on auth.user_account to assent_auth`,
];

const ofUser = "foreign key (organization_id, user_id) references auth.user_account on delete cascade";

const secondFactor = [
  `create table auth.recovery_code (
    organization_id uuid not null,
    user_id uuid not null,
    code_hash bytea not null check (octet_length(code_hash) = 32),
    primary key (organization_id, user_id, code_hash),
    ${ofUser}
  )`,
  "comment on table auth.recovery_code is 'Stand in for the second factor once each, then they are deleted.'",
  ...forceOrgIsolationSql("auth.recovery_code"),
  "create policy lookup on auth.recovery_code for select to assent_auth_lookup using (true)",
  "grant select (organization_id, user_id) on auth.recovery_code to assent_auth_lookup",
  "grant select, insert, delete on auth.recovery_code to assent_auth",

  `create table auth.login_challenge (
    organization_id uuid not null,
    token_hash bytea not null check (octet_length(token_hash) = 32),
    user_id uuid not null,
    failures integer not null default 0,
    expires_at timestamptz not null,
    primary key (organization_id, token_hash),
    ${ofUser}
  )`,
  `comment on table auth.login_challenge is
    'Logins whose password was right and whose second factor is awaited. The token is shown before the organization is known, hence the policy lookup.'`,
  "create index login_challenge_lookup on auth.login_challenge (token_hash)",
  "create index login_challenge_expiry on auth.login_challenge (expires_at)",
  ...forceOrgIsolationSql("auth.login_challenge"),
  "create policy lookup on auth.login_challenge for select to assent_auth_lookup using (true)",
  "create policy purge on auth.login_challenge to assent_auth_janitor using (true)",
  "grant select (organization_id, user_id, token_hash) on auth.login_challenge to assent_auth_lookup",
  "grant select (expires_at), delete on auth.login_challenge to assent_auth_janitor",
  "grant select, insert, update (failures), delete on auth.login_challenge to assent_auth",
];

const sessions = [
  `create table auth.user_session (
    organization_id uuid not null,
    session_id uuid not null,
    user_id uuid not null,
    token_hash bytea not null check (octet_length(token_hash) = 32),
    token_used boolean not null,
    previous_hash bytea check (octet_length(previous_hash) = 32),
    previous_until timestamptz,
    rotated_at timestamptz not null,
    created_at timestamptz not null,
    last_seen_at timestamptz not null,
    expires_at timestamptz not null,
    ip text not null,
    user_agent text not null,
    primary key (organization_id, session_id),
    ${ofUser}
  )`,
  `comment on table auth.user_session is
    'Living sessions of the dashboard; one that ends is deleted. A token is shown before the organization is known, hence the policy lookup.'`,
  "comment on column auth.user_session.token_used is 'Whether the token was shown since it was given out. From then on the previous one works until previous_until.'",
  "create index user_session_lookup on auth.user_session (token_hash)",
  "create index user_session_previous on auth.user_session (previous_hash) where previous_hash is not null",
  "create index user_session_of_user on auth.user_session (organization_id, user_id)",
  "create index user_session_expiry on auth.user_session (expires_at)",
  ...forceOrgIsolationSql("auth.user_session"),
  "create policy lookup on auth.user_session for select to assent_auth_lookup using (true)",
  "create policy purge on auth.user_session to assent_auth_janitor using (true)",
  "grant select on auth.user_session to assent_auth_lookup",
  "grant select (expires_at, last_seen_at), delete on auth.user_session to assent_auth_janitor",
  "grant select, insert, delete on auth.user_session to assent_auth",
  `grant update (token_hash, token_used, previous_hash, previous_until, rotated_at, last_seen_at, ip, user_agent)
    on auth.user_session to assent_auth`,
];

const links = [
  `create table auth.user_link (
    organization_id uuid not null,
    token_hash bytea not null check (octet_length(token_hash) = 32),
    user_id uuid not null,
    purpose text not null check (purpose in ('invitation', 'reset')),
    created_at timestamptz not null,
    expires_at timestamptz not null,
    primary key (organization_id, token_hash),
    ${ofUser}
  )`,
  `comment on table auth.user_link is
    'Links with which a password is set; one that was used is deleted. The token is shown before the organization is known, hence the policy lookup.'`,
  "create index user_link_lookup on auth.user_link (token_hash)",
  "create index user_link_of_user on auth.user_link (organization_id, user_id)",
  "create index user_link_expiry on auth.user_link (expires_at)",
  ...forceOrgIsolationSql("auth.user_link"),
  "create policy lookup on auth.user_link for select to assent_auth_lookup using (true)",
  "create policy purge on auth.user_link to assent_auth_janitor using (true)",
  "grant select on auth.user_link to assent_auth_lookup",
  "grant select (expires_at), delete on auth.user_link to assent_auth_janitor",
  "grant select, insert, delete on auth.user_link to assent_auth",
];

const mails = [
  `create table auth.mail_job (
    organization_id uuid not null,
    job_id uuid not null,
    user_id uuid not null,
    kind text not null check (kind in ('invitation', 'reset', 'lockout')),
    sealed_token bytea,
    created_at timestamptz not null,
    run_at timestamptz not null,
    attempts integer not null default 0,
    claim uuid,
    claimed_until timestamptz,
    primary key (organization_id, job_id),
    ${ofUser}
  )`,
  "comment on table auth.mail_job is 'Mails that are to be sent; one that was sent is deleted.'",
  "comment on column auth.mail_job.sealed_token is 'What the link ends with: iv, tag and ciphertext of AES-256-GCM with the job as associated data.'",
  "create index mail_job_due on auth.mail_job (run_at)",
  "create index mail_job_of_user on auth.mail_job (organization_id, user_id)",
  ...forceOrgIsolationSql("auth.mail_job"),
  "create policy due on auth.mail_job to assent_auth_janitor using (true)",
  `grant select (organization_id, job_id, run_at, attempts, claim, claimed_until), update (attempts, claim, claimed_until)
    on auth.mail_job to assent_auth_janitor`,
  "grant select, insert, update (run_at, claim, claimed_until), delete on auth.mail_job to assent_auth",
];

const audit = [
  `create table auth.audit_event (
    organization_id uuid not null references auth.organization,
    event_id uuid not null,
    at timestamptz not null,
    action text not null,
    actor_id text not null,
    actor_name text not null,
    subject_id text not null,
    subject_name text not null,
    details jsonb not null,
    request_id text not null,
    ip text not null,
    user_agent text not null,
    primary key (organization_id, event_id)
  )`,
  "comment on table auth.audit_event is 'Who did what to whom. Only added to: no role may change or delete an event.'",
  ...forceOrgIsolationSql("auth.audit_event"),
  "grant select, insert on auth.audit_event to assent_auth",
];

const others = [
  "grant update (name) on auth.organization to assent_auth",
  "alter table auth.change drop constraint change_kind_check",
  `alter table auth.change add constraint change_kind_check check (kind in (
    'token_revoked', 'client_revoked', 'key_revoked', 'organization_changed', 'session_changed', 'user_changed'
  ))`,
];
