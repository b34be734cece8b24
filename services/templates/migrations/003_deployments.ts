import { Migration } from "@mikro-orm/migrations";
import { forceOrgIsolationSql } from "#platform/db/ddl.ts";

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
