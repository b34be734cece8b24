import { Migration } from "@mikro-orm/migrations";
import { sealedBlobsSql } from "#platform/blobs/blob-store.ts";
import { createRoleSql, destroyerSql, forceOrgIsolationSql } from "#platform/db/ddl.ts";
import { type ServiceMigrations, sqlMigration } from "#platform/db/migrate.ts";
import { Migration001Initial } from "./001_initial.ts";
import {
  Migration002Evidence,
  Migration011TrailFormat,
  Migration016Retention,
  Migration017Erasure,
  migrations005To008,
} from "./002_to_017.ts";
import { fileSearchMigrations, uploadMigrations, workflowMigrations } from "./033_to_037.ts";
import { pageHostMigrations } from "./040_to_041.ts";

/** Files are sealed under a key of their agreement. Those of before stay as they are until it is their turn. */
class Migration014FileKeys extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}

const resealer = "assent_sign_resealer";
/** Deletes agreements, and their keys with them. */
const remover = "assent_sign_remover";

const statements = [
  `create table sign.file_key (
    organization_id uuid not null,
    agreement_id uuid not null,
    id uuid not null,
    seed bytea check (octet_length(seed) = 60),
    primary key (organization_id, agreement_id),
    foreign key (organization_id, agreement_id) references sign.agreement (organization_id, id)
  )`,
  `comment on table sign.file_key is
    'What the files of an agreement are sealed with, wrapped under the master key. seed: null once it was erased, and all files with it.'`,
  ...forceOrgIsolationSql("sign.file_key"),
  "grant select, insert, update (seed) on sign.file_key to assent_sign",
  `grant select (organization_id, agreement_id, id, seed), update (seed) on sign.file_key to ${resealer}`,
  `create policy resealer_reads on sign.file_key for select to ${resealer} using (true)`,
  `create policy resealer_seals on sign.file_key for update to ${resealer} using (true)`,
  createRoleSql(remover),
  `grant select, delete on sign.file_key to ${remover}`,
  ...sealedBlobsSql("sign"),
  "create index blob_in_clear on sign.blob (organization_id, sha256) where not is_sealed",
  // Finds what is still in clear, and sees nothing but that there is something.
  `grant select (organization_id, sha256, is_sealed) on sign.blob to ${resealer}`,
  `create policy resealer_finds_clear on sign.blob for select to ${resealer} using (not is_sealed)`,
];

export const signMigrations: ServiceMigrations = {
  schema: "sign",
  list: [
    { name: "001_initial", class: Migration001Initial },
    { name: "002_evidence", class: Migration002Evidence },
    // The webhooks service keeps where events are sent; nothing was ever sent to what stood here.
    sqlMigration("003_no_subscriptions", "drop table sign.subscription"),
    // Lists of one status are read in their order, and all are counted without a look at them.
    sqlMigration(
      "004_agreements_by_status",
      `create index agreement_by_status on sign.agreement (organization_id, status, created_at desc, id desc)
      where deleted_at is null and status <> 'template'`,
    ),
    ...migrations005To008,
    // What is to be known of a file before something is placed on it, such as that it is certified.
    sqlMigration(
      "010_document_warnings",
      `alter table sign.document add column warnings jsonb not null default '[]'
    check (jsonb_typeof(warnings) = 'array')`,
      "comment on column sign.document.warnings is 'codes of what signatures and claims of the file forbid, as the API has them'",
    ),
    { name: "011_trail_format", class: Migration011TrailFormat },
    { name: "014_file_keys", class: Migration014FileKeys },
    { name: "016_retention", class: Migration016Retention },
    { name: "017_erasure", class: Migration017Erasure },
    // Before its time is over, somebody may want the files of an agreement deleted.
    sqlMigration(
      "018_purge",
      "alter table sign.agreement add column purge jsonb check (jsonb_typeof(purge) = 'object')",
      "comment on column sign.agreement.purge is 'state as the compatible interface names it, requestedAt, purgedAt; null while nobody has asked'",
      "alter table sign.job drop constraint job_kind_check",
      `alter table sign.job add constraint job_kind_check check (kind in
        ('bulk-copy', 'completion', 'deletion', 'evidence', 'mail', 'purge', 'reminder', 'expiry', 'expiry-warning'))`,
      "grant delete on sign.attachment to assent_sign",
    ),
    // What is made from a template may be kept for another time than the rest.
    sqlMigration(
      "019_template_periods",
      "alter table sign.agreement add column template_id uuid",
      "comment on column sign.agreement.template_id is 'the template that it was made from; null without one and in agreements of before'",
      `create index agreement_of_template_by_age on sign.agreement
        (organization_id, template_id, status, (case status when 'created' then modified_at else status_changed_at end))
        where template_id is not null and status in ('created', 'completed', 'declined', 'voided', 'expired')`,
      "alter table sign.retention_period drop constraint retention_period_check",
      "alter table sign.retention_period add check (next_days is null or next_at is not null)",
      "alter table sign.retention_period add check (next_days is not null or next_at is null or owner_id <> organization_id)",
      `comment on table sign.retention_period is
        'After how many days agreements of a status are deleted; days: null for never. A shorter period comes at next_at. owner_id: the organization, or a template, whose periods take their place; without next_days, until next_at.'`,
    ),
    // Drawn signatures are files; and of what nobody is left of, all files go.
    sqlMigration(
      "020_erased_files",
      "grant select on sign.retention_period to assent_sign_eraser",
      "grant select, insert, update (seed) on sign.file_key to assent_sign_eraser",
      "grant select, update (created_at), delete on sign.blob, sign.blob_reference to assent_sign_eraser",
      "grant insert on sign.privacy_act, sign.outbox to assent_sign_eraser",
    ),
    // An organization is deleted by a role that does nothing else.
    sqlMigration("022_destroyer", ...destroyerSql("sign", "assent_sign_destroyer")),
    // Periods are for what other services keep as well.
    sqlMigration(
      "023_record_periods",
      "alter table sign.retention_period drop constraint retention_period_status_check",
      `alter table sign.retention_period add constraint retention_period_status_check check (status in
        ('created', 'completed', 'declined', 'voided', 'expired', 'acceptances', 'documents', 'webhooks', 'audit'))`,
      `create table sign.record_removal (
        organization_id uuid not null,
        kind text not null check (kind in ('acceptances', 'documents', 'webhooks', 'audit')),
        id uuid not null,
        record_ids uuid[] not null,
        before timestamptz(3) not null,
        hold_ids uuid[] not null,
        planned_at timestamptz(3) not null,
        primary key (organization_id, kind)
      )`,
      `comment on table sign.record_removal is
        'Records of other services that are just being deleted. It is gone when they are; hold_ids: the legal holds that were looked at.'`,
      ...forceOrgIsolationSql("sign.record_removal"),
      "grant select, insert, update (planned_at), delete on sign.record_removal to assent_sign_remover",
      ...destroyerSql("sign", "assent_sign_destroyer"),
    ),
    // What a recipient has entered and not finished with is saved as they enter it.
    sqlMigration(
      "024_progress",
      `create table sign.progress (
        organization_id uuid not null,
        agreement_id uuid not null,
        recipient_id uuid not null,
        part text not null check (part in ('fields', 'signature', 'initials')),
        sealed bytea not null,
        saved_at timestamptz(3) not null,
        primary key (organization_id, agreement_id, recipient_id, part),
        foreign key (organization_id, agreement_id, recipient_id)
          references sign.recipient (organization_id, agreement_id, id)
      )`,
      `comment on table sign.progress is
        'What recipients have entered before they finish, sealed under the key of the files. It is gone when they have finished or the agreement has ended.'`,
      ...forceOrgIsolationSql("sign.progress"),
      "grant select, insert, update (sealed, saved_at), delete on sign.progress to assent_sign",
      "grant select, delete on sign.progress to assent_sign_remover, assent_sign_eraser",
      ...destroyerSql("sign", "assent_sign_destroyer"),
    ),
    // Where a legal hold keeps something, old deliveries of webhooks are looked at one by one.
    sqlMigration(
      "025_held_deliveries",
      "create policy remover_chooses on sign.legal_hold for select to assent_sign_remover using (lifted_at is null)",
    ),
    // Mails come back.
    sqlMigration(
      "026_undelivered",
      `alter table sign.recipient add column delivery_failed_at timestamptz(3),
        add column delivery_failed_reason text not null default ''`,
      "comment on column sign.recipient.delivery_failed_at is 'when a mail to them came back; null again once they have opened the agreement'",
    ),
    // Organizations have brands; agreements and templates choose one.
    sqlMigration(
      "027_brands",
      `create table sign.brand (
        organization_id uuid not null,
        id uuid not null,
        name text not null,
        is_default boolean not null,
        settings jsonb not null check (jsonb_typeof(settings) = 'object'),
        logo_sha256 bytea check (octet_length(logo_sha256) = 32),
        favicon_sha256 bytea check (octet_length(favicon_sha256) = 32),
        created_at timestamptz(3) not null,
        modified_at timestamptz(3) not null,
        primary key (organization_id, id)
      )`,
      "comment on table sign.brand is 'How pages and mails look to those who are asked to agree. settings: colours, font, footer, sender, texts of mails.'",
      "create unique index brand_name on sign.brand (organization_id, lower(name))",
      "create unique index brand_default on sign.brand (organization_id) where is_default",
      `create table sign.brand_image (
        organization_id uuid not null,
        sha256 bytea not null check (octet_length(sha256) = 32),
        content_type text not null check (content_type in ('image/png', 'image/jpeg')),
        width integer not null,
        height integer not null,
        content bytea not null,
        primary key (organization_id, sha256)
      )`,
      "comment on table sign.brand_image is 'Logos and favicons, which pages show to everybody who opens them; each once, while a brand shows it.'",
      ...forceOrgIsolationSql("sign.brand"),
      ...forceOrgIsolationSql("sign.brand_image"),
      "grant select, insert, update, delete on sign.brand to assent_sign",
      "grant select, insert, delete on sign.brand_image to assent_sign",
      "alter table sign.agreement add column brand_id uuid",
      "comment on column sign.agreement.brand_id is 'the brand that it has chosen, which may be gone; null for the default one of the organization'",
      ...destroyerSql("sign", "assent_sign_destroyer"),
    ),
    // Senders are told by mail of what becomes of their agreements, or by one mail a day.
    sqlMigration(
      "028_notices",
      "alter table sign.job drop constraint job_kind_check",
      `alter table sign.job add constraint job_kind_check check (kind in ('bulk-copy', 'completion', 'deletion', 'evidence',
        'mail', 'notice', 'notice-mail', 'purge', 'reminder', 'expiry', 'expiry-warning')) not valid`,
      `create table sign.notice (
        organization_id uuid not null,
        reader_id uuid not null,
        id uuid not null,
        agreement_id uuid not null,
        recipient_id uuid,
        kind text not null,
        occurred_at timestamptz(3) not null,
        primary key (organization_id, reader_id, id)
      )`,
      "comment on table sign.notice is 'News that wait for the next summary of a user; what they say is composed then.'",
      ...forceOrgIsolationSql("sign.notice"),
      "grant select, insert, delete on sign.notice to assent_sign",
      ...destroyerSql("sign", "assent_sign_destroyer"),
    ),
    // In a transaction of its own, in which nobody who writes jobs has to wait for it.
    sqlMigration("029_notices_validated", "alter table sign.job validate constraint job_kind_check"),
    // A file that was converted to a PDF is kept as it was sent, among the files of its agreement.
    sqlMigration(
      "030_originals",
      "alter table sign.document add column original_id uuid",
      "alter table sign.document add column original_format text",
      "alter table sign.document add constraint document_original_check check ((original_id is null) = (original_format is null)) not valid",
      "comment on column sign.document.original_id is 'of the file as it was sent, when it was converted to a PDF; its hash is sent_sha256'",
    ),
    // Mails come from domains of organizations, as long as their DNS says that they may.
    sqlMigration(
      "031_sender_domains",
      `create table sign.sender_domain (
        organization_id uuid not null,
        id uuid not null,
        domain text collate "C" not null,
        mailbox text not null,
        token text not null,
        selector text not null,
        public_key text not null,
        private_key bytea not null,
        status text not null check (status in ('pending', 'verified', 'lost')),
        findings jsonb not null check (jsonb_typeof(findings) = 'object'),
        checked_at timestamptz(3),
        verified_at timestamptz(3),
        created_by text not null,
        created_at timestamptz(3) not null,
        primary key (organization_id, id)
      )`,
      `comment on table sign.sender_domain is
        'Domains that mails come from while they are verified. private_key: that of DKIM, sealed; findings: what was found for each record.'`,
      "create unique index sender_domain_name on sign.sender_domain (organization_id, domain)",
      // Of all organizations one: whoever has not proved it yet keeps nobody from it.
      "create unique index sender_domain_verified on sign.sender_domain (domain) where status = 'verified'",
      ...forceOrgIsolationSql("sign.sender_domain"),
      "grant select, insert, update (status, findings, checked_at, verified_at), delete on sign.sender_domain to assent_sign",
      "grant select (organization_id, id, private_key), update (private_key) on sign.sender_domain to assent_sign_resealer",
      "create policy resealer_reads on sign.sender_domain for select to assent_sign_resealer using (true)",
      "create policy resealer_seals on sign.sender_domain for update to assent_sign_resealer using (true)",
      "alter table sign.job drop constraint job_kind_check",
      `alter table sign.job add constraint job_kind_check check (kind in ('bulk-copy', 'completion', 'deletion', 'evidence',
        'mail', 'notice', 'notice-mail', 'purge', 'reminder', 'expiry', 'expiry-warning', 'sender-domain',
        'sender-domain-mail')) not valid`,
      ...destroyerSql("sign", "assent_sign_destroyer"),
    ),
    sqlMigration("032_sender_domains_validated", "alter table sign.job validate constraint job_kind_check"),
    ...fileSearchMigrations,
    ...uploadMigrations,
    ...workflowMigrations,
    // While a sender prepares a change, nobody signs, and nobody else changes anything.
    sqlMigration(
      "038_edit_locks",
      "alter table sign.agreement add column edit_lock jsonb",
      "comment on column sign.agreement.edit_lock is 'token, until, seconds, app, by; null while nobody has locked it, and of no effect once its time is over'",
    ),
    // Recipients prove who they are, each session for itself.
    sqlMigration(
      "039_verification",
      "alter table sign.recipient add column verification jsonb",
      `comment on column sign.recipient.verification is
        'What they have to prove, and how far that is. secret: of an access code, an HMAC of what argon2id makes of it.'`,
      "alter table sign.view add column proofs jsonb not null default '{}'",
      "comment on column sign.view.proofs is 'when the session passed checks of its recipient, by the ids of these'",
    ),
    ...pageHostMigrations,
    // A person may see some of the documents only.
    sqlMigration(
      "042_excluded_documents",
      "alter table sign.recipient add column excluded_documents jsonb",
      "comment on column sign.recipient.excluded_documents is 'documentIds of documents that are not shown to this person; null for none'",
    ),
  ],
};
