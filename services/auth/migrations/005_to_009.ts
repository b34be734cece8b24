import { Migration } from "@mikro-orm/migrations";
import { forceOrgIsolationSql } from "#platform/db/ddl.ts";
import { inboxTablesSql } from "#platform/events/consume.ts";
import { masterKeyTablesSql } from "#platform/master-keys/tables.ts";

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
