import { Migration } from "@mikro-orm/migrations";
import { createRoleSql, destroyerSql, forceOrgIsolationSql } from "#platform/db/ddl.ts";
import { inboxTablesSql } from "#platform/events/consume.ts";
import { masterKeyTablesSql } from "#platform/master-keys/tables.ts";

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

/** People who log in by an identity provider. */
export class Migration005Identities extends Migration {
  override up(): void {
    for (const statement of identities) this.addSql(statement);
  }
}

const identities = [
  "alter table auth.user_account add column external_issuer text",
  `alter table auth.user_account add constraint user_account_identity check
    ((external_issuer is null) = (external_subject is null))`,
  "comment on column auth.user_account.external_issuer is 'The identity provider that external_subject is of.'",
  "comment on column auth.user_account.external_subject is 'Who the person is there, since the first login by it. It never changes, as an address may.'",
  `create unique index user_account_identity on auth.user_account
    (organization_id, external_subject, external_issuer) where external_subject is not null`,
  // Whoever logs in names no organization.
  `create index user_account_identity_lookup on auth.user_account
    (external_subject, external_issuer) where external_subject is not null`,
  "grant select (external_issuer, external_subject) on auth.user_account to assent_auth_lookup",
  "grant update (external_issuer, external_subject) on auth.user_account to assent_auth",
];

/** Owners are told when one of their organization's webhook endpoints is turned off. */
export class Migration006WebhookNotices extends Migration {
  override up(): void {
    for (const statement of webhookNotices) this.addSql(statement);
  }
}

const webhookNotices = [
  ...inboxTablesSql({ schema: "auth", role: "assent_auth" }),
  "alter table auth.mail_job add column details jsonb not null default '{}'",
  "comment on column auth.mail_job.details is 'What the mail is about, for kinds that tell of something.'",
  "alter table auth.mail_job drop constraint mail_job_kind_check",
  `alter table auth.mail_job add constraint mail_job_kind_check check
    (kind in ('invitation', 'reset', 'lockout', 'endpoint-disabled'))`,
];

/** The master key can be replaced: everything that is sealed can be read and sealed anew by a role of its own. */
export class Migration007MasterKeys extends Migration {
  override up(): void {
    for (const statement of masterKeys) this.addSql(statement);
  }
}

const masterKeys = masterKeyTablesSql({
  schema: "auth",
  serviceRole: "assent_auth",
  resealerRole: "assent_auth_resealer",
  hasHashKey: true,
  sealed: [
    { table: "auth.signing_key", columns: ["private_jwk"], reads: ["generation", "kid"], isOfOrganizations: false },
    {
      table: "auth.user_account",
      columns: ["totp_secret"],
      reads: ["organization_id", "user_id"],
      isOfOrganizations: true,
    },
    {
      table: "auth.mail_job",
      columns: ["sealed_token"],
      reads: ["organization_id", "job_id"],
      isOfOrganizations: true,
    },
  ],
});

/** Exports of what is kept of a person, and their files: sealed under a key of the export, which is destroyed first. */
export class Migration009Exports extends Migration {
  override up(): void {
    for (const statement of exportTables) this.addSql(statement);
  }
}

const resealer = "assent_auth_resealer";
const janitor = "assent_auth_janitor";
const ofExport = "foreign key (organization_id, export_id) references auth.export";

const exportTables = [
  `create table auth.export (
    organization_id uuid not null references auth.organization,
    id uuid not null,
    key_hash bytea,
    request_hash bytea not null,
    status text not null check (status in ('pending', 'completed', 'failed', 'expired')),
    seed bytea check (octet_length(seed) = 60),
    sealed_person bytea,
    created_by text not null,
    request_id text not null,
    created_at timestamptz(3) not null,
    completed_at timestamptz(3),
    expires_at timestamptz(3),
    holder integer not null default 0,
    cursor text not null default '',
    files integer not null default 0,
    bytes bigint not null default 0,
    parts integer not null default 0,
    part_files integer not null default 0,
    part_bytes bigint not null default 0,
    run_at timestamptz(3),
    attempts integer not null default 0,
    claim uuid,
    claimed_until timestamptz(3),
    primary key (organization_id, id),
    unique (organization_id, key_hash),
    check ((status in ('pending', 'completed')) = (seed is not null)),
    check ((status = 'pending') = (sealed_person is not null))
  )`,
  "comment on column auth.export.key_hash is 'keyed hash of the idempotency key; request_hash is one of whom it is about'",
  "comment on column auth.export.seed is 'what its files and sealed_person are sealed with, wrapped under the master key; null once it was destroyed'",
  "comment on column auth.export.holder is 'whose turn it is of those that are asked; cursor says where to go on there'",
  "comment on column auth.export.run_at is 'when there is something to do: to go on, to destroy it, to take away what is left; null for never'",
  "create index export_due on auth.export (run_at) where run_at is not null",
  ...forceOrgIsolationSql("auth.export"),
  "grant select, insert, update on auth.export to assent_auth",
  `create policy due on auth.export to ${janitor} using (true)`,
  `grant select (organization_id, id, run_at, attempts, claim, claimed_until), update (attempts, claim, claimed_until)
    on auth.export to ${janitor}`,
  `grant select (organization_id, id, seed), update (seed) on auth.export to ${resealer}`,
  `create policy resealer_reads on auth.export for select to ${resealer} using (true)`,
  `create policy resealer_seals on auth.export for update to ${resealer} using (true)`,

  `create table auth.export_file (
    organization_id uuid not null,
    export_id uuid not null,
    number integer not null,
    part integer not null check (part >= 1),
    path text not null,
    title bytea not null,
    bytes bigint not null,
    crc32 bigint not null,
    sha256 bytea not null check (octet_length(sha256) = 32),
    header bytea not null,
    sealed_bytes bigint not null,
    primary key (organization_id, export_id, number),
    unique (organization_id, export_id, path),
    ${ofExport}
  )`,
  "comment on column auth.export_file.path is 'where it is in the archive; nothing personal'",
  "comment on column auth.export_file.title is 'what people call it, sealed'",
  "comment on column auth.export_file.header is 'of the sealed file (platform/vault/sealed-file.ts); the rest is in pieces'",
  `create table auth.export_piece (
    organization_id uuid not null,
    export_id uuid not null,
    number integer not null,
    piece integer not null,
    bytes bytea not null,
    primary key (organization_id, export_id, number, piece),
    ${ofExport}
  )`,
  "alter table auth.export_piece alter column bytes set storage external",
  ...["auth.export_file", "auth.export_piece"].flatMap((table) => [
    ...forceOrgIsolationSql(table),
    `grant select, insert, delete on ${table} to assent_auth`,
  ]),
];

/** People are erased from all services by jobs, and from the audit trail by a role that serves no other request. */
export class Migration010Erasures extends Migration {
  override up(): void {
    for (const statement of erasures) this.addSql(statement);
  }
}

const eraser = "assent_auth_eraser";

const erasures = [
  `create table auth.erasure (
    organization_id uuid not null references auth.organization,
    id uuid not null,
    key_hash bytea check (octet_length(key_hash) = 32),
    request_hash bytea not null check (octet_length(request_hash) = 32),
    sealed_person bytea,
    ground text not null,
    is_dry boolean not null,
    asked_by text not null,
    request_id text not null,
    created_at timestamptz(3) not null,
    completed_at timestamptz(3),
    step integer not null default 0,
    position text not null default '',
    pages integer not null default 0,
    run_at timestamptz not null,
    attempts integer not null default 0,
    claim uuid,
    claimed_until timestamptz,
    primary key (organization_id, id),
    unique (organization_id, key_hash),
    check ((completed_at is null) = (sealed_person is not null))
  )`,
  `comment on table auth.erasure is
    'Erasures of people from all services. While one runs, sealed_person says of whom; then nothing does but a keyed hash of the request. step, position: how far it has come.'`,
  "comment on column auth.erasure.sealed_person is 'iv, tag and ciphertext of AES-256-GCM with the erasure as associated data; gone when it ends.'",
  "create index erasure_due on auth.erasure (run_at) where completed_at is null",
  `create table auth.erasure_page (
    organization_id uuid not null,
    erasure_id uuid not null,
    page integer not null,
    items jsonb not null check (jsonb_typeof(items) = 'array'),
    primary key (organization_id, erasure_id, page),
    foreign key (organization_id, erasure_id) references auth.erasure (organization_id, id)
  )`,
  "comment on table auth.erasure_page is 'What became of what was known of a person: kinds, ids, reasons and times; nothing personal.'",
  ...["erasure", "erasure_page"].flatMap((table) => forceOrgIsolationSql(`auth.${table}`)),
  `grant select, insert, update (sealed_person, completed_at, step, position, pages, run_at, attempts, claim, claimed_until)
    on auth.erasure to assent_auth`,
  "grant select, insert on auth.erasure_page to assent_auth",
  `create policy due on auth.erasure to ${janitor} using (completed_at is null)`,
  `grant select (organization_id, id, run_at, attempts, claim, claimed_until, completed_at),
    update (attempts, claim, claimed_until) on auth.erasure to ${janitor}`,
  `create policy resealer_reads on auth.erasure for select to ${resealer} using (true)`,
  `create policy resealer_seals on auth.erasure for update to ${resealer} using (true)`,
  `grant select (organization_id, id, sealed_person), update (sealed_person) on auth.erasure to ${resealer}`,
  createRoleSql(eraser),
  `grant usage on schema auth to ${eraser}`,
  `grant select, update (actor_name, subject_name, details, ip, user_agent) on auth.audit_event to ${eraser}`,
];

/** An organization is deleted with all that is kept of it. That it was, and the certificate, stay. */
export class Migration014OrganizationDeletions extends Migration {
  override up(): void {
    for (const statement of organizationDeletions) this.addSql(statement);
  }
}

const organizationDeletions = [
  "alter table auth.organization add column closed_at timestamptz",
  "comment on column auth.organization.closed_at is 'since when it is being deleted and nobody is given a credential for it'",
  "grant update (closed_at) on auth.organization to assent_auth",
  `create table auth.organization_deletion (
    organization_id uuid not null,
    id uuid not null,
    status text not null check (status in ('scheduled', 'held', 'running', 'completed', 'withdrawn')),
    requested_by text not null,
    requested_at timestamptz(3) not null,
    effective_at timestamptz(3) not null,
    closed_at timestamptz(3),
    completed_at timestamptz(3),
    step integer not null default 0,
    found jsonb,
    certificate text,
    run_at timestamptz(3),
    attempts integer not null default 0,
    claim uuid,
    claimed_until timestamptz(3),
    primary key (organization_id, id),
    check ((status = 'completed') = (certificate is not null)),
    check ((status in ('completed', 'withdrawn')) = (run_at is null))
  )`,
  `comment on table auth.organization_deletion is
    'Deletions of organizations. Refers to none: it stays when the organization is gone. found: what there was when nothing could be added any more, and the heads of the logs; step: what comes next (services/auth/deletion/deletion-worker.ts).'`,
  `create unique index organization_deletion_once on auth.organization_deletion (organization_id)
    where status in ('scheduled', 'held', 'running')`,
  "create index organization_deletion_due on auth.organization_deletion (run_at) where run_at is not null",
  ...forceOrgIsolationSql("auth.organization_deletion"),
  `grant select, insert, update (status, closed_at, completed_at, step, found, certificate, run_at, attempts, claim,
    claimed_until) on auth.organization_deletion to assent_auth`,
  `create policy due on auth.organization_deletion to ${janitor} using (run_at is not null)`,
  `grant select (organization_id, id, run_at, attempts, claim, claimed_until), update (attempts, claim, claimed_until)
    on auth.organization_deletion to ${janitor}`,
  ...destroyerSql("auth", "assent_auth_destroyer", ["organization_deletion"]),
  // Gateways have read it long before.
  "grant select (subject), delete on auth.change to assent_auth_destroyer",
];
