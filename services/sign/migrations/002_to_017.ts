import { Migration } from "@mikro-orm/migrations";
import { createRoleSql, forceOrgIsolationSql } from "#platform/db/ddl.ts";
import { sqlMigration } from "#platform/db/migrate.ts";
import { masterKeyTablesSql } from "#platform/master-keys/tables.ts";

export class Migration002Evidence extends Migration {
  override up(): void {
    for (const statement of [...newJobs, ...ages, createRoleSql(sweeperRole), ...sweeperGrants]) {
      this.addSql(statement);
    }
  }
}

const newJobs = [
  "alter table sign.job drop constraint job_kind_check",
  `alter table sign.job add constraint job_kind_check
    check (kind in ('bulk-copy', 'completion', 'evidence', 'mail', 'reminder', 'expiry', 'expiry-warning'))`,
  "comment on column sign.bulk_batch.copies is 'as the list had them when it was sent; none once all have ended'",
];

/** What is old is looked for again and again. */
const ages = [
  "create index idempotency_key_age on sign.idempotency_key (created_at)",
  "create index view_age on sign.view (expires_at) where not is_reusable",
  "create index view_reusable_age on sign.view (created_at, organization_id, token_hash) where is_reusable",
  "create index job_failed on sign.job (failed_at) where failed_at is not null",
];

/** Removes what is of no use any more, for all organizations, and sees only how old it is. */
const sweeperRole = "assent_sign_sweeper";

const sweeperGrants = [
  `grant usage on schema sign to ${sweeperRole}`,
  `create policy sweeper_removes on sign.idempotency_key to ${sweeperRole} using (true)`,
  `create policy sweeper_removes on sign.view to ${sweeperRole} using (true)`,
  `create policy sweeper_removes on sign.job to ${sweeperRole} using (failed_at is not null)`,
  `create policy sweeper_reads on sign.agreement for select to ${sweeperRole} using (true)`,
  // Only whoever may change a row may lock it, so that two sweepers do not wait for each other.
  `grant select (organization_id, key, created_at), update (created_at), delete on sign.idempotency_key to ${sweeperRole}`,
  `grant select (organization_id, token_hash, agreement_id, is_reusable, created_at, expires_at, session_expires_at),
    update (expires_at), delete on sign.view to ${sweeperRole}`,
  `grant select (organization_id, id, failed_at), update (failed_at), delete on sign.job to ${sweeperRole}`,
  `grant select (organization_id, id, status, status_changed_at, deleted_at) on sign.agreement to ${sweeperRole}`,
];

export const migrations005To008 = [
  // Words are looked for in one column: in small letters once, and not again at each search in four columns.
  sqlMigration(
    "005_search_text",
    "alter table sign.agreement add column search_text text not null default ''",
    `comment on column sign.agreement.search_text is
    'Subject, name, and the names and addresses of the recipients, in small letters'`,
    // The owner sees rows only while row-level security is not forced upon it.
    ...["agreement", "recipient"].map((table) => `alter table sign.${table} no force row level security`),
    `update sign.agreement a set search_text = lower(concat_ws(E'\\x1f', a.email_subject, a.name, (
      select string_agg(p.name || E'\\x1f' || p.email, E'\\x1f' order by p.position) from sign.recipient p
      where p.organization_id = a.organization_id and p.agreement_id = a.id)) collate "und-x-icu")
    where a.deleted_at is null`,
    ...["agreement", "recipient"].map((table) => `alter table sign.${table} force row level security`),
  ),
  // The agreements that a batch has made can be listed, and a recipient can have mails with words of their own.
  sqlMigration(
    "006_batches_and_mail_texts",
    "alter table sign.agreement add column bulk_batch_id uuid",
    "comment on column sign.agreement.bulk_batch_id is 'the batch whose copy it is'",
    `create index agreement_of_batch on sign.agreement (organization_id, bulk_batch_id, status_changed_at desc, id desc)
    where bulk_batch_id is not null`,
    `alter table sign.recipient add column email_subject text not null default '',
    add column email_blurb text not null default ''`,
    `comment on column sign.recipient.email_subject is
    'of mails that ask this person to act; empty for that of the agreement'`,
    "comment on column sign.recipient.email_blurb is 'in place of the message of the agreement; empty for that'",
  ),
  // The hash of a file as it was sent is kept beside that of the document that it became.
  sqlMigration(
    "007_sent_files",
    `alter table sign.document
    add column sent_sha256 bytea constraint document_sent_sha256_check check (octet_length(sent_sha256) = 32)`,
    "comment on column sign.document.sent_sha256 is 'of the file as it was sent; null for those from before it was kept'",
    // Whoever has the file that was sent asks for it.
    `create index document_sent on sign.document (organization_id, sent_sha256, agreement_id desc)
    where sent_sha256 is not null`,
  ),
  // What recipients were shown when they consented to electronic records stays readable, whatever the texts become.
  sqlMigration(
    "008_consent_texts",
    `create table sign.consent_text (
    organization_id uuid not null,
    sha256 bytea not null check (octet_length(sha256) = 32 and sha256 = sha256(convert_to(content, 'UTF8'))),
    locale text not null,
    content text not null,
    primary key (organization_id, sha256)
  )`,
    `comment on table sign.consent_text is
    'Texts that recipients have consented to, by the hash that the event recipient.consented names. Rows are never changed.'`,
    ...forceOrgIsolationSql("sign.consent_text"),
    "grant select, insert on sign.consent_text to assent_sign",
  ),
];

/**
 * Events of format 2 commit to what is personal and keep it sealed, with a key for each person in an agreement. Those of
 * format 1 stay as they are: their hashes are made over it.
 */
export class Migration011TrailFormat extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}

const statements = [
  "alter table sign.audit_event add column sd jsonb, add column sealed jsonb",
  "comment on column sign.audit_event.sd is 'digests of what is sealed (RFC 9901); null in format 1'",
  `comment on column sign.audit_event.sealed is
    '[key, base64]: for each person whom the event is about, the disclosures, sealed with a key of sign.subject_key; null in format 1'`,
  // Rows of before are not looked at: they are all of format 1.
  `alter table sign.audit_event add constraint audit_event_format check (
    (sd is null and sealed is null)
    or (jsonb_typeof(sd) = 'array' and jsonb_typeof(sealed) = 'array'
      and actor_name = '' and actor_email = '' and ip = '' and user_agent = '')
  ) not valid`,
  // The release before reads nothing of format 2, and would print that on a certificate that is sealed for ever. It takes the
  // error for one that passes, and lets the completion wait for a process of this release.
  `create function sign.refuse_older_completion() returns trigger language plpgsql as $$
   begin
     if exists (select from sign.audit_event e where e.organization_id = new.organization_id
       and e.agreement_id = new.agreement_id and e.sd is not null) then
       raise exception 'the trail of agreement % has events that this release cannot read', new.agreement_id
         using errcode = 'lock_not_available';
     end if;
     return new;
   end $$`,
  `create trigger older_completion before insert on sign.audit_event for each row
    when (new.sd is null and new.action = 'agreement.completed') execute function sign.refuse_older_completion()`,
  `create table sign.subject_key (
    organization_id uuid not null,
    agreement_id uuid not null,
    id uuid not null,
    email_index bytea check (octet_length(email_index) = 16),
    user_index bytea check (octet_length(user_index) = 16),
    seed bytea check (octet_length(seed) = 60),
    primary key (organization_id, agreement_id, id),
    foreign key (organization_id, agreement_id) references sign.agreement (organization_id, id)
  )`,
  `comment on table sign.subject_key is
    'What the trail of an agreement says of one person is sealed with a key that is derived from this seed, which is wrapped under the master key. The indexes are keyed hashes of the e-mail address and of the user reference. The row of what is about nobody in particular has the id of the agreement. seed: null once it was erased.'`,
  ...forceOrgIsolationSql("sign.subject_key"),
  "create index subject_key_by_email on sign.subject_key (organization_id, email_index) where email_index is not null",
  "create index subject_key_by_user on sign.subject_key (organization_id, user_index) where user_index is not null",
  "grant select, insert on sign.subject_key to assent_sign",
  ...masterKeyTablesSql({
    schema: "sign",
    serviceRole: "assent_sign",
    resealerRole: "assent_sign_resealer",
    hasHashKey: true,
    sealed: [
      {
        table: "sign.subject_key",
        columns: ["seed"],
        reads: ["organization_id", "agreement_id", "id"],
        isOfOrganizations: true,
      },
    ],
  }),
];

/** How long agreements are kept, what keeps them longer, and what remains of those that were deleted. */
export class Migration016Retention extends Migration {
  override up(): void {
    for (const statement of retentionStatements) this.addSql(statement);
  }
}

/** Deletes agreements of one organization at a time, and sees of all others only that they have set a period. */
const removerRole = "assent_sign_remover";

const tables = [
  `create table sign.retention_period (
    organization_id uuid not null,
    owner_id uuid not null,
    status text not null check (status in ('created', 'completed', 'declined', 'voided', 'expired')),
    days integer check (days between 1 and 36500),
    next_days integer check (next_days between 1 and 36500),
    next_at timestamptz(3),
    changed_at timestamptz(3) not null,
    primary key (organization_id, owner_id, status),
    check ((next_days is null) = (next_at is null)),
    check (days is null or next_days < days)
  )`,
  `comment on table sign.retention_period is
    'After how many days agreements of a status are deleted; days: null for never. A shorter period comes at next_at. owner_id: the organization.'`,

  `create table sign.legal_hold (
    organization_id uuid not null,
    id uuid not null,
    kind text not null check (kind in ('agreement', 'person', 'organization')),
    agreement_id uuid,
    email_index bytea check (octet_length(email_index) = 16),
    reason text not null,
    created_by text not null,
    created_at timestamptz(3) not null,
    lifted_by text not null default '',
    lifted_at timestamptz(3),
    primary key (organization_id, id),
    check ((agreement_id is not null) = (kind = 'agreement') and (email_index is not null) = (kind = 'person'))
  )`,
  "comment on column sign.legal_hold.email_index is 'keyed hash of the address of a person, as sign.subject_key has it'",
  `create index legal_hold_active on sign.legal_hold (organization_id) where lifted_at is null`,

  // Nobody may change what it says, but where the log has it.
  `create table sign.deleted_agreement (
    organization_id uuid not null,
    agreement_id uuid not null,
    ground text not null check (ground in ('RETENTION')),
    status text not null,
    created_at timestamptz(3) not null,
    ended_at timestamptz(3) not null,
    deleted_at timestamptz(3) not null,
    trail_head bytea not null check (octet_length(trail_head) = 32),
    trail_length integer not null,
    evidence_leaf_hash bytea check (octet_length(evidence_leaf_hash) = 32),
    sealed_hashes bytea[] not null,
    file_hashes bytea[] not null,
    deletion_leaf_hash bytea check (octet_length(deletion_leaf_hash) = 32),
    deletion_leaf_index bigint,
    primary key (organization_id, agreement_id)
  )`,
  `comment on table sign.deleted_agreement is
    'What remains of agreements that were deleted: enough to say of a file or a trail that somebody still has that it was here, and nothing of what stood in it.'`,
  "comment on column sign.deleted_agreement.sealed_hashes is 'of the sealed files, which everybody may ask for who has one'",
  "comment on column sign.deleted_agreement.file_hashes is 'of the files before they were signed, which the organization may ask for'",
  "create index deleted_agreement_sealed on sign.deleted_agreement using gin (sealed_hashes)",
  "create index deleted_agreement_files on sign.deleted_agreement using gin (file_hashes)",

  `create table sign.privacy_act (
    organization_id uuid not null,
    id uuid not null,
    at timestamptz(3) not null,
    action text not null,
    actor text not null,
    subject_id uuid not null,
    details jsonb not null check (jsonb_typeof(details) = 'object'),
    request_id text not null,
    primary key (organization_id, id)
  )`,
  "comment on table sign.privacy_act is 'Administrative acts about personal data, append-only; nothing personal stands in it.'",
  ...["retention_period", "legal_hold", "deleted_agreement", "privacy_act"].flatMap((name) =>
    forceOrgIsolationSql(`sign.${name}`),
  ),
];

const agreements = [
  // By the moment that periods count from. Those that are still to be signed are not looked for.
  `create index agreement_by_age on sign.agreement
    (organization_id, status, (case status when 'created' then modified_at else status_changed_at end))
    where status in ('created', 'completed', 'declined', 'voided', 'expired')`,
  "alter table sign.job drop constraint job_kind_check",
  `alter table sign.job add constraint job_kind_check check (kind in
    ('bulk-copy', 'completion', 'deletion', 'evidence', 'mail', 'reminder', 'expiry', 'expiry-warning'))`,
  "create index job_of_agreement on sign.job (organization_id, agreement_id) where agreement_id is not null",
];

const partTables = ["document", "recipient", "custom_field", "audit_event", "subject_key", "view", "attachment", "job"];

const grants = [
  "grant select, insert, update, delete on sign.retention_period to assent_sign",
  "grant select, insert, update (lifted_by, lifted_at) on sign.legal_hold to assent_sign",
  "grant select, update (deletion_leaf_hash, deletion_leaf_index) on sign.deleted_agreement to assent_sign",
  "grant select, insert on sign.privacy_act to assent_sign",
  createRoleSql(removerRole),
  `grant usage on schema sign to ${removerRole}`,
  `create policy remover_chooses on sign.retention_period for select to ${removerRole} using (true)`,
  `grant select on sign.retention_period, sign.legal_hold, sign.bulk_batch to ${removerRole}`,
  `grant select, insert on sign.deleted_agreement to ${removerRole}`,
  `grant insert on sign.privacy_act, sign.outbox, sign.job to ${removerRole}`,
  // Only whoever may change a row may lock it.
  `grant select, update (version), delete on sign.agreement to ${removerRole}`,
  `grant select, delete on ${partTables.map((name) => `sign.${name}`).join(", ")} to ${removerRole}`,
  `grant select, update (created_at), delete on sign.blob, sign.blob_reference to ${removerRole}`,
  // The public asks by the hash of a file, as of those that are kept.
  `create policy verifier_finds on sign.deleted_agreement for select to assent_sign_verifier using (sealed_hashes <> '{}')`,
  "grant select (organization_id, agreement_id, sealed_hashes) on sign.deleted_agreement to assent_sign_verifier",
];

const retentionStatements = [...tables, ...agreements, ...grants];

/** People can be erased from agreements, by a role that serves no other request. */
export class Migration017Erasure extends Migration {
  override up(): void {
    for (const statement of erasureStatements) this.addSql(statement);
  }
}

const eraser = "assent_sign_eraser";

const erasureStatements = [
  "alter table sign.audit_event add column is_erased boolean not null default false",
  `comment on column sign.audit_event.is_erased is
    'of format 1: everything personal was taken from it, and a later event agreement.erased states what is left'`,
  `create table sign.erasure (
    organization_id uuid not null,
    id uuid not null,
    email_index bytea check (octet_length(email_index) = 16),
    user_index bytea check (octet_length(user_index) = 16),
    ground text not null,
    asked_by text not null,
    request_id text not null,
    started_at timestamptz(3) not null,
    primary key (organization_id, id),
    check (num_nonnulls(email_index, user_index) > 0)
  )`,
  "comment on table sign.erasure is 'Who was erased, as keyed hashes that do not tell it, on what ground and by whom.'",
  `create table sign.erasure_report (
    organization_id uuid not null,
    erasure_id uuid not null,
    target_id uuid not null,
    items jsonb not null check (jsonb_typeof(items) = 'array'),
    erased_at timestamptz(3) not null,
    primary key (organization_id, erasure_id, target_id),
    foreign key (organization_id, erasure_id) references sign.erasure (organization_id, id)
  )`,
  "comment on table sign.erasure_report is 'What an erasure came to in an agreement, a bulk list or a batch; nothing personal.'",
  ...["erasure", "erasure_report"].flatMap((table) => forceOrgIsolationSql(`sign.${table}`)),
  createRoleSql(eraser),
  `grant usage on schema sign to ${eraser}`,
  `grant select, insert on sign.erasure, sign.erasure_report to ${eraser}`,
  `grant select, update on sign.agreement to ${eraser}`,
  `grant select, insert, update on sign.document, sign.recipient, sign.custom_field to ${eraser}`,
  `grant select, insert, update (seed) on sign.subject_key to ${eraser}`,
  `grant select, insert, update (actor_id, actor_name, actor_email, ip, user_agent, details, is_erased)
    on sign.audit_event to ${eraser}`,
  `grant select, update (file_name) on sign.attachment to ${eraser}`,
  `grant select, delete on sign.view to ${eraser}`,
  `grant select, insert, delete, update (last_error) on sign.job to ${eraser}`,
  `grant select on sign.idempotency_key, sign.legal_hold to ${eraser}`,
  `grant select, update (copies, copy_count) on sign.bulk_list to ${eraser}`,
  `grant select, update (failures) on sign.bulk_batch to ${eraser}`,
];
