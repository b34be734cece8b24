import { Migration } from "@mikro-orm/migrations";
import { blobTablesSql } from "#platform/blobs/blob-store.ts";
import { createRoleSql, forceOrgIsolationSql } from "#platform/db/ddl.ts";
import { outboxCursorSql, outboxTablesSql } from "#platform/outbox/outbox.ts";

export class Migration001Initial extends Migration {
  override up(): void {
    const statements = [
      ...[writerRole, claimerRole, relayRole].map(createRoleSql),
      ...outboxTablesSql({ schema: "docgen", writerRole, relayRole }),
      ...outboxCursorSql({ schema: "docgen", relayRole }),
      ...blobTablesSql({ schema: "docgen", writerRole }),
      ...templateTables,
      ...documentTables,
      ...usageTables,
      ...tableNames.flatMap((name) => forceOrgIsolationSql(`docgen.${name}`)),
      ...writerGrants,
      ...claimerGrants,
    ];
    for (const statement of statements) this.addSql(statement);
  }
}

/** Acts for one organization at a time. */
const writerRole = "assent_docgen";
/** Chooses the next work among all organizations, and sees neither data nor contents. */
const claimerRole = "assent_docgen_claimer";
const relayRole = "assent_docgen_relay";

const templateTables = [
  `create table docgen.template (
    organization_id uuid not null,
    id uuid not null,
    name text not null,
    slug text collate "C" not null check (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$' and length(slug) <= 100),
    format text not null check (format in ('html', 'markdown')),
    content text not null,
    page jsonb not null check (jsonb_typeof(page) = 'object'),
    locale text not null,
    sample_data jsonb,
    published_version integer not null default 0 check (published_version >= 0),
    published_at timestamptz(3),
    created_by text not null,
    created_at timestamptz(3) not null,
    updated_at timestamptz(3) not null,
    deleted_at timestamptz(3),
    primary key (organization_id, id)
  )`,
  "create unique index template_slug_key on docgen.template (organization_id, slug) where deleted_at is null",
  `create index template_newest on docgen.template (organization_id, created_at desc, id desc)
    where deleted_at is null`,

  // Append-only: nobody who serves requests may update or delete.
  `create table docgen.template_version (
    organization_id uuid not null,
    template_id uuid not null,
    version integer not null check (version >= 1),
    name text not null,
    format text not null check (format in ('html', 'markdown')),
    content text not null,
    page jsonb not null check (jsonb_typeof(page) = 'object'),
    locale text not null,
    data_schema jsonb not null check (jsonb_typeof(data_schema) = 'object'),
    published_at timestamptz(3) not null,
    published_by text not null,
    primary key (organization_id, template_id, version),
    foreign key (organization_id, template_id) references docgen.template (organization_id, id)
  )`,

  `create table docgen.asset (
    organization_id uuid not null,
    id uuid not null,
    name text not null,
    content_type text not null check (content_type in ('image/png', 'image/jpeg')),
    width integer not null check (width > 0),
    height integer not null check (height > 0),
    bytes integer not null check (bytes > 0),
    sha256 bytea not null,
    created_by text not null,
    created_at timestamptz(3) not null,
    primary key (organization_id, id),
    constraint asset_sha256_key unique (organization_id, sha256)
  )`,
  `comment on column docgen.asset.sha256 is 'of the blob whose owner is the asset'`,
  "create index asset_newest on docgen.asset (organization_id, created_at desc, id desc)",
];

const documentTables = [
  `create table docgen.batch (
    organization_id uuid not null,
    id uuid not null,
    status text not null check (status in ('queued', 'running', 'completed', 'completed_with_errors', 'cancelled')),
    total integer not null check (total between 1 and 500),
    completed integer not null default 0,
    failed integer not null default 0,
    cancelled integer not null default 0,
    slot text not null default 'taken' check (slot in ('taken', 'spent', 'returned')),
    hour_start timestamptz not null,
    created_by text not null,
    request_id text not null,
    traceparent text not null,
    created_at timestamptz(3) not null,
    cancelled_at timestamptz(3),
    completed_at timestamptz(3),
    primary key (organization_id, id),
    check (completed + failed + cancelled <= total),
    check ((completed_at is null) = (status in ('queued', 'running')))
  )`,

  `comment on column docgen.batch.cancelled_at is 'when the items that waited were cancelled; the batch ends with the last one that was being rendered'`,

  // A document is its own work item, so pending work cannot be lost and is never recorded twice.
  `create table docgen.document (
    organization_id uuid not null,
    id uuid not null,
    status text not null
      check (status in ('queued', 'rendering', 'completed', 'failed', 'expired', 'cancelled')),
    batch_id uuid,
    item_index integer,
    ref text,
    template_id uuid,
    template_version integer,
    template_ref jsonb check (jsonb_typeof(template_ref) = 'object'),
    profile text not null check (profile in ('pdf', 'pdf/a-2a', 'pdf/ua-1')),
    file_name text not null,
    locale text not null,
    time_zone text not null,
    metadata jsonb check (jsonb_typeof(metadata) = 'object'),
    source jsonb,
    slot text check (slot in ('taken', 'spent', 'returned')),
    hour_start timestamptz,
    minute_start timestamptz,
    claim uuid,
    claimed_until timestamptz,
    attempts integer not null default 0,
    started_at timestamptz(3),
    pages integer,
    bytes integer,
    sha256 bytea,
    warnings jsonb not null default '[]' check (jsonb_typeof(warnings) = 'array'),
    failure jsonb check (jsonb_typeof(failure) = 'object'),
    render_ms integer,
    expires_in integer check (expires_in > 0),
    expires_at timestamptz(3),
    created_by text not null,
    request_id text not null,
    traceparent text not null,
    created_at timestamptz(3) not null,
    completed_at timestamptz(3),
    deleted_at timestamptz(3),
    primary key (organization_id, id),
    foreign key (organization_id, batch_id) references docgen.batch (organization_id, id),
    unique (organization_id, batch_id, item_index),
    check ((batch_id is null) = (item_index is null)),
    check ((claim is null) = (status <> 'rendering')),
    check ((sha256 is not null) = (status = 'completed' and deleted_at is null)),
    check ((source is not null) = (status in ('queued', 'rendering')))
  )`,
  `comment on column docgen.document.source is 'What is to be rendered, the data included. It is removed when the document ends: of people nothing stays but what stands in the document.'`,
  `comment on column docgen.document.slot is 'null for items of a batch, whose slot is that of the batch'`,
  `create index document_newest on docgen.document (organization_id, created_at desc, id desc)
    where deleted_at is null`,
  // Waiting documents, in their order: single documents before items of batches. Small, however many documents there
  // are.
  `create index document_waiting on docgen.document (organization_id, (batch_id is not null), created_at, id)
    where status = 'queued'`,
  `create index document_claimed on docgen.document (organization_id, claimed_until) where status = 'rendering'`,
  `create index document_expiring on docgen.document (organization_id, expires_at)
    where status = 'completed' and expires_at is not null and deleted_at is null`,

  `create table docgen.turn (
    organization_id uuid not null primary key,
    single_at timestamptz not null,
    batch_at timestamptz not null
  )`,
  `comment on table docgen.turn is 'Organizations with work, and when each was last served, single documents and items of batches apart: the one that waits longest is next. A row is written with the first work and stays.'`,

  `create table docgen.idempotency_key (
    organization_id uuid not null,
    key text collate "C" not null,
    operation text not null check (operation in ('document', 'batch')),
    request_hash bytea not null check (octet_length(request_hash) = 32),
    target_id uuid not null,
    created_at timestamptz(3) not null,
    primary key (organization_id, key)
  )`,
];

const usageTables = [
  `create table docgen.usage_window (
    organization_id uuid not null,
    seconds integer not null check (seconds in (60, 3600)),
    window_start timestamptz not null,
    used integer not null check (used >= 0),
    primary key (organization_id, seconds, window_start)
  ) with (fillfactor = 50)`,
  `comment on table docgen.usage_window is 'Slots of the plan that are taken in an hour and in a minute; windows are aligned to the epoch by the clock of the database'`,
];

const tableNames = [
  "template",
  "template_version",
  "asset",
  "batch",
  "document",
  "turn",
  "idempotency_key",
  "usage_window",
];

const writerGrants = [
  `grant usage on schema docgen to ${writerRole}`,
  `grant select, insert, update on docgen.template, docgen.batch, docgen.document, docgen.turn to ${writerRole}`,
  `grant select, insert on docgen.template_version, docgen.idempotency_key to ${writerRole}`,
  `grant select, insert, delete on docgen.asset to ${writerRole}`,
  `grant select, insert, update, delete on docgen.usage_window to ${writerRole}`,
];

const claimerColumns =
  "organization_id, id, status, batch_id, claim, claimed_until, attempts, started_at, slot, created_at, expires_at, deleted_at";

const claimerGrants = [
  `grant usage on schema docgen to ${claimerRole}`,
  `create policy claimer_chooses on docgen.document to ${claimerRole} using (true) with check (true)`,
  `create policy claimer_turns on docgen.turn to ${claimerRole} using (true) with check (true)`,
  `create policy claimer_sweeps on docgen.usage_window to ${claimerRole} using (true)`,
  `grant select (${claimerColumns}) on docgen.document to ${claimerRole}`,
  `grant update (status, claim, claimed_until, attempts, started_at, slot) on docgen.document to ${claimerRole}`,
  `grant select, update (single_at, batch_at) on docgen.turn to ${claimerRole}`,
  `grant select (organization_id, seconds, window_start), delete on docgen.usage_window to ${claimerRole}`,
];
