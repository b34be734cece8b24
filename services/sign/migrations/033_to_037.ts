import { createRoleSql, destroyerSql, forceOrgIsolationSql } from "#platform/db/ddl.ts";
import { sqlMigration } from "#platform/db/migrate.ts";

/**
 * Finds what has some words, and sees nothing but that. Under row-level security no operator of full text may use an index,
 * so this role has none; the words of each organization are hashed under a key of its own, and match no other's.
 */
const searcherRole = "assent_sign_searcher";

/** Agreements can be found by the words of their files. */
export const fileSearchMigrations = [
  sqlMigration(
    "033_file_search",
    `create table sign.file_search (
      organization_id uuid not null,
      is_on boolean not null,
      changed_at timestamptz(3) not null,
      filled_through uuid,
      filled_at timestamptz(3),
      primary key (organization_id)
    )`,
    `comment on table sign.file_search is
      'Whether agreements are found by the words of their files, which is so where a row says it. filled_through: the last agreement whose files were planned to be read; filled_at: since when all of them were.'`,
    `create table sign.file_words (
      organization_id uuid not null,
      agreement_id uuid not null,
      document_id uuid not null,
      words tsvector not null,
      is_whole boolean not null,
      primary key (organization_id, agreement_id, document_id),
      foreign key (organization_id, agreement_id, document_id)
        references sign.document (organization_id, agreement_id, id) on delete cascade
    )`,
    `comment on table sign.file_words is
      'Which words a file has: keyed hashes of them, each once and in no order, that tell neither words nor text.'`,
    "comment on column sign.file_words.is_whole is 'false when there were more words than are kept, or some pages could not be read'",
    // Hashes cannot be compressed.
    "alter table sign.file_words alter column words set storage external",
    "create index file_words_found on sign.file_words using gin (words)",
    ...["file_search", "file_words"].flatMap((table) => forceOrgIsolationSql(`sign.${table}`)),
    "grant select, insert, update on sign.file_search to assent_sign",
    "grant select, insert, delete on sign.file_words to assent_sign",
    "grant select, delete on sign.file_words to assent_sign_eraser",
    createRoleSql(searcherRole),
    `grant usage on schema sign to ${searcherRole}`,
    `create policy searcher_finds on sign.file_words for select to ${searcherRole} using (true)`,
    `grant select (organization_id, agreement_id, words) on sign.file_words to ${searcherRole}`,
    "alter table sign.job drop constraint job_kind_check",
    `alter table sign.job add constraint job_kind_check check (kind in ('bulk-copy', 'completion', 'deletion', 'evidence',
      'file-search', 'file-words', 'mail', 'notice', 'notice-mail', 'purge', 'reminder', 'expiry', 'expiry-warning',
      'sender-domain', 'sender-domain-mail')) not valid`,
    ...destroyerSql("sign", "assent_sign_destroyer"),
  ),
  // In a transaction of its own, in which nobody who writes jobs has to wait for it.
  sqlMigration("034_file_search_validated", "alter table sign.job validate constraint job_kind_check"),
];

/** Files may come in parts, before a request names them. */
export const uploadMigrations = [
  sqlMigration(
    "035_uploads",
    `create table sign.upload (
      organization_id uuid not null,
      id uuid not null,
      key_id uuid not null,
      seed bytea not null check (octet_length(seed) = 60),
      expires_at timestamptz(3) not null,
      sha256 bytea check (octet_length(sha256) = 32),
      primary key (organization_id, id)
    )`,
    `comment on table sign.upload is
      'Files that come in parts. seed: of the key that the parts are sealed with, wrapped under the master key; sha256: of the whole, once it is committed.'`,
    "create index upload_by_end on sign.upload (expires_at)",
    `create table sign.upload_part (
      organization_id uuid not null,
      upload_id uuid not null,
      sequence integer not null check (sequence between 0 and 99),
      bytes integer not null check (bytes > 0),
      sha256 bytea not null check (octet_length(sha256) = 32),
      sealed bytea not null,
      primary key (organization_id, upload_id, sequence),
      foreign key (organization_id, upload_id) references sign.upload (organization_id, id) on delete cascade
    )`,
    "alter table sign.upload_part alter column sealed set storage external",
    ...["upload", "upload_part"].flatMap((table) => forceOrgIsolationSql(`sign.${table}`)),
    "grant select, insert, update (sha256), delete on sign.upload to assent_sign",
    "grant select, insert on sign.upload_part to assent_sign",
    "create policy sweeper_removes on sign.upload to assent_sign_sweeper using (true)",
    "grant select (organization_id, id, expires_at), update (expires_at), delete on sign.upload to assent_sign_sweeper",
    "create policy resealer_reads on sign.upload for select to assent_sign_resealer using (true)",
    "create policy resealer_seals on sign.upload for update to assent_sign_resealer using (true)",
    "grant select (organization_id, id, seed), update (seed) on sign.upload to assent_sign_resealer",
    ...destroyerSql("sign", "assent_sign_destroyer"),
  ),
];

/** Agreements may be sent for later, and pause before some of their recipients. */
export const workflowMigrations = [
  sqlMigration(
    "036_workflows",
    "alter table sign.agreement add column workflow jsonb",
    `comment on column sign.agreement.workflow is
      'When it is sent and where it pauses, and what it waits for; null when it is sent at once and never pauses.'`,
    "alter table sign.job drop constraint job_kind_check",
    `alter table sign.job add constraint job_kind_check check (kind in ('bulk-copy', 'completion', 'deletion', 'evidence',
      'file-search', 'file-words', 'mail', 'notice', 'notice-mail', 'purge', 'reminder', 'resumption', 'expiry',
      'expiry-warning', 'sender-domain', 'sender-domain-mail')) not valid`,
    ...destroyerSql("sign", "assent_sign_destroyer"),
  ),
  // In a transaction of its own, in which nobody who writes jobs has to wait for it.
  sqlMigration("037_workflows_validated", "alter table sign.job validate constraint job_kind_check"),
];
