import { Migration } from "@mikro-orm/migrations";
import { forceOrgIsolationSql } from "#platform/db/ddl.ts";

export class Migration002Lifecycle extends Migration {
  override up(): void {
    for (const statement of [...softDeletion, ...deletionForGood]) this.addSql(statement);
  }
}

const writerRole = "assent_templates";
const resolverRole = "assent_templates_resolver";

/** What was published once stays for those who accepted it; it only cannot be seen any more. */
const softDeletion = [
  `alter table templates.template add column deleted_at timestamptz(3),
    add constraint template_deletion_check check (deleted_at is null or first_published_at is not null)`,
  // A deleted template frees its slug.
  "alter table templates.template drop constraint template_slug_key",
  "create unique index template_slug_key on templates.template (organization_id, slug) where deleted_at is null",
  "drop index templates.template_newest",
  `create index template_newest on templates.template (organization_id, created_at desc, id desc)
    where deleted_at is null`,
  `grant select (deleted_at) on templates.template to ${resolverRole}`,
];

/** Nobody can have accepted what was never published. */
const deletionForGood = [
  `grant delete on templates.template, templates.version to ${writerRole}`,
  `create policy never_published on templates.template as restrictive for delete to ${writerRole}
    using (first_published_at is null)`,
  `create policy never_published on templates.version as restrictive for delete to ${writerRole} using (revision = 0)`,
];

export class Migration003Deployments extends Migration {
  override up(): void {
    const statements = [...tables, ...tableNames.flatMap(forceOrgIsolationSql), ...grants];
    for (const statement of statements) this.addSql(statement);
  }
}

const tables = [
  // Append-only: nobody who serves requests may update or delete. The name of a snapshot is its hash, checked here too.
  // It outlives its deployment, because acceptances refer to it.
  `create table templates.deployment_snapshot (
    organization_id uuid not null,
    hash text collate "C" not null check (hash = 'sha256:' || encode(sha256(convert_to(data, 'UTF8')), 'hex')),
    deployment_id uuid not null,
    data text not null,
    created_at timestamptz(3) not null,
    primary key (organization_id, hash)
  )`,
  "create index deployment_snapshot_by_deployment on templates.deployment_snapshot (organization_id, deployment_id)",

  `create table templates.deployment (
    organization_id uuid not null,
    id uuid not null,
    template_id uuid not null,
    key text collate "C" not null check (key ~ '^dep_[0-9A-Za-z]{22}$'),
    name text not null,
    status text not null check (status in ('DRAFT', 'ACTIVE', 'INACTIVE')),
    environment text not null check (environment in ('TEST', 'LIVE')),
    surface text not null check (surface in ('WEB', 'IOS', 'ANDROID', 'API', 'KIOSK')),
    display_mode text not null check (display_mode in ('INLINE', 'MODAL', 'LINK', 'FULL_PAGE')),
    wrap_type text not null check (wrap_type in ('CLICKWRAP', 'SCROLLWRAP', 'SIGN_IN_WRAP')),
    version_id uuid,
    locale_fallback text[] not null,
    allowed_origins text[] not null,
    theme jsonb not null check (jsonb_typeof(theme) = 'object'),
    screenshot_id text,
    policy_overrides jsonb not null check (jsonb_typeof(policy_overrides) = 'object'),
    snapshot_hash text collate "C",
    activated_at timestamptz(3),
    deactivated_at timestamptz(3),
    created_by text not null,
    created_at timestamptz(3) not null,
    updated_at timestamptz(3) not null,
    primary key (organization_id, id),
    constraint deployment_key_key unique (organization_id, key),
    foreign key (organization_id, template_id) references templates.template (organization_id, id),
    foreign key (organization_id, version_id) references templates.version (organization_id, id),
    foreign key (organization_id, snapshot_hash) references templates.deployment_snapshot (organization_id, hash),
    check ((status = 'DRAFT') = (activated_at is null)),
    check ((status = 'INACTIVE') = (deactivated_at is not null)),
    check ((snapshot_hash is null) = (activated_at is null))
  )`,
  `comment on column templates.deployment.version_id is 'null: the published versions, whichever they are'`,
  "create index deployment_newest on templates.deployment (organization_id, template_id, created_at desc, id desc)",
  `create index deployment_active on templates.deployment (organization_id, template_id) where status = 'ACTIVE'`,
];

const tableNames = ["templates.deployment", "templates.deployment_snapshot"];

/** The resolver looks across organizations at templates only: of deployments it sees those of the caller. */
const grants = [
  "grant select, insert, update, delete on templates.deployment to assent_templates",
  "grant select, insert on templates.deployment_snapshot to assent_templates",
  "grant select on templates.deployment, templates.deployment_snapshot to assent_templates_resolver",
];

export class Migration005Search extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}

const statements = [
  // Row-level security lets an index answer comparisons only, which is why the small letters are kept as a column.
  `alter table templates.template
    add column name_search text collate "C" not null generated always as (lower(name)) stored`,
  `create index template_by_name on templates.template (organization_id, name_search) where deleted_at is null`,
  `create index template_active_newest on templates.template (organization_id, created_at desc, id desc)
    where deleted_at is null and archived_at is null`,
  `create index template_archived_newest on templates.template (organization_id, created_at desc, id desc)
    where deleted_at is null and archived_at is not null`,
  "create index version_published on templates.version (organization_id, template_id) where status = 'PUBLISHED'",
];

export class Migration006Published extends Migration {
  override up(): void {
    for (const statement of [...column, ...trigger, ...indexes]) this.addSql(statement);
  }
}

// The owner sees rows only while row-level security is not forced upon it.
const column = [
  "alter table templates.template add column is_published boolean not null default false",
  `comment on column templates.template.is_published is
    'Whether a version is published. Kept by a trigger on the versions, for lists to be read by.'`,
  ...["template", "version"].map((table) => `alter table templates.${table} no force row level security`),
  `update templates.template t set is_published = true where exists (
    select from templates.version v
    where v.organization_id = t.organization_id and v.template_id = t.id and v.status = 'PUBLISHED')`,
  ...["template", "version"].map((table) => `alter table templates.${table} force row level security`),
];

// Whoever changes a version has locked its template, so that nobody counts while somebody else publishes.
const trigger = [
  `create function templates.note_published() returns trigger language plpgsql as $$
   begin
     update templates.template t set is_published = exists (
       select from templates.version v
       where v.organization_id = new.organization_id and v.template_id = new.template_id and v.status = 'PUBLISHED')
     where t.organization_id = new.organization_id and t.id = new.template_id;
     return null;
   end $$`,
  `create trigger version_added after insert on templates.version for each row
    when (new.status = 'PUBLISHED') execute function templates.note_published()`,
  `create trigger version_changed after update of status on templates.version for each row
    when (old.status <> new.status and 'PUBLISHED' in (old.status, new.status))
    execute function templates.note_published()`,
];

const indexes = [
  "drop index templates.template_active_newest",
  ...[
    ["published", "is_published"],
    ["draft", "not is_published"],
  ].map(
    ([name, condition]) => `create index template_${name}_newest
      on templates.template (organization_id, created_at desc, id desc)
      where deleted_at is null and archived_at is null and ${condition}`,
  ),
];
