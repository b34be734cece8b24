import { Migration } from "@mikro-orm/migrations";
import { createRoleSql, forceOrgIsolationSql } from "#platform/db/ddl.ts";
import { outboxTablesSql } from "#platform/outbox/outbox.ts";

export class Migration001Initial extends Migration {
  override up(): void {
    const statements = [
      ...[writerRole, relayRole, resolverRole].map(createRoleSql),
      ...tables,
      ...tableNames.flatMap(forceOrgIsolationSql),
      ...writerGrants,
      ...resolverGrants,
      ...outboxTablesSql({ schema: "templates", writerRole, relayRole }),
    ];
    for (const statement of statements) this.addSql(statement);
  }
}

const writerRole = "assent_templates";
const relayRole = "assent_templates_relay";
const resolverRole = "assent_templates_resolver";

const tables = [
  `create table templates.template (
    organization_id uuid not null,
    id uuid not null,
    name text not null,
    slug text collate "C" not null check (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$' and length(slug) <= 100),
    type text not null check (type in ('STATIC', 'GENERATED', 'CONSENT')),
    description text,
    default_locale text not null,
    type_config jsonb not null check (jsonb_typeof(type_config) = 'object'),
    policy_flags jsonb not null check (jsonb_typeof(policy_flags) = 'object'),
    counterparty jsonb check (jsonb_typeof(counterparty) = 'object'),
    metadata jsonb not null check (jsonb_typeof(metadata) = 'object'),
    created_by text not null,
    first_published_at timestamptz(3),
    archived_at timestamptz(3),
    created_at timestamptz(3) not null,
    updated_at timestamptz(3) not null,
    primary key (organization_id, id),
    constraint template_slug_key unique (organization_id, slug)
  )`,
  "create index template_newest on templates.template (organization_id, created_at desc, id desc)",

  `create table templates.version (
    organization_id uuid not null,
    id uuid not null,
    template_id uuid not null,
    locale text not null,
    title text,
    content text not null,
    content_hash text collate "C" not null,
    format text not null check (format in ('HTML', 'MARKDOWN', 'TEXT')),
    change_summary text,
    effective_at timestamptz(3),
    texts jsonb not null check (jsonb_typeof(texts) = 'object'),
    status text not null check (status in ('DRAFT', 'PUBLISHED', 'ARCHIVED')),
    revision integer not null check (revision >= 0),
    label text,
    published_at timestamptz(3),
    published_by text,
    unpublished_at timestamptz(3),
    archived_at timestamptz(3),
    created_by text not null,
    created_at timestamptz(3) not null,
    updated_at timestamptz(3) not null,
    primary key (organization_id, id),
    foreign key (organization_id, template_id) references templates.template (organization_id, id),
    check ((label is null) = (revision = 0)),
    check (status <> 'PUBLISHED' or revision > 0),
    check ((archived_at is null) = (status <> 'ARCHIVED'))
  )`,
  // An archived version frees its locale. Locales are stored in canonical case; lower() holds even if one is not.
  `create unique index version_locale_key on templates.version (organization_id, template_id, lower(locale))
    where status <> 'ARCHIVED'`,
  "create index version_by_template on templates.version (organization_id, template_id, created_at, id)",

  // Append-only: nobody who serves requests may update or delete. The name of a text is its hash, checked here too.
  `create table templates.content (
    organization_id uuid not null,
    hash text collate "C" not null check (hash = 'sha256:' || encode(sha256(bytes), 'hex')),
    bytes bytea not null,
    primary key (organization_id, hash)
  )`,
  // Append-only as well.
  `create table templates.revision (
    organization_id uuid not null,
    version_id uuid not null,
    revision integer not null check (revision >= 1),
    template_id uuid not null,
    label text not null,
    locale text not null,
    title text,
    format text not null check (format in ('HTML', 'MARKDOWN', 'TEXT')),
    content_hash text collate "C" not null,
    texts jsonb not null check (jsonb_typeof(texts) = 'object'),
    material_hash text collate "C" not null,
    requires_reacceptance boolean not null,
    change_summary text,
    effective_at timestamptz(3),
    published_at timestamptz(3) not null,
    published_by text not null,
    primary key (organization_id, version_id, revision),
    foreign key (organization_id, version_id) references templates.version (organization_id, id),
    foreign key (organization_id, content_hash) references templates.content (organization_id, hash)
  )`,
];

const tableNames = ["template", "version", "content", "revision"].map((name) => `templates.${name}`);

const writerGrants = [
  `grant usage on schema templates to ${writerRole}`,
  `grant select, insert, update on templates.template, templates.version to ${writerRole}`,
  `grant select, insert on templates.content, templates.revision to ${writerRole}`,
];

/** Resolves for a batch of acceptances of many organizations, and sees no text of any. */
const resolverGrants = [
  `grant usage on schema templates to ${resolverRole}`,
  `grant select (organization_id, id, slug, name, type, archived_at, default_locale, type_config, policy_flags, counterparty)
    on templates.template to ${resolverRole}`,
  `grant select (organization_id, id, template_id, locale, status, revision, label, content_hash)
    on templates.version to ${resolverRole}`,
  `create policy resolver_reads on templates.template for select to ${resolverRole} using (true)`,
  `create policy resolver_reads on templates.version for select to ${resolverRole} using (true)`,
];
