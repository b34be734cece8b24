import { destroyerSql, forceOrgIsolationSql } from "#platform/db/ddl.ts";
import { type ServiceMigrations, sqlMigration } from "#platform/db/migrate.ts";
import { outboxCursorSql } from "#platform/outbox/outbox.ts";
import { Migration001Initial } from "./001_initial.ts";
import {
  Migration002Lifecycle,
  Migration003Deployments,
  Migration005Search,
  Migration006Published,
} from "./002_to_006.ts";

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
