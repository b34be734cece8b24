import { Migration } from "@mikro-orm/migrations";
import { createRoleSql, destroyerSql, forceOrgIsolationSql } from "#platform/db/ddl.ts";
import { type ServiceMigrations, sqlMigration } from "#platform/db/migrate.ts";
import { outboxCursorSql, outboxTablesSql } from "#platform/outbox/outbox.ts";

class Migration001Initial extends Migration {
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

class Migration002Lifecycle extends Migration {
  override up(): void {
    for (const statement of [...softDeletion, ...deletionForGood]) this.addSql(statement);
  }
}

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

class Migration003Deployments extends Migration {
  override up(): void {
    const statements = [...deploymentTables, ...deploymentTableNames.flatMap(forceOrgIsolationSql), ...grants];
    for (const statement of statements) this.addSql(statement);
  }
}

const deploymentTables = [
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

const deploymentTableNames = ["templates.deployment", "templates.deployment_snapshot"];

/** The resolver looks across organizations at templates only: of deployments it sees those of the caller. */
const grants = [
  "grant select, insert, update, delete on templates.deployment to assent_templates",
  "grant select, insert on templates.deployment_snapshot to assent_templates",
  "grant select on templates.deployment, templates.deployment_snapshot to assent_templates_resolver",
];

class Migration005Search extends Migration {
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

class Migration006Published extends Migration {
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

export const templatesMigrations: ServiceMigrations = {
  schema: "templates",
  list: [
    { name: "001_initial", class: Migration001Initial },
    { name: "002_lifecycle", class: Migration002Lifecycle },
    { name: "003_deployments", class: Migration003Deployments },
    sqlMigration("004_outbox_cursor", ...outboxCursorSql({ schema: "templates", relayRole: "assent_templates_relay" })),
    { name: "005_search", class: Migration005Search },
    { name: "006_published", class: Migration006Published },
    // An organization is deleted by a role that does nothing else.
    sqlMigration("007_destroyer", ...destroyerSql("templates", "assent_templates_destroyer")),
    // The text that comes next, beside the one that is live.
    sqlMigration(
      "008_drafts",
      `create table templates.version_draft (
        organization_id uuid not null,
        version_id uuid not null,
        title text,
        content text not null,
        content_hash text collate "C" not null,
        format text not null check (format in ('HTML', 'MARKDOWN', 'TEXT')),
        change_summary text,
        effective_at timestamptz(3),
        texts jsonb not null check (jsonb_typeof(texts) = 'object'),
        base_revision integer not null check (base_revision >= 1),
        created_by text not null,
        created_at timestamptz(3) not null,
        updated_by text not null,
        updated_at timestamptz(3) not null,
        primary key (organization_id, version_id),
        foreign key (organization_id, version_id) references templates.version (organization_id, id)
      )`,
      ...forceOrgIsolationSql("templates.version_draft"),
      "grant select, insert, update, delete on templates.version_draft to assent_templates",
      ...destroyerSql("templates", "assent_templates_destroyer"),
    ),
    // The publications to come, each with what resolution says of its version from then on.
    sqlMigration(
      "009_schedule",
      `create table templates.scheduled_publication (
        organization_id uuid not null,
        version_id uuid not null,
        template_id uuid not null,
        publish_at timestamptz(3) not null,
        require_reacceptance boolean not null,
        change_summary text,
        effective_at timestamptz(3),
        locale text not null,
        revision integer not null check (revision >= 1),
        label text not null,
        content_hash text collate "C" not null,
        scheduled_by text not null,
        scheduled_at timestamptz(3) not null,
        primary key (organization_id, version_id),
        foreign key (organization_id, version_id) references templates.version (organization_id, id)
      )`,
      `create index scheduled_publication_by_template
        on templates.scheduled_publication (organization_id, template_id, publish_at)`,
      "create index scheduled_publication_due on templates.scheduled_publication (publish_at)",
      ...forceOrgIsolationSql("templates.scheduled_publication"),
      "grant select, insert, update, delete on templates.scheduled_publication to assent_templates",
      `grant select (organization_id, version_id, template_id, publish_at, locale, revision, label, content_hash)
        on templates.scheduled_publication to assent_templates_resolver`,
      `create policy resolver_reads on templates.scheduled_publication for select to assent_templates_resolver
        using (true)`,
      ...destroyerSql("templates", "assent_templates_destroyer"),
    ),
    // Who has written each text, who has approved of it, and whether somebody else has to.
    sqlMigration(
      "010_approvals",
      "alter table templates.version add column authors text[] not null default '{}'",
      "alter table templates.version_draft add column authors text[] not null default '{}'",
      `create table templates.publication_approval (
        organization_id uuid not null,
        version_id uuid not null,
        template_id uuid not null,
        text_hash text collate "C" not null,
        saved_at timestamptz(3) not null,
        status text not null check (status in ('REQUESTED', 'APPROVED', 'REFUSED')),
        requested_by text not null,
        requested_at timestamptz(3) not null,
        note text,
        decided_by text,
        decided_at timestamptz(3),
        reason text,
        primary key (organization_id, version_id),
        check ((status = 'REQUESTED') = (decided_by is null)),
        -- Somebody else has approved, a person: no API key and no OAuth client has such a name.
        check (decided_by is null or (decided_by like 'user:%' and decided_by <> requested_by)),
        foreign key (organization_id, version_id) references templates.version (organization_id, id)
      )`,
      `create index publication_approval_waiting on templates.publication_approval (organization_id, requested_at, version_id)
        where status = 'REQUESTED'`,
      `create table templates.publication_rules (
        organization_id uuid primary key,
        four_eyes boolean not null,
        updated_by text not null,
        updated_at timestamptz(3) not null
      )`,
      ...["templates.publication_approval", "templates.publication_rules"].flatMap((table) => [
        ...forceOrgIsolationSql(table),
        `grant select, insert, update, delete on ${table} to assent_templates`,
      ]),
      ...destroyerSql("templates", "assent_templates_destroyer"),
    ),
    // Pictures of what deployments look like; what is shown with them is evidence of the click service.
    sqlMigration(
      "011_screenshots",
      `create table templates.screenshot (
        organization_id uuid not null,
        id text collate "C" not null,
        deployment_id uuid not null,
        content_type text not null check (content_type in ('image/png', 'image/jpeg')),
        width integer not null check (width >= 1),
        height integer not null check (height >= 1),
        size integer not null check (size between 1 and 5242880),
        hash text collate "C" not null,
        content bytea not null check (length(content) = size),
        created_by text not null,
        created_at timestamptz(3) not null,
        primary key (organization_id, id),
        constraint screenshot_once unique (organization_id, deployment_id, hash),
        foreign key (organization_id, deployment_id) references templates.deployment (organization_id, id)
      )`,
      // Pictures are compressed already.
      "alter table templates.screenshot alter column content set storage external",
      ...forceOrgIsolationSql("templates.screenshot"),
      "grant select, insert, delete on templates.screenshot to assent_templates",
      'alter table templates.deployment add column screenshot_hash text collate "C"',
      `comment on column templates.deployment.screenshot_hash is
        'sha256:<hex> of the screenshot that screenshot_id names; null when the picture is kept elsewhere.'`,
      ...destroyerSql("templates", "assent_templates_destroyer"),
    ),
    // PDFs that are texts. A version's content names its file; its hash covers what that says.
    sqlMigration(
      "012_files",
      `create table templates.file (
        organization_id uuid not null,
        template_id uuid not null,
        content_hash text collate "C" not null check (content_hash = 'sha256:' || encode(sha256(convert_to(text, 'UTF8')), 'hex')),
        hash text collate "C" not null check (hash = 'sha256:' || encode(sha256(content), 'hex')),
        sent_hash text collate "C" not null,
        size integer not null check (size between 1 and 5242880),
        pages integer not null check (pages between 1 and 200),
        text text not null,
        content bytea not null check (length(content) = size),
        created_by text not null,
        created_at timestamptz(3) not null,
        primary key (organization_id, template_id, content_hash),
        foreign key (organization_id, template_id) references templates.template (organization_id, id)
      )`,
      "create index file_sent on templates.file (organization_id, template_id, sent_hash)",
      // PDFs are compressed already.
      "alter table templates.file alter column content set storage external",
      ...forceOrgIsolationSql("templates.file"),
      "grant select, insert, delete on templates.file to assent_templates",
      ...["version", "version_draft", "revision"].map(
        (table) =>
          `alter table templates.${table} drop constraint ${table}_format_check,
            add constraint ${table}_format_check check (format in ('HTML', 'MARKDOWN', 'TEXT', 'PDF')) not valid`,
      ),
      ...destroyerSql("templates", "assent_templates_destroyer"),
    ),
    // Files that nothing has go when their time comes, whether or not another one does.
    sqlMigration(
      "013_unused_files",
      // Those that there are, and those that processes of the release before add, have a day from now on.
      "alter table templates.file add column look_at timestamptz(3) not null default now() + interval '1 day'",
      "comment on column templates.file.look_at is 'when it is deleted unless something has it, and looked at again otherwise'",
      "create index file_look_at on templates.file (look_at)",
      "grant update (look_at) on templates.file to assent_templates",
      "grant select (organization_id, template_id, look_at) on templates.file to assent_templates_resolver",
      "create policy resolver_reads on templates.file for select to assent_templates_resolver using (true)",
    ),
    // Evidence keeps its own copy of each picture that a deployment has named, for good: their sizes are summed up.
    sqlMigration(
      "014_named_screenshots",
      `create table templates.named_screenshot (
        organization_id uuid not null,
        hash text collate "C" not null check (hash ~ '^sha256:[0-9a-f]{64}$'),
        size integer not null check (size > 0),
        named_at timestamptz(3) not null,
        primary key (organization_id, hash)
      )`,
      `comment on table templates.named_screenshot is
        'Screenshots that deployments have named, each once, also those that are deleted since.'`,
      ...["screenshot", "deployment"].map((table) => `alter table templates.${table} no force row level security`),
      `insert into templates.named_screenshot
        select s.organization_id, s.hash, min(s.size), now() from templates.screenshot s
        join templates.deployment d on d.organization_id = s.organization_id and d.screenshot_id = s.id
        where d.screenshot_hash is not null group by s.organization_id, s.hash`,
      ...["screenshot", "deployment"].map((table) => `alter table templates.${table} force row level security`),
      ...forceOrgIsolationSql("templates.named_screenshot"),
      "grant select, insert on templates.named_screenshot to assent_templates",
      ...destroyerSql("templates", "assent_templates_destroyer"),
    ),
    // What people accept looks like the organization that asks them.
    sqlMigration(
      "015_deployment_brand",
      "alter table templates.deployment add column brand_id uuid",
      "comment on column templates.deployment.brand_id is 'a brand of the sign service, which may be gone; null for the default one of the organization'",
    ),
    sqlMigration(
      "016_template_brand",
      "alter table templates.template add column brand_id uuid",
      "comment on column templates.template.brand_id is 'a brand of the sign service, which may be gone; null for the default one of the organization'",
    ),
  ],
};
