import { Migration } from "@mikro-orm/migrations";
import { createRoleSql, forceOrgIsolationSql } from "#platform/db/ddl.ts";

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
