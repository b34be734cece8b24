import { Migration } from "@mikro-orm/migrations";
import { blobTablesSql } from "#platform/blobs/blob-store.ts";
import { createRoleSql, forceOrgIsolationSql } from "#platform/db/ddl.ts";
import { outboxCursorSql, outboxTablesSql } from "#platform/outbox/outbox.ts";

export class Migration001Initial extends Migration {
  override up(): void {
    const statements = [
      ...[writerRole, claimerRole, verifierRole, relayRole].map(createRoleSql),
      ...outboxTablesSql({ schema: "sign", writerRole, relayRole }),
      ...outboxCursorSql({ schema: "sign", relayRole }),
      ...blobTablesSql({ schema: "sign", writerRole }),
      ...agreementTables,
      ...viewTables,
      ...attachmentTables,
      ...workTables,
      ...settingTables,
      ...tableNames.flatMap((name) => forceOrgIsolationSql(`sign.${name}`)),
      ...writerGrants,
      ...claimerGrants,
      ...verifierGrants,
    ];
    for (const statement of statements) this.addSql(statement);
  }
}

/** Acts for one organization at a time. */
const writerRole = "assent_sign";
/** Finds among all organizations what is to be done next, and sees nothing but when and for whom. */
const claimerRole = "assent_sign_claimer";
/** Finds by its hash whose sealed file it is, and sees nothing but that. */
const verifierRole = "assent_sign_verifier";
const relayRole = "assent_sign_relay";

const agreementTables = [
  // Templates are agreements that nobody is asked to sign: everything that belongs to one is stored once.
  `create table sign.agreement (
    organization_id uuid not null,
    id uuid not null,
    status text not null check (status in
      ('created', 'sent', 'delivered', 'completing', 'completed', 'declined', 'voided', 'expired', 'template')),
    version integer not null default 1,
    email_subject text not null check (length(email_subject) <= 100),
    email_blurb text not null,
    name text not null,
    description text not null,
    shared boolean not null,
    notification jsonb not null check (jsonb_typeof(notification) = 'object'),
    metadata jsonb check (jsonb_typeof(metadata) = 'object'),
    transaction_id text not null,
    subscription jsonb check (jsonb_typeof(subscription) = 'object'),
    sender jsonb not null check (jsonb_typeof(sender) = 'object'),
    current_routing_order integer not null default 0,
    created_at timestamptz(3) not null,
    modified_at timestamptz(3) not null,
    status_changed_at timestamptz(3) not null,
    sent_at timestamptz(3),
    delivered_at timestamptz(3),
    completed_at timestamptz(3),
    declined_at timestamptz(3),
    voided_at timestamptz(3),
    voided_reason text not null default '',
    expires_at timestamptz(3),
    remind_at timestamptz(3),
    deleted_at timestamptz(3),
    audit_count integer not null default 0,
    audit_hash bytea not null default decode(repeat('00', 32), 'hex') check (octet_length(audit_hash) = 32),
    certificate_id uuid,
    certificate_sha256 bytea check (octet_length(certificate_sha256) = 32),
    seal_level text check (seal_level in ('B-B', 'B-T')),
    primary key (organization_id, id),
    check ((sent_at is not null) or status in ('created', 'template')),
    check ((completed_at is not null) = (status = 'completed')),
    check (num_nulls(certificate_id, certificate_sha256, seal_level) in (0, 3)),
    check (seal_level is null or status = 'completed')
  )`,
  "comment on column sign.agreement.certificate_id is 'the owner of the sealed certificate of completion in the blob store'",
  "comment on column sign.agreement.seal_level is 'what all seals of the agreement have at least reached'",
  "comment on column sign.agreement.version is 'Counts the changes; a change is written only over the version that was read'",
  // One pair for agreements and one for templates: a list is read in its order, without what is of the other kind.
  ...["<>", "="].flatMap((comparison) =>
    ["created", "status_changed"].map(
      (time) => `create index ${comparison === "=" ? "template" : "agreement"}_${time}
        on sign.agreement (organization_id, ${time}_at desc, id desc)
        where deleted_at is null and status ${comparison} 'template'`,
    ),
  ),
  `create index agreement_transaction on sign.agreement (organization_id, transaction_id)
    where transaction_id <> '' and deleted_at is null`,
  // Sealed files are asked for by whoever has one, without an organization.
  `create index agreement_certificate on sign.agreement (certificate_sha256) where certificate_sha256 is not null`,

  `create table sign.document (
    organization_id uuid not null,
    agreement_id uuid not null,
    id uuid not null,
    document_id text not null check (length(document_id) between 1 and 50),
    position integer not null check (position >= 1),
    name text not null,
    bytes integer not null check (bytes > 0),
    sha256 bytea not null check (octet_length(sha256) = 32),
    pages jsonb not null check (jsonb_typeof(pages) = 'array'),
    is_signed boolean not null,
    sealed_id uuid,
    sealed_sha256 bytea check (octet_length(sealed_sha256) = 32),
    check ((sealed_id is null) = (sealed_sha256 is null)),
    primary key (organization_id, agreement_id, id),
    unique (organization_id, agreement_id, document_id) deferrable initially deferred,
    foreign key (organization_id, agreement_id) references sign.agreement (organization_id, id)
  )`,
  "create index document_sealed on sign.document (sealed_sha256) where sealed_sha256 is not null",
  "create index document_original on sign.document (organization_id, sha256, agreement_id desc)",
  "comment on column sign.document.id is 'also the owner of the bytes in the blob store'",
  "comment on column sign.document.sealed_id is 'the owner of the sealed bytes in the blob store'",
  `comment on column sign.document.document_id is 'as the integration calls it'`,

  `create table sign.recipient (
    organization_id uuid not null,
    agreement_id uuid not null,
    id uuid not null,
    recipient_id text not null check (length(recipient_id) between 1 and 50),
    position integer not null check (position >= 1),
    role text not null check (role in
      ('signer', 'approver', 'carbon-copy', 'certified-delivery', 'in-person-signer')),
    name text not null,
    email text not null,
    email_key text not null,
    client_user_id text not null,
    role_name text not null,
    routing_order integer not null check (routing_order >= 1),
    status text not null check (status in ('created', 'sent', 'delivered', 'completed', 'declined')),
    note text not null,
    locale text not null,
    host_name text not null,
    host_email text not null,
    tabs jsonb not null check (jsonb_typeof(tabs) = 'array'),
    signature jsonb,
    initials jsonb,
    sent_at timestamptz(3),
    delivered_at timestamptz(3),
    completed_at timestamptz(3),
    declined_at timestamptz(3),
    decline_reason text not null default '',
    consented_at timestamptz(3),
    primary key (organization_id, agreement_id, id),
    unique (organization_id, agreement_id, recipient_id) deferrable initially deferred,
    foreign key (organization_id, agreement_id) references sign.agreement (organization_id, id)
  )`,
  "comment on column sign.recipient.email_key is 'the address in lower case, to be found by'",
  "create index recipient_by_email on sign.recipient (organization_id, email_key, agreement_id) where email_key <> ''",

  `create table sign.custom_field (
    organization_id uuid not null,
    agreement_id uuid not null,
    field_id text not null check (field_id ~ '^[0-9]{1,20}$'),
    position integer not null check (position >= 1),
    name text not null,
    value text not null,
    kind text not null check (kind in ('text', 'list')),
    items jsonb not null default '[]' check (jsonb_typeof(items) = 'array'),
    show boolean not null,
    required boolean not null,
    primary key (organization_id, agreement_id, field_id),
    unique (organization_id, agreement_id, name) deferrable initially deferred,
    foreign key (organization_id, agreement_id) references sign.agreement (organization_id, id)
  )`,
  "create index custom_field_by_value on sign.custom_field (organization_id, name, value, agreement_id)",

  // Append-only: nobody who serves requests may update or delete.
  `create table sign.audit_event (
    organization_id uuid not null,
    agreement_id uuid not null,
    sequence integer not null check (sequence >= 1),
    occurred_at timestamptz(3) not null,
    action text not null,
    source text not null check (source in ('api', 'signer', 'sender', 'system')),
    actor_id text not null,
    actor_name text not null,
    actor_email text not null,
    ip text not null,
    user_agent text not null,
    details jsonb check (jsonb_typeof(details) = 'object'),
    agreement_status text not null,
    previous_hash bytea not null check (octet_length(previous_hash) = 32),
    hash bytea not null check (octet_length(hash) = 32),
    primary key (organization_id, agreement_id, sequence),
    foreign key (organization_id, agreement_id) references sign.agreement (organization_id, id)
  )`,

  `create table sign.idempotency_key (
    organization_id uuid not null,
    key text collate "C" not null,
    request_hash bytea not null check (octet_length(request_hash) = 32),
    agreement_id uuid not null,
    created_at timestamptz(3) not null,
    primary key (organization_id, key)
  )`,
];

const attachmentTables = [
  `create table sign.attachment (
    organization_id uuid not null,
    id uuid not null,
    agreement_id uuid not null,
    recipient_id uuid not null,
    tab_id uuid not null,
    file_name text not null,
    content_type text not null check (content_type in ('application/pdf', 'image/png', 'image/jpeg')),
    bytes integer not null check (bytes > 0),
    sha256 bytea not null check (octet_length(sha256) = 32),
    created_at timestamptz(3) not null,
    primary key (organization_id, id),
    foreign key (organization_id, agreement_id) references sign.agreement (organization_id, id)
  )`,
  "comment on table sign.attachment is 'Files that recipients have attached to tabs. The bytes are in the blob store, owned by id.'",
  "create index attachment_of_agreement on sign.attachment (organization_id, agreement_id)",
];

const viewTables = [
  `create table sign.view (
    organization_id uuid not null,
    token_hash bytea not null check (octet_length(token_hash) = 32),
    kind text not null check (kind in ('recipient', 'send', 'edit', 'look')),
    is_reusable boolean not null default false,
    agreement_id uuid,
    recipient_id uuid,
    return_url text not null,
    frame_ancestors jsonb not null default '[]' check (jsonb_typeof(frame_ancestors) = 'array'),
    created_by text not null,
    created_at timestamptz(3) not null,
    expires_at timestamptz(3) not null,
    opened_at timestamptz(3),
    session_hash bytea check (octet_length(session_hash) = 32),
    session_expires_at timestamptz(3),
    ended_at timestamptz(3),
    seen_at timestamptz(3),
    primary key (organization_id, token_hash),
    foreign key (organization_id, agreement_id) references sign.agreement (organization_id, id),
    check ((session_hash is null) = (opened_at is null)),
    check (not is_reusable or opened_at is null)
  )`,
  "comment on table sign.view is 'Links that let a person act; opened, one becomes a session, or makes one each time when it is reusable. Secrets are kept as SHA-256.'",
  "comment on column sign.view.seen_at is 'when the page of the session first showed the agreement: that counts as opening, for programs follow links too'",
  "create unique index view_session on sign.view (organization_id, session_hash) where session_hash is not null",
  "create index view_of_agreement on sign.view (organization_id, agreement_id)",
];

const workTables = [
  `create table sign.bulk_list (
    organization_id uuid not null,
    id uuid not null,
    name text not null,
    copies jsonb not null check (jsonb_typeof(copies) = 'array'),
    copy_count integer not null check (copy_count >= 0),
    created_at timestamptz(3) not null,
    primary key (organization_id, id)
  )`,

  `create table sign.bulk_batch (
    organization_id uuid not null,
    id uuid not null,
    list_id uuid not null,
    name text not null,
    source_id uuid not null,
    copies jsonb not null check (jsonb_typeof(copies) = 'array'),
    total integer not null check (total >= 0),
    sent integer not null default 0,
    failed integer not null default 0,
    failures jsonb not null default '[]' check (jsonb_typeof(failures) = 'array'),
    created_by text not null,
    submitted_at timestamptz(3) not null,
    ended_at timestamptz(3),
    primary key (organization_id, id),
    check (sent + failed <= total),
    check ((ended_at is not null) = (sent + failed = total))
  )`,
  "comment on column sign.bulk_batch.copies is 'as the list had them when it was sent'",
  "create index bulk_batch_newest on sign.bulk_batch (organization_id, submitted_at desc, id desc)",

  // What has to be done later, at once or again: rows are deleted when it is done.
  `create table sign.job (
    organization_id uuid not null,
    id uuid not null,
    kind text not null check (kind in ('bulk-copy', 'completion', 'mail', 'reminder', 'expiry')),
    key text not null,
    agreement_id uuid,
    payload jsonb not null check (jsonb_typeof(payload) = 'object'),
    request_id text not null,
    traceparent text not null,
    created_at timestamptz(3) not null,
    run_at timestamptz(3) not null,
    attempts integer not null default 0,
    claim uuid,
    claimed_until timestamptz(3),
    last_error text,
    failed_at timestamptz(3),
    primary key (organization_id, id),
    unique (organization_id, kind, key),
    check ((claim is null) = (claimed_until is null))
  )`,
  "comment on column sign.job.failed_at is 'when it was given up; it stays for people to look at'",
  // Each kind is looked for by itself: many of one that wait hide none of another.
  "create index job_due on sign.job (kind, run_at, created_at) where failed_at is null",
  // How long the oldest has waited is asked again and again.
  "create index job_completing on sign.job (created_at) where kind = 'completion'",
];

const settingTables = [
  `create table sign.subscription (
    organization_id uuid not null,
    id bigint not null check (id >= 1),
    settings jsonb not null check (jsonb_typeof(settings) = 'object'),
    created_at timestamptz(3) not null,
    primary key (organization_id, id)
  )`,
];

const tableNames = [
  "agreement",
  "document",
  "recipient",
  "custom_field",
  "audit_event",
  "idempotency_key",
  "view",
  "attachment",
  "bulk_list",
  "bulk_batch",
  "job",
  "subscription",
];

const writerGrants = [
  `grant usage on schema sign to ${writerRole}`,
  `grant select, insert, update on sign.agreement, sign.view, sign.bulk_batch to ${writerRole}`,
  `grant select, insert, update, delete on sign.document, sign.recipient, sign.custom_field, sign.bulk_list, sign.job, sign.subscription to ${writerRole}`,
  `grant delete on sign.view to ${writerRole}`,
  `grant select, insert on sign.audit_event, sign.idempotency_key, sign.attachment to ${writerRole}`,
];

const claimerColumns = "organization_id, id, kind, created_at, run_at, attempts, claim, claimed_until, failed_at";

const claimerGrants = [
  `grant usage on schema sign to ${claimerRole}`,
  `create policy claimer_chooses on sign.job to ${claimerRole} using (true) with check (true)`,
  `grant select (${claimerColumns}), update (claim, claimed_until, attempts) on sign.job to ${claimerRole}`,
];

const verifierGrants = [
  `grant usage on schema sign to ${verifierRole}`,
  `create policy verifier_finds on sign.document for select to ${verifierRole} using (sealed_sha256 is not null)`,
  `create policy verifier_finds on sign.agreement for select to ${verifierRole} using (certificate_sha256 is not null)`,
  `grant select (organization_id, agreement_id, sealed_sha256) on sign.document to ${verifierRole}`,
  `grant select (organization_id, id, certificate_sha256) on sign.agreement to ${verifierRole}`,
];
