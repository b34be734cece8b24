-- What migrations of the release before webhooks and people did, statement by statement.
-- auth
create schema auth;
create table auth.migration (id serial primary key, name varchar(255), executed_at timestamptz default current_timestamp);
do $role$
begin
  for attempt in 1 .. 20 loop
    begin
      if not exists (select from pg_catalog.pg_roles where rolname = 'assent_auth') then
        create role "assent_auth" nologin;
      end if;
      if not pg_catalog.pg_has_role(current_user, 'assent_auth', 'set') then
        grant "assent_auth" to current_user with inherit false, set true;
      end if;
      return;
    exception
      -- Both are what the loser of the race sees; internal_error is "tuple concurrently updated".
      when duplicate_object or unique_violation or internal_error then
        perform pg_catalog.pg_sleep(0.01 * attempt);
    end;
  end loop;
  raise exception 'the role % could not be created', 'assent_auth';
end
$role$;
do $role$
begin
  for attempt in 1 .. 20 loop
    begin
      if not exists (select from pg_catalog.pg_roles where rolname = 'assent_auth_lookup') then
        create role "assent_auth_lookup" nologin;
      end if;
      if not pg_catalog.pg_has_role(current_user, 'assent_auth_lookup', 'set') then
        grant "assent_auth_lookup" to current_user with inherit false, set true;
      end if;
      return;
    exception
      -- Both are what the loser of the race sees; internal_error is "tuple concurrently updated".
      when duplicate_object or unique_violation or internal_error then
        perform pg_catalog.pg_sleep(0.01 * attempt);
    end;
  end loop;
  raise exception 'the role % could not be created', 'assent_auth_lookup';
end
$role$;
do $role$
begin
  for attempt in 1 .. 20 loop
    begin
      if not exists (select from pg_catalog.pg_roles where rolname = 'assent_auth_janitor') then
        create role "assent_auth_janitor" nologin;
      end if;
      if not pg_catalog.pg_has_role(current_user, 'assent_auth_janitor', 'set') then
        grant "assent_auth_janitor" to current_user with inherit false, set true;
      end if;
      return;
    exception
      -- Both are what the loser of the race sees; internal_error is "tuple concurrently updated".
      when duplicate_object or unique_violation or internal_error then
        perform pg_catalog.pg_sleep(0.01 * attempt);
    end;
  end loop;
  raise exception 'the role % could not be created', 'assent_auth_janitor';
end
$role$;
grant usage on schema auth to assent_auth, assent_auth_lookup, assent_auth_janitor;
create table auth.organization (
    organization_id uuid primary key,
    name text not null,
    plan text not null check (plan in ('gen_starter', 'gen_pro', 'gen_hoa', 'business', 'gen_payg')),
    sandbox boolean not null,
    limit_accept integer check (limit_accept > 0),
    limit_render integer check (limit_render > 0),
    limit_other integer check (limit_other > 0),
    limit_sign integer check (limit_sign > 0),
    created_at timestamptz not null
  );
comment on table auth.organization is 'The tenants. A limit that is null is the platform''s default.';
alter table auth.organization enable row level security;
alter table auth.organization force row level security;
create policy org_isolation on auth.organization
    using (organization_id = nullif(current_setting('app.org_id', true), '')::uuid)
    with check (organization_id = nullif(current_setting('app.org_id', true), '')::uuid);
grant select, insert on auth.organization to assent_auth;
grant update (plan, limit_accept, limit_render, limit_other, limit_sign) on auth.organization to assent_auth;
create table auth.api_key (
    organization_id uuid not null references auth.organization,
    key_id text not null,
    name text not null,
    secret_hash bytea not null check (octet_length(secret_hash) = 32),
    created_at timestamptz not null,
    revoked_at timestamptz,
    primary key (organization_id, key_id)
  );
comment on table auth.api_key is
    'A caller shows its key before its organization is known, hence the look-up by key_id alone and the policy lookup. key_id has 95 random bits: it needs no unique index to be unique.';
create index api_key_lookup on auth.api_key (key_id);
alter table auth.api_key enable row level security;
alter table auth.api_key force row level security;
create policy org_isolation on auth.api_key
    using (organization_id = nullif(current_setting('app.org_id', true), '')::uuid)
    with check (organization_id = nullif(current_setting('app.org_id', true), '')::uuid);
create policy lookup on auth.api_key for select to assent_auth_lookup using (true);
grant select on auth.api_key to assent_auth_lookup;
grant select, insert, update (revoked_at) on auth.api_key to assent_auth;
create table auth.oauth_client (
    organization_id uuid not null references auth.organization,
    client_id text not null,
    name text not null,
    scopes text[] not null check (cardinality(scopes) > 0),
    secret_hash bytea not null check (octet_length(secret_hash) = 32),
    created_at timestamptz not null,
    revoked_at timestamptz,
    primary key (organization_id, client_id)
  );
comment on table auth.oauth_client is
    'A client shows its id before its organization is known, hence the look-up by client_id alone and the policy lookup. client_id has 131 random bits: it needs no unique index to be unique.';
create index oauth_client_lookup on auth.oauth_client (client_id);
alter table auth.oauth_client enable row level security;
alter table auth.oauth_client force row level security;
create policy org_isolation on auth.oauth_client
    using (organization_id = nullif(current_setting('app.org_id', true), '')::uuid)
    with check (organization_id = nullif(current_setting('app.org_id', true), '')::uuid);
create policy lookup on auth.oauth_client for select to assent_auth_lookup using (true);
grant select on auth.oauth_client to assent_auth_lookup;
grant select, insert, update (secret_hash, revoked_at) on auth.oauth_client to assent_auth;
create table auth.revoked_token (
    organization_id uuid not null references auth.organization,
    token_id text not null,
    expires_at timestamptz not null,
    revoked_at timestamptz not null,
    primary key (organization_id, token_id)
  );
comment on table auth.revoked_token is 'Access tokens revoked before they expired; deleted once they have.';
create index revoked_token_expiry on auth.revoked_token (expires_at);
alter table auth.revoked_token enable row level security;
alter table auth.revoked_token force row level security;
create policy org_isolation on auth.revoked_token
    using (organization_id = nullif(current_setting('app.org_id', true), '')::uuid)
    with check (organization_id = nullif(current_setting('app.org_id', true), '')::uuid);
create policy purge on auth.revoked_token to assent_auth_janitor using (true);
grant select, insert on auth.revoked_token to assent_auth;
grant select, delete on auth.revoked_token to assent_auth_janitor;
create table auth.signing_key (
    generation integer primary key,
    kid text not null unique,
    private_jwk bytea not null,
    signs_from timestamptz not null,
    created_at timestamptz not null
  );
comment on table auth.signing_key is
    'The platform''s own keys, of no organization. The primary key lets one of several processes that make the next generation at once win. private_jwk is iv, tag and ciphertext of AES-256-GCM with the kid as associated data; the public key is derived from it, so a forged row verifies nothing.';
grant select on auth.signing_key to assent_auth_lookup;
grant insert on auth.signing_key to assent_auth;
grant select (generation) on auth.signing_key to assent_auth;
grant select (generation, signs_from), delete on auth.signing_key to assent_auth_janitor;
create table auth.change_head (
    only_row boolean primary key default true check (only_row),
    cursor bigint not null
  );
comment on table auth.change_head is
    'The last cursor that was given out. Whoever records a change updates this row and thereby holds it until the commit, so cursors become visible in their order and a reader never skips one.';
insert into auth.change_head (cursor) values (0);
grant select, update on auth.change_head to assent_auth;
grant select on auth.change_head to assent_auth_lookup;
create table auth.change (
    cursor bigint primary key,
    kind text not null check (kind in ('token_revoked', 'client_revoked', 'key_revoked', 'organization_changed')),
    subject text not null,
    created_at timestamptz not null
  );
comment on table auth.change is
    'What gateways must forget, one feed for all organizations: ids only, nothing that belongs to a tenant.';
grant insert on auth.change to assent_auth;
grant select on auth.change to assent_auth_lookup;
grant select, delete on auth.change to assent_auth_janitor;
create table auth.oauth_client_key (
    organization_id uuid not null,
    client_id text not null,
    key_id text not null,
    algorithm text not null check (algorithm in ('RS256', 'ES256')),
    public_jwk jsonb not null,
    created_at timestamptz not null,
    revoked_at timestamptz,
    primary key (organization_id, client_id, key_id),
    foreign key (organization_id, client_id) references auth.oauth_client
  );
comment on table auth.oauth_client_key is
    'Public keys with which clients sign assertions (RFC 7523). A client shows its id before its organization is known, hence the policy lookup.';
comment on column auth.oauth_client_key.key_id is 'The RFC 7638 thumbprint of public_jwk.';
comment on column auth.oauth_client_key.algorithm is 'Follows from the key; the only one that its assertions are verified with.';
alter table auth.oauth_client_key enable row level security;
alter table auth.oauth_client_key force row level security;
create policy org_isolation on auth.oauth_client_key
    using (organization_id = nullif(current_setting('app.org_id', true), '')::uuid)
    with check (organization_id = nullif(current_setting('app.org_id', true), '')::uuid);
create policy lookup on auth.oauth_client_key for select to assent_auth_lookup using (true);
grant select on auth.oauth_client_key to assent_auth_lookup;
grant select, insert, update (revoked_at) on auth.oauth_client_key to assent_auth;
alter table auth.api_key add column last_used_at timestamptz;
comment on column auth.api_key.last_used_at is 'To about a minute; null for one that was never used.';
create policy uses_read on auth.api_key for select to assent_auth_janitor using (true);
create policy uses_write on auth.api_key for update to assent_auth_janitor using (true);
grant select (organization_id, key_id, last_used_at), update (last_used_at) on auth.api_key to assent_auth_janitor;
alter table auth.oauth_client add column last_used_at timestamptz;
comment on column auth.oauth_client.last_used_at is 'To about a minute; null for one that was never used.';
create policy uses_read on auth.oauth_client for select to assent_auth_janitor using (true);
create policy uses_write on auth.oauth_client for update to assent_auth_janitor using (true);
grant select (organization_id, client_id, last_used_at), update (last_used_at) on auth.oauth_client to assent_auth_janitor;
-- templates
create schema templates;
create table templates.migration (id serial primary key, name varchar(255), executed_at timestamptz default current_timestamp);
do $role$
begin
  for attempt in 1 .. 20 loop
    begin
      if not exists (select from pg_catalog.pg_roles where rolname = 'assent_templates') then
        create role "assent_templates" nologin;
      end if;
      if not pg_catalog.pg_has_role(current_user, 'assent_templates', 'set') then
        grant "assent_templates" to current_user with inherit false, set true;
      end if;
      return;
    exception
      -- Both are what the loser of the race sees; internal_error is "tuple concurrently updated".
      when duplicate_object or unique_violation or internal_error then
        perform pg_catalog.pg_sleep(0.01 * attempt);
    end;
  end loop;
  raise exception 'the role % could not be created', 'assent_templates';
end
$role$;
do $role$
begin
  for attempt in 1 .. 20 loop
    begin
      if not exists (select from pg_catalog.pg_roles where rolname = 'assent_templates_relay') then
        create role "assent_templates_relay" nologin;
      end if;
      if not pg_catalog.pg_has_role(current_user, 'assent_templates_relay', 'set') then
        grant "assent_templates_relay" to current_user with inherit false, set true;
      end if;
      return;
    exception
      -- Both are what the loser of the race sees; internal_error is "tuple concurrently updated".
      when duplicate_object or unique_violation or internal_error then
        perform pg_catalog.pg_sleep(0.01 * attempt);
    end;
  end loop;
  raise exception 'the role % could not be created', 'assent_templates_relay';
end
$role$;
do $role$
begin
  for attempt in 1 .. 20 loop
    begin
      if not exists (select from pg_catalog.pg_roles where rolname = 'assent_templates_resolver') then
        create role "assent_templates_resolver" nologin;
      end if;
      if not pg_catalog.pg_has_role(current_user, 'assent_templates_resolver', 'set') then
        grant "assent_templates_resolver" to current_user with inherit false, set true;
      end if;
      return;
    exception
      -- Both are what the loser of the race sees; internal_error is "tuple concurrently updated".
      when duplicate_object or unique_violation or internal_error then
        perform pg_catalog.pg_sleep(0.01 * attempt);
    end;
  end loop;
  raise exception 'the role % could not be created', 'assent_templates_resolver';
end
$role$;
create table templates.template (
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
  );
create index template_newest on templates.template (organization_id, created_at desc, id desc);
create table templates.version (
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
  );
create unique index version_locale_key on templates.version (organization_id, template_id, lower(locale))
    where status <> 'ARCHIVED';
create index version_by_template on templates.version (organization_id, template_id, created_at, id);
create table templates.content (
    organization_id uuid not null,
    hash text collate "C" not null check (hash = 'sha256:' || encode(sha256(bytes), 'hex')),
    bytes bytea not null,
    primary key (organization_id, hash)
  );
create table templates.revision (
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
  );
alter table templates.template enable row level security;
alter table templates.template force row level security;
create policy org_isolation on templates.template
    using (organization_id = nullif(current_setting('app.org_id', true), '')::uuid)
    with check (organization_id = nullif(current_setting('app.org_id', true), '')::uuid);
alter table templates.version enable row level security;
alter table templates.version force row level security;
create policy org_isolation on templates.version
    using (organization_id = nullif(current_setting('app.org_id', true), '')::uuid)
    with check (organization_id = nullif(current_setting('app.org_id', true), '')::uuid);
alter table templates.content enable row level security;
alter table templates.content force row level security;
create policy org_isolation on templates.content
    using (organization_id = nullif(current_setting('app.org_id', true), '')::uuid)
    with check (organization_id = nullif(current_setting('app.org_id', true), '')::uuid);
alter table templates.revision enable row level security;
alter table templates.revision force row level security;
create policy org_isolation on templates.revision
    using (organization_id = nullif(current_setting('app.org_id', true), '')::uuid)
    with check (organization_id = nullif(current_setting('app.org_id', true), '')::uuid);
grant usage on schema templates to assent_templates;
grant select, insert, update on templates.template, templates.version to assent_templates;
grant select, insert on templates.content, templates.revision to assent_templates;
grant usage on schema templates to assent_templates_resolver;
grant select (organization_id, id, slug, name, type, archived_at, default_locale, type_config, policy_flags, counterparty)
    on templates.template to assent_templates_resolver;
grant select (organization_id, id, template_id, locale, status, revision, label, content_hash)
    on templates.version to assent_templates_resolver;
create policy resolver_reads on templates.template for select to assent_templates_resolver using (true);
create policy resolver_reads on templates.version for select to assent_templates_resolver using (true);
create table "templates".outbox (
      organization_id uuid not null,
      event_id uuid not null,
      position bigint generated by default as identity,
      subject text not null,
      data text not null,
      created_at timestamptz not null default now(),
      published_at timestamptz,
      primary key (organization_id, event_id)
    );
create index outbox_unpublished on "templates".outbox (position) where published_at is null;
create index outbox_published on "templates".outbox (published_at) where published_at is not null;
alter table "templates".outbox set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.05);
alter table "templates".outbox enable row level security;
alter table "templates".outbox force row level security;
create policy org_isolation on "templates".outbox
    using (organization_id = nullif(current_setting('app.org_id', true), '')::uuid)
    with check (organization_id = nullif(current_setting('app.org_id', true), '')::uuid);
create policy relay_all on "templates".outbox to "assent_templates_relay" using (true) with check (true);
create table "templates".relay_lease (
      name text primary key,
      holder uuid not null,
      expires_at timestamptz not null
    );
comment on table "templates".relay_lease is 'No organization: one row for the whole service';
create table "templates".relay_state (
      name text primary key,
      store_id text not null
    );
comment on table "templates".relay_state is 'No organization: one row for the whole service';
grant usage on schema "templates" to "assent_templates", "assent_templates_relay";
grant insert on "templates".outbox to "assent_templates";
grant select, delete, update (published_at) on "templates".outbox to "assent_templates_relay";
grant select, insert, update, delete on "templates".relay_lease, "templates".relay_state to "assent_templates_relay";
alter table templates.template add column deleted_at timestamptz(3),
    add constraint template_deletion_check check (deleted_at is null or first_published_at is not null);
alter table templates.template drop constraint template_slug_key;
create unique index template_slug_key on templates.template (organization_id, slug) where deleted_at is null;
drop index templates.template_newest;
create index template_newest on templates.template (organization_id, created_at desc, id desc)
    where deleted_at is null;
grant select (deleted_at) on templates.template to assent_templates_resolver;
grant delete on templates.template, templates.version to assent_templates;
create policy never_published on templates.template as restrictive for delete to assent_templates
    using (first_published_at is null);
create policy never_published on templates.version as restrictive for delete to assent_templates using (revision = 0);
create table templates.deployment_snapshot (
    organization_id uuid not null,
    hash text collate "C" not null check (hash = 'sha256:' || encode(sha256(convert_to(data, 'UTF8')), 'hex')),
    deployment_id uuid not null,
    data text not null,
    created_at timestamptz(3) not null,
    primary key (organization_id, hash)
  );
create index deployment_snapshot_by_deployment on templates.deployment_snapshot (organization_id, deployment_id);
create table templates.deployment (
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
  );
comment on column templates.deployment.version_id is 'null: the published versions, whichever they are';
create index deployment_newest on templates.deployment (organization_id, template_id, created_at desc, id desc);
create index deployment_active on templates.deployment (organization_id, template_id) where status = 'ACTIVE';
alter table templates.deployment enable row level security;
alter table templates.deployment force row level security;
create policy org_isolation on templates.deployment
    using (organization_id = nullif(current_setting('app.org_id', true), '')::uuid)
    with check (organization_id = nullif(current_setting('app.org_id', true), '')::uuid);
alter table templates.deployment_snapshot enable row level security;
alter table templates.deployment_snapshot force row level security;
create policy org_isolation on templates.deployment_snapshot
    using (organization_id = nullif(current_setting('app.org_id', true), '')::uuid)
    with check (organization_id = nullif(current_setting('app.org_id', true), '')::uuid);
grant select, insert, update, delete on templates.deployment to assent_templates;
grant select, insert on templates.deployment_snapshot to assent_templates;
grant select on templates.deployment, templates.deployment_snapshot to assent_templates_resolver;
create table "templates".relay_cursor (
      name text primary key,
      position bigint not null,
      gaps jsonb not null,
      published_at timestamptz not null
    );
comment on table "templates".relay_cursor is 'No organization: one row for the whole service';
alter table "templates".outbox no force row level security;
insert into "templates".relay_cursor (name, position, gaps, published_at)
     select 'outbox', coalesce(min(position) filter (where published_at is null) - 1, max(position)), '[]', now()
     from "templates".outbox having count(*) > 0;
drop index "templates".outbox_unpublished, "templates".outbox_published;
alter table "templates".outbox drop constraint outbox_pkey, drop column published_at,
       add primary key (position, organization_id);
alter table "templates".outbox force row level security;
comment on table "templates".outbox is 'Events, in the order in which they are published; kept for 7 days. One index, at whose end every row is added: the hot path pays for each further one.';
grant select, insert, update on "templates".relay_cursor to "assent_templates_relay";
-- click
create schema click;
create table click.migration (id serial primary key, name varchar(255), executed_at timestamptz default current_timestamp);
do $role$
begin
  for attempt in 1 .. 20 loop
    begin
      if not exists (select from pg_catalog.pg_roles where rolname = 'assent_click') then
        create role "assent_click" nologin;
      end if;
      if not pg_catalog.pg_has_role(current_user, 'assent_click', 'set') then
        grant "assent_click" to current_user with inherit false, set true;
      end if;
      return;
    exception
      -- Both are what the loser of the race sees; internal_error is "tuple concurrently updated".
      when duplicate_object or unique_violation or internal_error then
        perform pg_catalog.pg_sleep(0.01 * attempt);
    end;
  end loop;
  raise exception 'the role % could not be created', 'assent_click';
end
$role$;
do $role$
begin
  for attempt in 1 .. 20 loop
    begin
      if not exists (select from pg_catalog.pg_roles where rolname = 'assent_click_recorder') then
        create role "assent_click_recorder" nologin;
      end if;
      if not pg_catalog.pg_has_role(current_user, 'assent_click_recorder', 'set') then
        grant "assent_click_recorder" to current_user with inherit false, set true;
      end if;
      return;
    exception
      -- Both are what the loser of the race sees; internal_error is "tuple concurrently updated".
      when duplicate_object or unique_violation or internal_error then
        perform pg_catalog.pg_sleep(0.01 * attempt);
    end;
  end loop;
  raise exception 'the role % could not be created', 'assent_click_recorder';
end
$role$;
do $role$
begin
  for attempt in 1 .. 20 loop
    begin
      if not exists (select from pg_catalog.pg_roles where rolname = 'assent_click_relay') then
        create role "assent_click_relay" nologin;
      end if;
      if not pg_catalog.pg_has_role(current_user, 'assent_click_relay', 'set') then
        grant "assent_click_relay" to current_user with inherit false, set true;
      end if;
      return;
    exception
      -- Both are what the loser of the race sees; internal_error is "tuple concurrently updated".
      when duplicate_object or unique_violation or internal_error then
        perform pg_catalog.pg_sleep(0.01 * attempt);
    end;
  end loop;
  raise exception 'the role % could not be created', 'assent_click_relay';
end
$role$;
grant usage on schema click to assent_click, assent_click_recorder;
create table click.agreement_text (
    organization_id uuid not null,
    version_id uuid not null,
    revision integer not null,
    template_id uuid not null,
    label text not null,
    locale text not null,
    title text,
    content bytea not null,
    format text not null check (format in ('HTML', 'MARKDOWN', 'TEXT')),
    content_hash text not null,
    texts text not null,
    published_at timestamptz,
    published_by text not null,
    stored_at timestamptz not null default now(),
    primary key (organization_id, version_id, revision),
    check (content_hash = 'sha256:' || encode(sha256(content), 'hex'))
  );
comment on table click.agreement_text is
    'The exact bytes that were shown, copied before the first session or acceptance of a revision, so that evidence survives whatever happens to the template.';
alter table click.agreement_text enable row level security;
alter table click.agreement_text force row level security;
create policy org_isolation on click.agreement_text
    using (organization_id = nullif(current_setting('app.org_id', true), '')::uuid)
    with check (organization_id = nullif(current_setting('app.org_id', true), '')::uuid);
grant select, insert on click.agreement_text to assent_click;
create table click.template_terms (
    organization_id uuid not null,
    terms_hash bytea not null,
    terms text not null,
    stored_at timestamptz not null default now(),
    primary key (organization_id, terms_hash),
    check (terms_hash = sha256(convert_to(terms, 'UTF8')))
  );
comment on table click.template_terms is
    'What held besides the text: names, type configuration and policy flags of a template, in canonical JSON, stored once per content.';
alter table click.template_terms enable row level security;
alter table click.template_terms force row level security;
create policy org_isolation on click.template_terms
    using (organization_id = nullif(current_setting('app.org_id', true), '')::uuid)
    with check (organization_id = nullif(current_setting('app.org_id', true), '')::uuid);
grant select, insert on click.template_terms to assent_click;
create table click.session (
    organization_id uuid not null,
    id uuid not null,
    template_id uuid not null,
    version_id uuid not null,
    revision integer not null,
    label text not null,
    locale text not null,
    content_hash text not null,
    terms_hash bytea not null,
    user_ref text,
    status text not null check (status in ('PENDING', 'PRESENTED', 'ACCEPTED', 'DECLINED', 'COMPLETED', 'CANCELLED')),
    outcome text check (outcome in ('ACCEPTED', 'DECLINED', 'NONE')),
    reason text,
    metadata text not null,
    return_url text,
    context text not null,
    client_id text not null,
    request_id text not null,
    created_at timestamptz not null,
    presented_at timestamptz,
    accepted_at timestamptz,
    completed_at timestamptz,
    expires_at timestamptz not null,
    updated_at timestamptz not null,
    primary key (organization_id, id)
  ) with (fillfactor = 80);
comment on table click.session is
    'A session created through the API. An acceptance without one is its own session and has no row here. EXPIRED is computed from expires_at. Room in the pages keeps status changes out of the index.';
alter table click.session enable row level security;
alter table click.session force row level security;
create policy org_isolation on click.session
    using (organization_id = nullif(current_setting('app.org_id', true), '')::uuid)
    with check (organization_id = nullif(current_setting('app.org_id', true), '')::uuid);
grant select, insert on click.session to assent_click;
grant update (status, outcome, reason, completed_at, updated_at) on click.session to assent_click;
create table click.acceptance (
    organization_id uuid not null,
    idempotency_hash bytea not null check (octet_length(idempotency_hash) = 32),
    body_hash bytea not null check (octet_length(body_hash) = 32),
    receipt_id uuid not null,
    session_id uuid,
    template_id uuid not null,
    version_id uuid not null,
    revision integer not null,
    terms_hash bytea not null,
    once_hash bytea,
    user_ref text not null,
    decision text not null check (decision in ('ACCEPT', 'DECLINE')),
    accepted_at timestamptz not null,
    receipt text not null,
    evidence text not null,
    primary key (organization_id, idempotency_hash)
  ) with (toast_tuple_target = 8160);
comment on table click.acceptance is
    'Acceptances, which are their own idempotency records: keys never expire, so rows are never deleted. session_id is null for an acceptance that is its own session. once_hash is set when the policy allows one acceptance per user and revision. No foreign keys: what a row refers to is stored before it and cannot be deleted, and checking that again would cost the hot path.';
create unique index acceptance_receipt on click.acceptance (organization_id, receipt_id);
create unique index acceptance_once on click.acceptance (organization_id, once_hash) where once_hash is not null;
create index acceptance_session on click.acceptance (organization_id, session_id) where session_id is not null;
create index acceptance_user on click.acceptance (organization_id, user_ref, accepted_at);
alter table click.acceptance enable row level security;
alter table click.acceptance force row level security;
create policy org_isolation on click.acceptance
    using (organization_id = nullif(current_setting('app.org_id', true), '')::uuid)
    with check (organization_id = nullif(current_setting('app.org_id', true), '')::uuid);
grant select on click.acceptance to assent_click;
create table "click".outbox (
      organization_id uuid not null,
      event_id uuid not null,
      position bigint generated by default as identity,
      subject text not null,
      data text not null,
      created_at timestamptz not null default now(),
      published_at timestamptz,
      primary key (organization_id, event_id)
    );
create index outbox_unpublished on "click".outbox (position) where published_at is null;
create index outbox_published on "click".outbox (published_at) where published_at is not null;
alter table "click".outbox set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.05);
alter table "click".outbox enable row level security;
alter table "click".outbox force row level security;
create policy org_isolation on "click".outbox
    using (organization_id = nullif(current_setting('app.org_id', true), '')::uuid)
    with check (organization_id = nullif(current_setting('app.org_id', true), '')::uuid);
create policy relay_all on "click".outbox to "assent_click_relay" using (true) with check (true);
create table "click".relay_lease (
      name text primary key,
      holder uuid not null,
      expires_at timestamptz not null
    );
comment on table "click".relay_lease is 'No organization: one row for the whole service';
create table "click".relay_state (
      name text primary key,
      store_id text not null
    );
comment on table "click".relay_state is 'No organization: one row for the whole service';
grant usage on schema "click" to "assent_click", "assent_click_relay";
grant insert on "click".outbox to "assent_click";
grant select, delete, update (published_at) on "click".outbox to "assent_click_relay";
grant select, insert, update, delete on "click".relay_lease, "click".relay_state to "assent_click_relay";
create policy recorder_insert on click.acceptance for insert to assent_click_recorder with check (true);
create policy recorder_lookup on click.acceptance for select to assent_click_recorder using (true);
grant insert on click.acceptance to assent_click_recorder;
grant select (organization_id, idempotency_hash, body_hash, receipt_id, session_id, once_hash, receipt)
    on click.acceptance to assent_click_recorder;
create policy recorder_lookup on click.session for select to assent_click_recorder using (true);
create policy recorder_move on click.session for update to assent_click_recorder using (true) with check (true);
grant select (organization_id, id, template_id, version_id, revision, label, locale, content_hash, terms_hash, user_ref,
      status, outcome, reason, created_at, presented_at, accepted_at, completed_at, expires_at)
    on click.session to assent_click_recorder;
grant update (status, outcome, reason, user_ref, accepted_at, completed_at, updated_at)
    on click.session to assent_click_recorder;
create policy recorder_insert on click.outbox for insert to assent_click_recorder with check (true);
grant insert on click.outbox to assent_click_recorder;
create function click.require_equal(recorded bigint, moved bigint) returns boolean language plpgsql stable as $body$
  begin
    if recorded <> moved then
      raise exception '% acceptances of sessions, but % sessions moved', recorded, moved using errcode = 'CK001';
    end if;
    return true;
  end
  $body$;
comment on function click.require_equal is
    'Ends the record statement, and with it all of its effects, unless each acceptance of a session moved its session.';
do $role$
begin
  for attempt in 1 .. 20 loop
    begin
      if not exists (select from pg_catalog.pg_roles where rolname = 'assent_click_sweeper') then
        create role "assent_click_sweeper" nologin;
      end if;
      if not pg_catalog.pg_has_role(current_user, 'assent_click_sweeper', 'set') then
        grant "assent_click_sweeper" to current_user with inherit false, set true;
      end if;
      return;
    exception
      -- Both are what the loser of the race sees; internal_error is "tuple concurrently updated".
      when duplicate_object or unique_violation or internal_error then
        perform pg_catalog.pg_sleep(0.01 * attempt);
    end;
  end loop;
  raise exception 'the role % could not be created', 'assent_click_sweeper';
end
$role$;
grant usage on schema click to assent_click_sweeper;
alter table click.session
    drop constraint session_status_check,
    add constraint session_status_check check (status in
      ('PENDING', 'PRESENTED', 'ACCEPTED', 'DECLINED', 'COMPLETED', 'CANCELLED', 'EXPIRED'));
create table click.session_deadline (
    organization_id uuid not null,
    session_id uuid not null,
    expires_at timestamptz not null,
    primary key (organization_id, session_id)
  );
comment on table click.session_deadline is
    'Sessions whose time will be over, until the sweeper has looked at them. Apart from the session: an index over its expiry and state would make every change of the state write to the index.';
create index session_deadline_due on click.session_deadline (expires_at);
alter table click.session_deadline set (autovacuum_vacuum_scale_factor = 0.02);
alter table click.session no force row level security;
insert into click.session_deadline (organization_id, session_id, expires_at)
   select organization_id, id, expires_at from click.session where status in ('PENDING', 'PRESENTED');
alter table click.session force row level security;
alter table click.session_deadline enable row level security;
alter table click.session_deadline force row level security;
create policy org_isolation on click.session_deadline
    using (organization_id = nullif(current_setting('app.org_id', true), '')::uuid)
    with check (organization_id = nullif(current_setting('app.org_id', true), '')::uuid);
grant insert on click.session_deadline to assent_click;
alter table click.session add column event_count integer not null default 0, add column page_facts json;
comment on column click.session.page_facts is
    'What the events of the page come to, so that an acceptance need not read them. Null until there are any.';
grant update (event_count, page_facts) on click.session to assent_click;
create table click.session_event (
    organization_id uuid not null,
    session_id uuid not null,
    position integer not null,
    type text not null,
    at timestamptz,
    target text,
    server_at timestamptz not null,
    primary key (organization_id, session_id, position)
  );
comment on table click.session_event is
    'What the page of a session told us, in the order in which it came. at is its clock, server_at is ours.';
alter table click.session_event enable row level security;
alter table click.session_event force row level security;
create policy org_isolation on click.session_event
    using (organization_id = nullif(current_setting('app.org_id', true), '')::uuid)
    with check (organization_id = nullif(current_setting('app.org_id', true), '')::uuid);
grant select, insert on click.session_event to assent_click;
create table click.consent_head (
    organization_id uuid not null,
    user_ref text not null,
    revision bigint not null,
    clock timestamptz not null,
    primary key (organization_id, user_ref)
  ) with (fillfactor = 80);
comment on table click.consent_head is
    'One row per user, locked by whoever changes the consent of the user: changes are numbered without gaps, and none is given an earlier time than the one before it (clock).';
alter table click.consent_head enable row level security;
alter table click.consent_head force row level security;
create policy org_isolation on click.consent_head
    using (organization_id = nullif(current_setting('app.org_id', true), '')::uuid)
    with check (organization_id = nullif(current_setting('app.org_id', true), '')::uuid);
grant select, insert, update (revision, clock) on click.consent_head to assent_click;
create table click.consent_event (
    organization_id uuid not null,
    user_ref text not null,
    revision bigint not null,
    event_id uuid not null,
    purpose text not null,
    type text not null check (type in ('GRANTED', 'RENEWED', 'DENIED', 'WITHDRAWN')),
    recorded_at timestamptz not null,
    occurred_at timestamptz,
    source text not null,
    method text,
    actor_type text not null check (actor_type in ('USER', 'ADMIN', 'SYSTEM')),
    actor_id text,
    reason text,
    template_id uuid,
    version_id uuid,
    template_revision integer,
    locale text,
    content_hash text,
    legal_basis text,
    jurisdiction text,
    granted_at timestamptz,
    expires_at timestamptz,
    receipt_id uuid not null,
    receipt text,
    evidence text,
    update_id uuid,
    primary key (organization_id, user_ref, revision),
    check (type not in ('GRANTED', 'RENEWED') or (content_hash is not null and granted_at is not null)),
    check ((receipt is null) = (update_id is null))
  ) with (toast_tuple_target = 8160);
comment on table click.consent_event is
    'Every change of consent, never changed or deleted. The state of a purpose is its last row: each row carries on what it leaves as it was. That a grant runs out is computed from expires_at. receipt is null for a change that an acceptance made: the receipt is that of the acceptance.';
create unique index consent_event_receipt on click.consent_event (organization_id, receipt_id)
    where receipt is not null;
alter table click.consent_event enable row level security;
alter table click.consent_event force row level security;
create policy org_isolation on click.consent_event
    using (organization_id = nullif(current_setting('app.org_id', true), '')::uuid)
    with check (organization_id = nullif(current_setting('app.org_id', true), '')::uuid);
grant select, insert on click.consent_event to assent_click;
create table click.consent_deadline (
    organization_id uuid not null,
    user_ref text not null,
    revision bigint not null,
    expires_at timestamptz not null,
    primary key (organization_id, user_ref, revision)
  );
comment on table click.consent_deadline is
    'Grants that will run out, until the sweeper has looked at them.';
create index consent_deadline_due on click.consent_deadline (expires_at);
alter table click.consent_deadline set (autovacuum_vacuum_scale_factor = 0.02);
alter table click.consent_deadline enable row level security;
alter table click.consent_deadline force row level security;
create policy org_isolation on click.consent_deadline
    using (organization_id = nullif(current_setting('app.org_id', true), '')::uuid)
    with check (organization_id = nullif(current_setting('app.org_id', true), '')::uuid);
grant insert on click.consent_deadline to assent_click;
alter table click.acceptance
    alter column template_id drop not null,
    alter column version_id drop not null,
    alter column revision drop not null,
    alter column terms_hash drop not null,
    drop constraint acceptance_decision_check,
    add constraint acceptance_decision_check check (
      case when decision in ('ACCEPT', 'DECLINE')
        then template_id is not null and version_id is not null and revision is not null and terms_hash is not null
        else decision = 'CONSENT' and template_id is null and session_id is null and once_hash is null
      end);
comment on table click.acceptance is
    'Acceptances, which are their own idempotency records: keys never expire, so rows are never deleted. session_id is null for an acceptance that is its own session. once_hash is set when the policy allows one acceptance per user and revision. A row with the decision CONSENT is no acceptance: it only keeps the key of a change of consent, whose events name receipt_id as their update_id. No foreign keys: what a row refers to is stored before it and cannot be deleted, and checking that again would cost the hot path.';
grant insert on click.acceptance to assent_click;
create policy only_keys_of_consent on click.acceptance as restrictive for insert to assent_click
    with check (decision = 'CONSENT');
create index acceptance_newest on click.acceptance (organization_id, accepted_at, receipt_id);
create index acceptance_template on click.acceptance (organization_id, template_id, accepted_at, receipt_id)
    where template_id is not null;
create table click.publication (
    organization_id uuid not null,
    version_id uuid not null,
    revision integer not null,
    template_id uuid not null,
    locale text not null,
    label text not null,
    published_at timestamptz not null,
    primary key (organization_id, version_id, revision)
  );
comment on table click.publication is
    'When each revision was first published, as the events of the templates service told.';
create index publication_template on click.publication (organization_id, template_id, published_at);
alter table click.publication enable row level security;
alter table click.publication force row level security;
create policy org_isolation on click.publication
    using (organization_id = nullif(current_setting('app.org_id', true), '')::uuid)
    with check (organization_id = nullif(current_setting('app.org_id', true), '')::uuid);
grant select, insert on click.publication to assent_click;
create table "click".inbox (
      consumer text not null,
      event_id uuid not null,
      received_at timestamptz not null default now(),
      primary key (consumer, event_id)
    );
create index inbox_received on "click".inbox (received_at);
comment on table "click".inbox is 'No organization: holds ids of events only, none of their content';
create table "click".dead_event (
      consumer text not null,
      event_id text not null,
      subject text not null,
      data text not null,
      error text not null,
      deliveries integer not null,
      died_at timestamptz not null default now(),
      primary key (consumer, event_id)
    );
comment on table "click".dead_event is
      'No organization: for operators only; an event may be dead because its organization cannot be read';
grant usage on schema "click" to "assent_click";
grant select, insert, delete on "click".inbox, "click".dead_event to "assent_click";
grant select (decision) on click.acceptance to assent_click_recorder;
grant select (page_facts) on click.session to assent_click_recorder;
create policy recorder_all on click.consent_head to assent_click_recorder using (true) with check (true);
grant select, insert, update (revision, clock) on click.consent_head to assent_click_recorder;
create policy recorder_insert on click.consent_event for insert to assent_click_recorder with check (true);
grant insert on click.consent_event to assent_click_recorder;
create policy recorder_insert on click.consent_deadline for insert to assent_click_recorder with check (true);
grant insert on click.consent_deadline to assent_click_recorder;
create policy sweeper_all on click.session_deadline to assent_click_sweeper using (true) with check (true);
grant select, delete, update (expires_at) on click.session_deadline to assent_click_sweeper;
create policy sweeper_all on click.consent_deadline to assent_click_sweeper using (true) with check (true);
grant select, delete, update (expires_at) on click.consent_deadline to assent_click_sweeper;
create policy sweeper_reads on click.session for select to assent_click_sweeper using (true);
create policy sweeper_expires on click.session for update to assent_click_sweeper using (true) with check (true);
grant select (organization_id, id, template_id, version_id, revision, status, expires_at)
    on click.session to assent_click_sweeper;
grant update (status, outcome, updated_at) on click.session to assent_click_sweeper;
create policy sweeper_all on click.consent_head to assent_click_sweeper using (true) with check (true);
grant select, update (clock) on click.consent_head to assent_click_sweeper;
create policy sweeper_reads on click.consent_event for select to assent_click_sweeper using (true);
grant select (organization_id, user_ref, revision, event_id, purpose, recorded_at, template_id, version_id,
      template_revision, expires_at)
    on click.consent_event to assent_click_sweeper;
create policy sweeper_insert on click.outbox for insert to assent_click_sweeper with check (true);
grant insert on click.outbox to assent_click_sweeper;
create table click.shown (
    organization_id uuid not null,
    hash bytea not null,
    content bytea not null,
    stored_at timestamptz not null default now(),
    primary key (organization_id, hash),
    check (hash = sha256(content))
  );
comment on table click.shown is
    'What was shown besides the text itself, stored once per content before anybody sees it: rendered HTML, the words around it, and snapshots of deployments. Nobody may change or delete it.';
alter table click.shown enable row level security;
alter table click.shown force row level security;
create policy org_isolation on click.shown
    using (organization_id = nullif(current_setting('app.org_id', true), '')::uuid)
    with check (organization_id = nullif(current_setting('app.org_id', true), '')::uuid);
grant select, insert on click.shown to assent_click;
alter table click.session
    add column deployment_id uuid,
    add column deployment_hash text,
    add column render_hash text,
    add column words_hash text,
    add column data text,
    add check ((deployment_id is null) = (deployment_hash is null)),
    add check ((render_hash is null) = (words_hash is null));
comment on column click.session.render_hash is
    'What the session shows, in click.shown; like words_hash and deployment_hash as sha256:<hex>. Null for sessions that are older than renderings.';
comment on column click.session.data is 'JSON: the merge values of a GENERATED template';
grant update (presented_at) on click.session to assent_click;
grant select (deployment_id, deployment_hash, render_hash, words_hash)
    on click.session to assent_click_recorder;
create table click.render_key (
    generation integer primary key,
    kid text not null unique,
    public_key bytea not null check (octet_length(public_key) = 32),
    private_key bytea not null,
    signs_from timestamptz not null,
    created_at timestamptz not null
  );
comment on table click.render_key is
    'The service''s own keys for render tokens, of no organization. The primary key lets one of several processes that make the next generation at once win. private_key is iv, tag and ciphertext of AES-256-GCM with the kid as associated data. Rows stay: whoever checks old evidence needs the public key.';
grant select, insert on click.render_key to assent_click;
create table click.stat_hour (
    organization_id uuid not null,
    template_id uuid not null,
    hour timestamptz not null,
    version_id uuid not null,
    revision integer not null,
    sessions_created bigint not null default 0,
    sessions_presented bigint not null default 0,
    sessions_accepted bigint not null default 0,
    sessions_completed bigint not null default 0,
    sessions_declined bigint not null default 0,
    sessions_expired bigint not null default 0,
    sessions_cancelled bigint not null default 0,
    sessions_unanswered bigint not null default 0,
    accepted_direct bigint not null default 0,
    accepted_with_session bigint not null default 0,
    declines bigint not null default 0,
    withdrawals bigint not null default 0,
    renders bigint not null default 0,
    first_accepted_at timestamptz,
    last_accepted_at timestamptz,
    primary key (organization_id, template_id, hour, version_id, revision)
  ) with (fillfactor = 70);
comment on table click.stat_hour is
    'What happened in an hour, by the events of the service. Its texts have their locale and label in click.agreement_text. A change of consent without a known text has the version 0.';
create table click.stat_accept_time (
    organization_id uuid not null,
    template_id uuid not null,
    hour timestamptz not null,
    version_id uuid not null,
    revision integer not null,
    bucket smallint not null,
    acceptances bigint not null default 0,
    primary key (organization_id, template_id, hour, version_id, revision, bucket)
  ) with (fillfactor = 70);
comment on table click.stat_accept_time is
    'How long it took from the first display of a text to its acceptance: eight buckets for each doubling of the time.';
create table click.stat_purpose (
    organization_id uuid not null,
    template_id uuid not null,
    hour timestamptz not null,
    version_id uuid not null,
    revision integer not null,
    purpose text not null,
    granted bigint not null default 0,
    denied bigint not null default 0,
    withdrawn bigint not null default 0,
    primary key (organization_id, template_id, hour, version_id, revision, purpose)
  ) with (fillfactor = 70);
create table click.stat_user (
    organization_id uuid not null,
    template_id uuid not null,
    user_key bytea not null,
    days text not null,
    last_accepted_at timestamptz not null,
    last_version_id uuid not null,
    last_revision integer not null,
    primary key (organization_id, template_id, user_key)
  ) with (fillfactor = 90);
comment on table click.stat_user is
    'One row per user, by a keyed hash of the user reference: on which days which versions were accepted, and what was last. Locked by whoever counts an acceptance of the user, so that stat_reach and stat_holder always agree with it.';
create table click.stat_reach (
    organization_id uuid not null,
    template_id uuid not null,
    scope text not null,
    day date not null,
    previous_day date not null,
    users bigint not null default 0,
    primary key (organization_id, template_id, scope, day, previous_day)
  ) with (fillfactor = 70);
comment on table click.stat_reach is
    'How many users accepted on a day and before that last on previous_day (0001-01-01: never). Whoever accepted between two days is in exactly one row whose day is within and whose previous_day is before: so the users of any period are a sum, without looking at users. scope: empty for the template, v:<version> or l:<locale>.';
create table click.stat_holder (
    organization_id uuid not null,
    template_id uuid not null,
    version_id uuid not null,
    revision integer not null,
    day date not null,
    users bigint not null default 0,
    primary key (organization_id, template_id, version_id, revision, day)
  ) with (fillfactor = 70);
comment on table click.stat_holder is 'How many users accepted this revision on this day and nothing since.';
create table click.stat_reused_session (
    organization_id uuid not null,
    session_id uuid not null,
    primary key (organization_id, session_id)
  );
comment on table click.stat_reused_session is
    'Sessions that take many acceptances and were counted as accepted, which each is once.';
alter table click.stat_hour enable row level security;
alter table click.stat_hour force row level security;
create policy org_isolation on click.stat_hour
    using (organization_id = nullif(current_setting('app.org_id', true), '')::uuid)
    with check (organization_id = nullif(current_setting('app.org_id', true), '')::uuid);
grant select, insert, update on click.stat_hour to assent_click;
alter table click.stat_accept_time enable row level security;
alter table click.stat_accept_time force row level security;
create policy org_isolation on click.stat_accept_time
    using (organization_id = nullif(current_setting('app.org_id', true), '')::uuid)
    with check (organization_id = nullif(current_setting('app.org_id', true), '')::uuid);
grant select, insert, update on click.stat_accept_time to assent_click;
alter table click.stat_purpose enable row level security;
alter table click.stat_purpose force row level security;
create policy org_isolation on click.stat_purpose
    using (organization_id = nullif(current_setting('app.org_id', true), '')::uuid)
    with check (organization_id = nullif(current_setting('app.org_id', true), '')::uuid);
grant select, insert, update on click.stat_purpose to assent_click;
alter table click.stat_user enable row level security;
alter table click.stat_user force row level security;
create policy org_isolation on click.stat_user
    using (organization_id = nullif(current_setting('app.org_id', true), '')::uuid)
    with check (organization_id = nullif(current_setting('app.org_id', true), '')::uuid);
grant select, insert, update on click.stat_user to assent_click;
alter table click.stat_reach enable row level security;
alter table click.stat_reach force row level security;
create policy org_isolation on click.stat_reach
    using (organization_id = nullif(current_setting('app.org_id', true), '')::uuid)
    with check (organization_id = nullif(current_setting('app.org_id', true), '')::uuid);
grant select, insert, update on click.stat_reach to assent_click;
alter table click.stat_holder enable row level security;
alter table click.stat_holder force row level security;
create policy org_isolation on click.stat_holder
    using (organization_id = nullif(current_setting('app.org_id', true), '')::uuid)
    with check (organization_id = nullif(current_setting('app.org_id', true), '')::uuid);
grant select, insert, update on click.stat_holder to assent_click;
alter table click.stat_reused_session enable row level security;
alter table click.stat_reused_session force row level security;
create policy org_isolation on click.stat_reused_session
    using (organization_id = nullif(current_setting('app.org_id', true), '')::uuid)
    with check (organization_id = nullif(current_setting('app.org_id', true), '')::uuid);
grant select, insert, update on click.stat_reused_session to assent_click;
alter table click.acceptance no force row level security;
alter table click.session no force row level security;
alter table click.consent_event no force row level security;
do $do$
  begin
    if exists (select from click.acceptance) or exists (select from click.session) or exists (select from click.consent_event) then
      raise exception 'the records of this database are from before the evidence log and cannot be carried over'
        using hint = 'Start with an empty database; with npm start, set ASSENT_HOME to a new folder or remove .assent.';
    end if;
  end
  $do$;
alter table click.acceptance force row level security;
alter table click.session force row level security;
alter table click.consent_event force row level security;
do $role$
begin
  for attempt in 1 .. 20 loop
    begin
      if not exists (select from pg_catalog.pg_roles where rolname = 'assent_click_integrator') then
        create role "assent_click_integrator" nologin;
      end if;
      if not pg_catalog.pg_has_role(current_user, 'assent_click_integrator', 'set') then
        grant "assent_click_integrator" to current_user with inherit false, set true;
      end if;
      return;
    exception
      -- Both are what the loser of the race sees; internal_error is "tuple concurrently updated".
      when duplicate_object or unique_violation or internal_error then
        perform pg_catalog.pg_sleep(0.01 * attempt);
    end;
  end loop;
  raise exception 'the role % could not be created', 'assent_click_integrator';
end
$role$;
grant usage on schema click to assent_click_integrator;
do $role$
begin
  for attempt in 1 .. 20 loop
    begin
      if not exists (select from pg_catalog.pg_roles where rolname = 'assent_click_eraser') then
        create role "assent_click_eraser" nologin;
      end if;
      if not pg_catalog.pg_has_role(current_user, 'assent_click_eraser', 'set') then
        grant "assent_click_eraser" to current_user with inherit false, set true;
      end if;
      return;
    exception
      -- Both are what the loser of the race sees; internal_error is "tuple concurrently updated".
      when duplicate_object or unique_violation or internal_error then
        perform pg_catalog.pg_sleep(0.01 * attempt);
    end;
  end loop;
  raise exception 'the role % could not be created', 'assent_click_eraser';
end
$role$;
grant usage on schema click to assent_click_eraser;
create table click.signing_key (
    purpose text not null check (purpose in ('render', 'receipt', 'log')),
    generation integer not null,
    kid text not null unique,
    public_key bytea not null check (octet_length(public_key) = 32),
    private_key bytea not null,
    signs_from timestamptz not null,
    revoked_at timestamptz,
    created_at timestamptz not null,
    primary key (purpose, generation)
  );
comment on table click.signing_key is
    'The service''s own Ed25519 keys, of no organization: for render tokens, receipts (and all leaves of the log), and checkpoints. The primary key lets one of several processes that make the next generation at once win. private_key is iv, tag and ciphertext of AES-256-GCM with the kid as associated data. Rows stay: whoever checks old evidence needs the public key. revoked_at: signatures are not to be trusted from then on.';
insert into click.signing_key (purpose, generation, kid, public_key, private_key, signs_from, created_at)
   select 'render', generation, kid, public_key, private_key, signs_from, created_at from click.render_key;
drop table click.render_key;
grant select, insert, update (revoked_at) on click.signing_key to assent_click;
create table click.subject_key (
    organization_id uuid not null,
    record_id uuid not null,
    seed bytea not null check (octet_length(seed) in (32, 60)),
    restricted_until timestamptz,
    primary key (organization_id, record_id),
    check ((octet_length(seed) = 60) = (restricted_until is not null))
  );
comment on table click.subject_key is
    'What the data key of each record about a person is derived from, one fresh seed per record. Deleting the rows of a person makes what is sealed unreadable in this database, its replicas and every backup that leaves this table out. restricted_until: the seed is encrypted under the hold key and opened for administrators only, until it is deleted at that time.';
create index subject_key_due on click.subject_key (restricted_until) where restricted_until is not null;
alter table click.subject_key enable row level security;
alter table click.subject_key force row level security;
create policy org_isolation on click.subject_key
    using (organization_id = nullif(current_setting('app.org_id', true), '')::uuid)
    with check (organization_id = nullif(current_setting('app.org_id', true), '')::uuid);
grant select, insert on click.subject_key to assent_click;
create table click.log_head (
    organization_id uuid primary key,
    size bigint not null check (size > 0)
  ) with (fillfactor = 50);
comment on table click.log_head is
    'How many leaves the log of an organization has. The row is locked from the moment indexes are taken until they are committed, so the order of indexes is the order of commits and there are no gaps. Locked last, after sessions, keys and heads of consent.';
alter table click.log_head enable row level security;
alter table click.log_head force row level security;
create policy org_isolation on click.log_head
    using (organization_id = nullif(current_setting('app.org_id', true), '')::uuid)
    with check (organization_id = nullif(current_setting('app.org_id', true), '')::uuid);
grant select, insert, update (size) on click.log_head to assent_click;
create table click.log_leaf (
    organization_id uuid not null,
    leaf_index bigint not null,
    record_id uuid not null,
    leaf_hash bytea not null check (octet_length(leaf_hash) = 32),
    signed_by integer,
    signature bytea check (octet_length(signature) = 64),
    leaf bytea not null,
    primary key (organization_id, leaf_index)
  ) with (toast_tuple_target = 8160);
comment on table click.log_leaf is
    'The leaves of each organization''s log: canonical JSON without personal data, exactly as signed. leaf_hash is SHA-256(0x00 || leaf) (RFC 6962). signed_by is the generation of the receipt key. Leaves of the anchor log (organization 00000000-0000-0000-0000-000000000000) are not signed one by one. Rows are never changed or deleted.';
create unique index log_leaf_record on click.log_leaf (organization_id, record_id);
alter table click.log_leaf enable row level security;
alter table click.log_leaf force row level security;
create policy org_isolation on click.log_leaf
    using (organization_id = nullif(current_setting('app.org_id', true), '')::uuid)
    with check (organization_id = nullif(current_setting('app.org_id', true), '')::uuid);
grant select, insert on click.log_leaf to assent_click;
create table click.log_tree (
    organization_id uuid primary key,
    size bigint not null,
    frontier bytea not null,
    root bytea not null check (octet_length(root) = 32),
    anchored_size bigint not null default 0,
    updated_at timestamptz not null
  ) with (fillfactor = 70);
comment on table click.log_tree is
    'How far the tree of a log is built: the hashes of its complete subtrees from left to right (frontier, 32 bytes each), and its root. anchored_size: the last size that the anchor log holds.';
create table click.log_tile (
    organization_id uuid not null,
    level smallint not null,
    tile bigint not null,
    hashes bytea not null check (octet_length(hashes) between 32 and 8192 and octet_length(hashes) % 32 = 0),
    primary key (organization_id, level, tile)
  );
comment on table click.log_tile is
    'Up to 256 neighbouring hashes of the tree at height 8 * level (C2SP tlog-tiles). A full tile never changes.';
alter table click.log_tile alter column hashes set storage external;
create table click.log_checkpoint (
    organization_id uuid not null,
    size bigint not null,
    root bytea not null check (octet_length(root) = 32),
    note text not null,
    created_at timestamptz not null,
    primary key (organization_id, size)
  );
comment on table click.log_checkpoint is
    'Every checkpoint that was ever published (C2SP tlog-checkpoint, signed note). One root per size, for ever.';
alter table click.log_tree enable row level security;
alter table click.log_tree force row level security;
create policy org_isolation on click.log_tree
    using (organization_id = nullif(current_setting('app.org_id', true), '')::uuid)
    with check (organization_id = nullif(current_setting('app.org_id', true), '')::uuid);
grant select on click.log_tree to assent_click;
create policy anchor_log on click.log_tree for select to assent_click using (organization_id = '00000000-0000-0000-0000-000000000000');
alter table click.log_tile enable row level security;
alter table click.log_tile force row level security;
create policy org_isolation on click.log_tile
    using (organization_id = nullif(current_setting('app.org_id', true), '')::uuid)
    with check (organization_id = nullif(current_setting('app.org_id', true), '')::uuid);
grant select on click.log_tile to assent_click;
create policy anchor_log on click.log_tile for select to assent_click using (organization_id = '00000000-0000-0000-0000-000000000000');
alter table click.log_checkpoint enable row level security;
alter table click.log_checkpoint force row level security;
create policy org_isolation on click.log_checkpoint
    using (organization_id = nullif(current_setting('app.org_id', true), '')::uuid)
    with check (organization_id = nullif(current_setting('app.org_id', true), '')::uuid);
grant select on click.log_checkpoint to assent_click;
create policy anchor_log on click.log_checkpoint for select to assent_click using (organization_id = '00000000-0000-0000-0000-000000000000');
create table click.anchor (
    organization_id uuid not null,
    checkpoint_size bigint not null,
    anchor_index bigint not null,
    primary key (organization_id, checkpoint_size)
  );
comment on table click.anchor is
    'Where the anchor log holds a checkpoint: its leaf is the SHA-256 of the note. A fact about one organization; the anchor log itself tells nobody whose its leaves are.';
create unique index anchor_index on click.anchor (anchor_index);
alter table click.anchor enable row level security;
alter table click.anchor force row level security;
create policy org_isolation on click.anchor
    using (organization_id = nullif(current_setting('app.org_id', true), '')::uuid)
    with check (organization_id = nullif(current_setting('app.org_id', true), '')::uuid);
grant select on click.anchor to assent_click;
create table click.anchor_timestamp (
    anchor_size bigint primary key,
    token bytea not null,
    tsa_name text not null,
    stamped_at timestamptz not null,
    created_at timestamptz not null
  );
comment on table click.anchor_timestamp is
    'RFC 3161 time-stamp tokens over checkpoints of the anchor log, which is no organization''s. stamped_at is the time that the authority asserts.';
grant select on click.anchor_timestamp to assent_click;
drop index click.acceptance_user;
alter table click.acceptance
    drop column user_ref,
    drop column receipt,
    drop column evidence,
    add column subject_index bytea check (octet_length(subject_index) = 16),
    add column sealed bytea,
    add column erased_at timestamptz;
comment on column click.acceptance.subject_index is
    'Keyed hash of the user reference; null after erasure.';
comment on column click.acceptance.sealed is
    'Receipt, disclosures and evidence: iv, tag and ciphertext of AES-256-GCM under the key of the record (subject_key). Null after erasure, and for a row that only keeps the key of a change of consent.';
create index acceptance_subject on click.acceptance (organization_id, subject_index, accepted_at);
alter table click.session
    drop column user_ref,
    drop column metadata,
    drop column return_url,
    drop column context,
    drop column data,
    drop column reason,
    add column subject_index bytea check (octet_length(subject_index) = 16),
    add column sealed bytea,
    add column sealed_reason bytea,
    add column erased_at timestamptz,
    drop constraint session_check1,
    add check (render_hash is null or words_hash is not null);
comment on column click.session.sealed is
    'User reference, metadata, return address, context and merge values, under the key of the session (subject_key). Null after erasure. sealed_reason: why it was closed, and the disclosures of the leaf of its completion.';
create index session_subject on click.session (organization_id, subject_index) where subject_index is not null;
grant update (sealed_reason) on click.session to assent_click;
alter table click.session_event drop column target, add column sealed_target bytea;
comment on column click.session_event.sealed_target is 'What it happened to, under the key of the session (subject_key).';
create table click.sealed_rendering (
    organization_id uuid not null,
    record_id uuid not null,
    sealed bytea not null,
    stored_at timestamptz not null default now(),
    primary key (organization_id, record_id)
  );
comment on table click.sealed_rendering is
    'The HTML of a GENERATED text with somebody''s merge values, under the key of its session, or of its acceptance when there is no session. What has no subject_key can never be read again.';
alter table click.sealed_rendering alter column sealed set storage external;
alter table click.sealed_rendering enable row level security;
alter table click.sealed_rendering force row level security;
create policy org_isolation on click.sealed_rendering
    using (organization_id = nullif(current_setting('app.org_id', true), '')::uuid)
    with check (organization_id = nullif(current_setting('app.org_id', true), '')::uuid);
grant select, insert on click.sealed_rendering to assent_click;
truncate click.consent_head, click.consent_deadline;
alter table click.consent_head
    drop column user_ref,
    add column subject_index bytea not null check (octet_length(subject_index) = 16),
    add primary key (organization_id, subject_index);
alter table click.consent_event
    drop column user_ref,
    drop column receipt,
    drop column evidence,
    drop column reason,
    drop column actor_id,
    add column subject_index bytea not null check (octet_length(subject_index) = 16),
    add column sealed bytea,
    add column erased_at timestamptz,
    add primary key (organization_id, subject_index, revision),
    add check (erased_at is not null or (sealed is null) = (update_id is null));
create unique index consent_event_receipt on click.consent_event (organization_id, receipt_id)
    where update_id is not null;
create index consent_event_update on click.consent_event (organization_id, update_id) where update_id is not null;
comment on table click.consent_event is
    'Every change of consent; an erasure takes away whose it was, nothing else ever changes. The state of a purpose is its last row: each row carries on what it leaves as it was. That a grant runs out is computed from expires_at. update_id is null for a change that an acceptance made: receipt_id is that of the acceptance, which also holds everything personal.';
comment on column click.consent_event.subject_index is
    'Keyed hash of the user reference; a random value after erasure, so that the changes of one person stay in their order.';
comment on column click.consent_event.sealed is
    'Receipt and disclosures of a change that was no acceptance, under the key of the change (subject_key, record receipt_id). Null after erasure.';
alter table click.consent_deadline
    drop column user_ref,
    add column subject_index bytea not null check (octet_length(subject_index) = 16),
    add column user_key bytea not null check (octet_length(user_key) = 16),
    add primary key (organization_id, subject_index, revision);
comment on column click.consent_deadline.user_key is
    'What events name the user by: the sweeper cannot compute it.';
grant select (subject_index) on click.consent_event to assent_click_sweeper;
create policy recorder_insert on click.subject_key for insert to assent_click_recorder with check (true);
create policy recorder_lookup on click.subject_key for select to assent_click_recorder using (true);
grant select, insert on click.subject_key to assent_click_recorder;
create policy recorder_insert on click.log_leaf for insert to assent_click_recorder with check (true);
create policy recorder_lookup on click.log_leaf for select to assent_click_recorder using (true);
grant select, insert on click.log_leaf to assent_click_recorder;
create policy recorder_all on click.log_head to assent_click_recorder using (true) with check (true);
grant select, insert, update (size) on click.log_head to assent_click_recorder;
grant select (accepted_at, subject_index, sealed, erased_at) on click.acceptance to assent_click_recorder;
grant select (subject_index, sealed, sealed_reason, erased_at) on click.session to assent_click_recorder;
grant update (subject_index, sealed_reason) on click.session to assent_click_recorder;
create policy integrator_reads on click.log_head for select to assent_click_integrator using (true);
create policy integrator_reads on click.log_leaf for select to assent_click_integrator using (true);
create policy integrator_reads on click.log_tree for select to assent_click_integrator using (true);
create policy integrator_reads on click.log_tile for select to assent_click_integrator using (true);
create policy integrator_reads on click.log_checkpoint for select to assent_click_integrator using (true);
create policy integrator_reads on click.anchor for select to assent_click_integrator using (true);
create policy integrator_adds on click.log_tree for insert to assent_click_integrator with check (true);
create policy integrator_adds on click.log_tile for insert to assent_click_integrator with check (true);
create policy integrator_adds on click.log_checkpoint for insert to assent_click_integrator with check (true);
create policy integrator_adds on click.anchor for insert to assent_click_integrator with check (true);
create policy integrator_changes on click.log_tree for update to assent_click_integrator using (true) with check (true);
create policy integrator_changes on click.log_tile for update to assent_click_integrator using (true) with check (true);
create policy integrator_anchors on click.log_leaf for insert to assent_click_integrator
    with check (organization_id = '00000000-0000-0000-0000-000000000000');
create policy integrator_anchors on click.log_head for insert to assent_click_integrator
    with check (organization_id = '00000000-0000-0000-0000-000000000000');
create policy integrator_counts on click.log_head for update to assent_click_integrator
    using (organization_id = '00000000-0000-0000-0000-000000000000') with check (organization_id = '00000000-0000-0000-0000-000000000000');
grant select, insert on click.log_leaf, click.log_checkpoint, click.anchor to assent_click_integrator;
grant select, insert, update (size) on click.log_head to assent_click_integrator;
grant select, insert, update (size, frontier, root, anchored_size, updated_at)
    on click.log_tree to assent_click_integrator;
grant select, insert, update (hashes) on click.log_tile to assent_click_integrator;
grant select, insert on click.anchor_timestamp to assent_click_integrator;
create policy integrator_insert on click.outbox for insert to assent_click_integrator with check (true);
grant insert on click.outbox to assent_click_integrator;
create table click.erasure (
    organization_id uuid not null,
    id uuid not null,
    outcome text not null,
    client_id text not null,
    request_id text not null,
    requested_at timestamptz not null,
    primary key (organization_id, id)
  );
comment on table click.erasure is
    'What was erased, restricted and kept on somebody''s request; names records, not the person. outcome is JSON.';
alter table click.erasure enable row level security;
alter table click.erasure force row level security;
create policy org_isolation on click.erasure
    using (organization_id = nullif(current_setting('app.org_id', true), '')::uuid)
    with check (organization_id = nullif(current_setting('app.org_id', true), '')::uuid);
grant select on click.erasure to assent_click;
create table click.restricted_access (
    organization_id uuid not null,
    id uuid not null,
    session_id uuid not null,
    reason text not null,
    client_id text not null,
    request_id text not null,
    accessed_at timestamptz not null,
    primary key (organization_id, id)
  );
comment on table click.restricted_access is
    'Who opened restricted records, when and why (GDPR art. 18). reason is the administrator''s own text.';
alter table click.restricted_access enable row level security;
alter table click.restricted_access force row level security;
create policy org_isolation on click.restricted_access
    using (organization_id = nullif(current_setting('app.org_id', true), '')::uuid)
    with check (organization_id = nullif(current_setting('app.org_id', true), '')::uuid);
grant select, insert on click.restricted_access to assent_click;
grant insert, select on click.erasure to assent_click_eraser;
grant select, delete, update (seed, restricted_until) on click.subject_key to assent_click_eraser;
grant select, update (subject_index, sealed, once_hash, erased_at) on click.acceptance to assent_click_eraser;
grant select, update (subject_index, sealed, sealed_reason, erased_at, status, outcome, updated_at, page_facts, render_hash)
    on click.session to assent_click_eraser;
grant select, delete on click.sealed_rendering, click.session_event, click.session_deadline to assent_click_eraser;
grant select, update (subject_index, sealed, erased_at) on click.consent_event to assent_click_eraser;
grant select, delete, update (clock) on click.consent_head to assent_click_eraser;
grant select, delete, update (expires_at) on click.consent_deadline to assent_click_eraser;
grant select on click.template_terms to assent_click_eraser;
grant select, insert, update (size) on click.log_head to assent_click_eraser;
grant select, insert on click.log_leaf to assent_click_eraser;
grant insert on click.outbox to assent_click_eraser;
grant select, delete, insert, update on click.stat_user to assent_click_eraser;
create policy eraser_due on click.subject_key for select to assent_click_eraser using (restricted_until is not null);
create table "click".relay_cursor (
      name text primary key,
      position bigint not null,
      gaps jsonb not null,
      published_at timestamptz not null
    );
comment on table "click".relay_cursor is 'No organization: one row for the whole service';
alter table "click".outbox no force row level security;
insert into "click".relay_cursor (name, position, gaps, published_at)
     select 'outbox', coalesce(min(position) filter (where published_at is null) - 1, max(position)), '[]', now()
     from "click".outbox having count(*) > 0;
drop index "click".outbox_unpublished, "click".outbox_published;
alter table "click".outbox drop constraint outbox_pkey, drop column published_at,
       add primary key (position, organization_id);
alter table "click".outbox force row level security;
comment on table "click".outbox is 'Events, in the order in which they are published; kept for 7 days. One index, at whose end every row is added: the hot path pays for each further one.';
grant select, insert, update on "click".relay_cursor to "assent_click_relay";
-- docgen
create schema docgen;
create table docgen.migration (id serial primary key, name varchar(255), executed_at timestamptz default current_timestamp);
do $role$
begin
  for attempt in 1 .. 20 loop
    begin
      if not exists (select from pg_catalog.pg_roles where rolname = 'assent_docgen') then
        create role "assent_docgen" nologin;
      end if;
      if not pg_catalog.pg_has_role(current_user, 'assent_docgen', 'set') then
        grant "assent_docgen" to current_user with inherit false, set true;
      end if;
      return;
    exception
      -- Both are what the loser of the race sees; internal_error is "tuple concurrently updated".
      when duplicate_object or unique_violation or internal_error then
        perform pg_catalog.pg_sleep(0.01 * attempt);
    end;
  end loop;
  raise exception 'the role % could not be created', 'assent_docgen';
end
$role$;
do $role$
begin
  for attempt in 1 .. 20 loop
    begin
      if not exists (select from pg_catalog.pg_roles where rolname = 'assent_docgen_claimer') then
        create role "assent_docgen_claimer" nologin;
      end if;
      if not pg_catalog.pg_has_role(current_user, 'assent_docgen_claimer', 'set') then
        grant "assent_docgen_claimer" to current_user with inherit false, set true;
      end if;
      return;
    exception
      -- Both are what the loser of the race sees; internal_error is "tuple concurrently updated".
      when duplicate_object or unique_violation or internal_error then
        perform pg_catalog.pg_sleep(0.01 * attempt);
    end;
  end loop;
  raise exception 'the role % could not be created', 'assent_docgen_claimer';
end
$role$;
do $role$
begin
  for attempt in 1 .. 20 loop
    begin
      if not exists (select from pg_catalog.pg_roles where rolname = 'assent_docgen_relay') then
        create role "assent_docgen_relay" nologin;
      end if;
      if not pg_catalog.pg_has_role(current_user, 'assent_docgen_relay', 'set') then
        grant "assent_docgen_relay" to current_user with inherit false, set true;
      end if;
      return;
    exception
      -- Both are what the loser of the race sees; internal_error is "tuple concurrently updated".
      when duplicate_object or unique_violation or internal_error then
        perform pg_catalog.pg_sleep(0.01 * attempt);
    end;
  end loop;
  raise exception 'the role % could not be created', 'assent_docgen_relay';
end
$role$;
create table "docgen".outbox (
      organization_id uuid not null,
      event_id uuid not null,
      position bigint generated by default as identity,
      subject text not null,
      data text not null,
      created_at timestamptz not null default now(),
      published_at timestamptz,
      primary key (organization_id, event_id)
    );
create index outbox_unpublished on "docgen".outbox (position) where published_at is null;
create index outbox_published on "docgen".outbox (published_at) where published_at is not null;
alter table "docgen".outbox set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.05);
alter table "docgen".outbox enable row level security;
alter table "docgen".outbox force row level security;
create policy org_isolation on "docgen".outbox
    using (organization_id = nullif(current_setting('app.org_id', true), '')::uuid)
    with check (organization_id = nullif(current_setting('app.org_id', true), '')::uuid);
create policy relay_all on "docgen".outbox to "assent_docgen_relay" using (true) with check (true);
create table "docgen".relay_lease (
      name text primary key,
      holder uuid not null,
      expires_at timestamptz not null
    );
comment on table "docgen".relay_lease is 'No organization: one row for the whole service';
create table "docgen".relay_state (
      name text primary key,
      store_id text not null
    );
comment on table "docgen".relay_state is 'No organization: one row for the whole service';
grant usage on schema "docgen" to "assent_docgen", "assent_docgen_relay";
grant insert on "docgen".outbox to "assent_docgen";
grant select, delete, update (published_at) on "docgen".outbox to "assent_docgen_relay";
grant select, insert, update, delete on "docgen".relay_lease, "docgen".relay_state to "assent_docgen_relay";
create table "docgen".relay_cursor (
      name text primary key,
      position bigint not null,
      gaps jsonb not null,
      published_at timestamptz not null
    );
comment on table "docgen".relay_cursor is 'No organization: one row for the whole service';
alter table "docgen".outbox no force row level security;
insert into "docgen".relay_cursor (name, position, gaps, published_at)
     select 'outbox', coalesce(min(position) filter (where published_at is null) - 1, max(position)), '[]', now()
     from "docgen".outbox having count(*) > 0;
drop index "docgen".outbox_unpublished, "docgen".outbox_published;
alter table "docgen".outbox drop constraint outbox_pkey, drop column published_at,
       add primary key (position, organization_id);
alter table "docgen".outbox force row level security;
comment on table "docgen".outbox is 'Events, in the order in which they are published; kept for 7 days. One index, at whose end every row is added: the hot path pays for each further one.';
grant select, insert, update on "docgen".relay_cursor to "assent_docgen_relay";
create table "docgen".blob (
      organization_id uuid not null,
      sha256 bytea not null check (sha256 = sha256(bytes)),
      bytes bytea not null,
      created_at timestamptz(3) not null default now(),
      primary key (organization_id, sha256)
    );
alter table "docgen".blob alter column bytes set storage external;
create table "docgen".blob_reference (
      organization_id uuid not null,
      owner_id uuid not null,
      sha256 bytea not null,
      created_at timestamptz(3) not null default now(),
      primary key (organization_id, owner_id),
      foreign key (organization_id, sha256) references "docgen".blob (organization_id, sha256)
    );
create index blob_reference_by_hash on "docgen".blob_reference (organization_id, sha256);
alter table "docgen".blob enable row level security;
alter table "docgen".blob force row level security;
create policy org_isolation on "docgen".blob
    using (organization_id = nullif(current_setting('app.org_id', true), '')::uuid)
    with check (organization_id = nullif(current_setting('app.org_id', true), '')::uuid);
alter table "docgen".blob_reference enable row level security;
alter table "docgen".blob_reference force row level security;
create policy org_isolation on "docgen".blob_reference
    using (organization_id = nullif(current_setting('app.org_id', true), '')::uuid)
    with check (organization_id = nullif(current_setting('app.org_id', true), '')::uuid);
grant select, insert, update, delete on "docgen".blob, "docgen".blob_reference to "assent_docgen";
create table docgen.template (
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
  );
create unique index template_slug_key on docgen.template (organization_id, slug) where deleted_at is null;
create index template_newest on docgen.template (organization_id, created_at desc, id desc)
    where deleted_at is null;
create table docgen.template_version (
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
  );
create table docgen.asset (
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
  );
comment on column docgen.asset.sha256 is 'of the blob whose owner is the asset';
create index asset_newest on docgen.asset (organization_id, created_at desc, id desc);
create table docgen.batch (
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
  );
comment on column docgen.batch.cancelled_at is 'when the items that waited were cancelled; the batch ends with the last one that was being rendered';
create table docgen.document (
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
  );
comment on column docgen.document.source is 'What is to be rendered, the data included. It is removed when the document ends: of people nothing stays but what stands in the document.';
comment on column docgen.document.slot is 'null for items of a batch, whose slot is that of the batch';
create index document_newest on docgen.document (organization_id, created_at desc, id desc)
    where deleted_at is null;
create index document_waiting on docgen.document (organization_id, (batch_id is not null), created_at, id)
    where status = 'queued';
create index document_claimed on docgen.document (organization_id, claimed_until) where status = 'rendering';
create index document_expiring on docgen.document (organization_id, expires_at)
    where status = 'completed' and expires_at is not null and deleted_at is null;
create table docgen.turn (
    organization_id uuid not null primary key,
    single_at timestamptz not null,
    batch_at timestamptz not null
  );
comment on table docgen.turn is 'Organizations with work, and when each was last served, single documents and items of batches apart: the one that waits longest is next. A row is written with the first work and stays.';
create table docgen.idempotency_key (
    organization_id uuid not null,
    key text collate "C" not null,
    operation text not null check (operation in ('document', 'batch')),
    request_hash bytea not null check (octet_length(request_hash) = 32),
    target_id uuid not null,
    created_at timestamptz(3) not null,
    primary key (organization_id, key)
  );
create table docgen.usage_window (
    organization_id uuid not null,
    seconds integer not null check (seconds in (60, 3600)),
    window_start timestamptz not null,
    used integer not null check (used >= 0),
    primary key (organization_id, seconds, window_start)
  ) with (fillfactor = 50);
comment on table docgen.usage_window is 'Slots of the plan that are taken in an hour and in a minute; windows are aligned to the epoch by the clock of the database';
alter table docgen.template enable row level security;
alter table docgen.template force row level security;
create policy org_isolation on docgen.template
    using (organization_id = nullif(current_setting('app.org_id', true), '')::uuid)
    with check (organization_id = nullif(current_setting('app.org_id', true), '')::uuid);
alter table docgen.template_version enable row level security;
alter table docgen.template_version force row level security;
create policy org_isolation on docgen.template_version
    using (organization_id = nullif(current_setting('app.org_id', true), '')::uuid)
    with check (organization_id = nullif(current_setting('app.org_id', true), '')::uuid);
alter table docgen.asset enable row level security;
alter table docgen.asset force row level security;
create policy org_isolation on docgen.asset
    using (organization_id = nullif(current_setting('app.org_id', true), '')::uuid)
    with check (organization_id = nullif(current_setting('app.org_id', true), '')::uuid);
alter table docgen.batch enable row level security;
alter table docgen.batch force row level security;
create policy org_isolation on docgen.batch
    using (organization_id = nullif(current_setting('app.org_id', true), '')::uuid)
    with check (organization_id = nullif(current_setting('app.org_id', true), '')::uuid);
alter table docgen.document enable row level security;
alter table docgen.document force row level security;
create policy org_isolation on docgen.document
    using (organization_id = nullif(current_setting('app.org_id', true), '')::uuid)
    with check (organization_id = nullif(current_setting('app.org_id', true), '')::uuid);
alter table docgen.turn enable row level security;
alter table docgen.turn force row level security;
create policy org_isolation on docgen.turn
    using (organization_id = nullif(current_setting('app.org_id', true), '')::uuid)
    with check (organization_id = nullif(current_setting('app.org_id', true), '')::uuid);
alter table docgen.idempotency_key enable row level security;
alter table docgen.idempotency_key force row level security;
create policy org_isolation on docgen.idempotency_key
    using (organization_id = nullif(current_setting('app.org_id', true), '')::uuid)
    with check (organization_id = nullif(current_setting('app.org_id', true), '')::uuid);
alter table docgen.usage_window enable row level security;
alter table docgen.usage_window force row level security;
create policy org_isolation on docgen.usage_window
    using (organization_id = nullif(current_setting('app.org_id', true), '')::uuid)
    with check (organization_id = nullif(current_setting('app.org_id', true), '')::uuid);
grant usage on schema docgen to assent_docgen;
grant select, insert, update on docgen.template, docgen.batch, docgen.document, docgen.turn to assent_docgen;
grant select, insert on docgen.template_version, docgen.idempotency_key to assent_docgen;
grant select, insert, delete on docgen.asset to assent_docgen;
grant select, insert, update, delete on docgen.usage_window to assent_docgen;
grant usage on schema docgen to assent_docgen_claimer;
create policy claimer_chooses on docgen.document to assent_docgen_claimer using (true) with check (true);
create policy claimer_turns on docgen.turn to assent_docgen_claimer using (true) with check (true);
create policy claimer_sweeps on docgen.usage_window to assent_docgen_claimer using (true);
grant select (organization_id, id, status, batch_id, claim, claimed_until, attempts, started_at, slot, created_at, expires_at, deleted_at) on docgen.document to assent_docgen_claimer;
grant update (status, claim, claimed_until, attempts, started_at, slot) on docgen.document to assent_docgen_claimer;
grant select, update (single_at, batch_at) on docgen.turn to assent_docgen_claimer;
grant select (organization_id, seconds, window_start), delete on docgen.usage_window to assent_docgen_claimer;
-- sign
create schema sign;
create table sign.migration (id serial primary key, name varchar(255), executed_at timestamptz default current_timestamp);
do $role$
begin
  for attempt in 1 .. 20 loop
    begin
      if not exists (select from pg_catalog.pg_roles where rolname = 'assent_sign') then
        create role "assent_sign" nologin;
      end if;
      if not pg_catalog.pg_has_role(current_user, 'assent_sign', 'set') then
        grant "assent_sign" to current_user with inherit false, set true;
      end if;
      return;
    exception
      -- Both are what the loser of the race sees; internal_error is "tuple concurrently updated".
      when duplicate_object or unique_violation or internal_error then
        perform pg_catalog.pg_sleep(0.01 * attempt);
    end;
  end loop;
  raise exception 'the role % could not be created', 'assent_sign';
end
$role$;
do $role$
begin
  for attempt in 1 .. 20 loop
    begin
      if not exists (select from pg_catalog.pg_roles where rolname = 'assent_sign_claimer') then
        create role "assent_sign_claimer" nologin;
      end if;
      if not pg_catalog.pg_has_role(current_user, 'assent_sign_claimer', 'set') then
        grant "assent_sign_claimer" to current_user with inherit false, set true;
      end if;
      return;
    exception
      -- Both are what the loser of the race sees; internal_error is "tuple concurrently updated".
      when duplicate_object or unique_violation or internal_error then
        perform pg_catalog.pg_sleep(0.01 * attempt);
    end;
  end loop;
  raise exception 'the role % could not be created', 'assent_sign_claimer';
end
$role$;
do $role$
begin
  for attempt in 1 .. 20 loop
    begin
      if not exists (select from pg_catalog.pg_roles where rolname = 'assent_sign_verifier') then
        create role "assent_sign_verifier" nologin;
      end if;
      if not pg_catalog.pg_has_role(current_user, 'assent_sign_verifier', 'set') then
        grant "assent_sign_verifier" to current_user with inherit false, set true;
      end if;
      return;
    exception
      -- Both are what the loser of the race sees; internal_error is "tuple concurrently updated".
      when duplicate_object or unique_violation or internal_error then
        perform pg_catalog.pg_sleep(0.01 * attempt);
    end;
  end loop;
  raise exception 'the role % could not be created', 'assent_sign_verifier';
end
$role$;
do $role$
begin
  for attempt in 1 .. 20 loop
    begin
      if not exists (select from pg_catalog.pg_roles where rolname = 'assent_sign_relay') then
        create role "assent_sign_relay" nologin;
      end if;
      if not pg_catalog.pg_has_role(current_user, 'assent_sign_relay', 'set') then
        grant "assent_sign_relay" to current_user with inherit false, set true;
      end if;
      return;
    exception
      -- Both are what the loser of the race sees; internal_error is "tuple concurrently updated".
      when duplicate_object or unique_violation or internal_error then
        perform pg_catalog.pg_sleep(0.01 * attempt);
    end;
  end loop;
  raise exception 'the role % could not be created', 'assent_sign_relay';
end
$role$;
create table "sign".outbox (
      organization_id uuid not null,
      event_id uuid not null,
      position bigint generated by default as identity,
      subject text not null,
      data text not null,
      created_at timestamptz not null default now(),
      published_at timestamptz,
      primary key (organization_id, event_id)
    );
create index outbox_unpublished on "sign".outbox (position) where published_at is null;
create index outbox_published on "sign".outbox (published_at) where published_at is not null;
alter table "sign".outbox set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.05);
alter table "sign".outbox enable row level security;
alter table "sign".outbox force row level security;
create policy org_isolation on "sign".outbox
    using (organization_id = nullif(current_setting('app.org_id', true), '')::uuid)
    with check (organization_id = nullif(current_setting('app.org_id', true), '')::uuid);
create policy relay_all on "sign".outbox to "assent_sign_relay" using (true) with check (true);
create table "sign".relay_lease (
      name text primary key,
      holder uuid not null,
      expires_at timestamptz not null
    );
comment on table "sign".relay_lease is 'No organization: one row for the whole service';
create table "sign".relay_state (
      name text primary key,
      store_id text not null
    );
comment on table "sign".relay_state is 'No organization: one row for the whole service';
grant usage on schema "sign" to "assent_sign", "assent_sign_relay";
grant insert on "sign".outbox to "assent_sign";
grant select, delete, update (published_at) on "sign".outbox to "assent_sign_relay";
grant select, insert, update, delete on "sign".relay_lease, "sign".relay_state to "assent_sign_relay";
create table "sign".relay_cursor (
      name text primary key,
      position bigint not null,
      gaps jsonb not null,
      published_at timestamptz not null
    );
comment on table "sign".relay_cursor is 'No organization: one row for the whole service';
alter table "sign".outbox no force row level security;
insert into "sign".relay_cursor (name, position, gaps, published_at)
     select 'outbox', coalesce(min(position) filter (where published_at is null) - 1, max(position)), '[]', now()
     from "sign".outbox having count(*) > 0;
drop index "sign".outbox_unpublished, "sign".outbox_published;
alter table "sign".outbox drop constraint outbox_pkey, drop column published_at,
       add primary key (position, organization_id);
alter table "sign".outbox force row level security;
comment on table "sign".outbox is 'Events, in the order in which they are published; kept for 7 days. One index, at whose end every row is added: the hot path pays for each further one.';
grant select, insert, update on "sign".relay_cursor to "assent_sign_relay";
create table "sign".blob (
      organization_id uuid not null,
      sha256 bytea not null check (sha256 = sha256(bytes)),
      bytes bytea not null,
      created_at timestamptz(3) not null default now(),
      primary key (organization_id, sha256)
    );
alter table "sign".blob alter column bytes set storage external;
create table "sign".blob_reference (
      organization_id uuid not null,
      owner_id uuid not null,
      sha256 bytea not null,
      created_at timestamptz(3) not null default now(),
      primary key (organization_id, owner_id),
      foreign key (organization_id, sha256) references "sign".blob (organization_id, sha256)
    );
create index blob_reference_by_hash on "sign".blob_reference (organization_id, sha256);
alter table "sign".blob enable row level security;
alter table "sign".blob force row level security;
create policy org_isolation on "sign".blob
    using (organization_id = nullif(current_setting('app.org_id', true), '')::uuid)
    with check (organization_id = nullif(current_setting('app.org_id', true), '')::uuid);
alter table "sign".blob_reference enable row level security;
alter table "sign".blob_reference force row level security;
create policy org_isolation on "sign".blob_reference
    using (organization_id = nullif(current_setting('app.org_id', true), '')::uuid)
    with check (organization_id = nullif(current_setting('app.org_id', true), '')::uuid);
grant select, insert, update, delete on "sign".blob, "sign".blob_reference to "assent_sign";
create table sign.agreement (
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
  );
comment on column sign.agreement.certificate_id is 'the owner of the sealed certificate of completion in the blob store';
comment on column sign.agreement.seal_level is 'what all seals of the agreement have at least reached';
comment on column sign.agreement.version is 'Counts the changes; a change is written only over the version that was read';
create index agreement_created
        on sign.agreement (organization_id, created_at desc, id desc)
        where deleted_at is null and status <> 'template';
create index agreement_status_changed
        on sign.agreement (organization_id, status_changed_at desc, id desc)
        where deleted_at is null and status <> 'template';
create index template_created
        on sign.agreement (organization_id, created_at desc, id desc)
        where deleted_at is null and status = 'template';
create index template_status_changed
        on sign.agreement (organization_id, status_changed_at desc, id desc)
        where deleted_at is null and status = 'template';
create index agreement_transaction on sign.agreement (organization_id, transaction_id)
    where transaction_id <> '' and deleted_at is null;
create index agreement_certificate on sign.agreement (certificate_sha256) where certificate_sha256 is not null;
create table sign.document (
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
  );
create index document_sealed on sign.document (sealed_sha256) where sealed_sha256 is not null;
create index document_original on sign.document (organization_id, sha256, agreement_id desc);
comment on column sign.document.id is 'also the owner of the bytes in the blob store';
comment on column sign.document.sealed_id is 'the owner of the sealed bytes in the blob store';
comment on column sign.document.document_id is 'as the integration calls it';
create table sign.recipient (
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
  );
comment on column sign.recipient.email_key is 'the address in lower case, to be found by';
create index recipient_by_email on sign.recipient (organization_id, email_key, agreement_id) where email_key <> '';
create table sign.custom_field (
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
  );
create index custom_field_by_value on sign.custom_field (organization_id, name, value, agreement_id);
create table sign.audit_event (
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
  );
create table sign.idempotency_key (
    organization_id uuid not null,
    key text collate "C" not null,
    request_hash bytea not null check (octet_length(request_hash) = 32),
    agreement_id uuid not null,
    created_at timestamptz(3) not null,
    primary key (organization_id, key)
  );
create table sign.view (
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
  );
comment on table sign.view is 'Links that let a person act; opened, one becomes a session, or makes one each time when it is reusable. Secrets are kept as SHA-256.';
comment on column sign.view.seen_at is 'when the page of the session first showed the agreement: that counts as opening, for programs follow links too';
create unique index view_session on sign.view (organization_id, session_hash) where session_hash is not null;
create index view_of_agreement on sign.view (organization_id, agreement_id);
create table sign.attachment (
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
  );
comment on table sign.attachment is 'Files that recipients have attached to tabs. The bytes are in the blob store, owned by id.';
create index attachment_of_agreement on sign.attachment (organization_id, agreement_id);
create table sign.bulk_list (
    organization_id uuid not null,
    id uuid not null,
    name text not null,
    copies jsonb not null check (jsonb_typeof(copies) = 'array'),
    copy_count integer not null check (copy_count >= 0),
    created_at timestamptz(3) not null,
    primary key (organization_id, id)
  );
create table sign.bulk_batch (
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
  );
comment on column sign.bulk_batch.copies is 'as the list had them when it was sent';
create index bulk_batch_newest on sign.bulk_batch (organization_id, submitted_at desc, id desc);
create table sign.job (
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
  );
comment on column sign.job.failed_at is 'when it was given up; it stays for people to look at';
create index job_due on sign.job (kind, run_at, created_at) where failed_at is null;
create index job_completing on sign.job (created_at) where kind = 'completion';
create table sign.subscription (
    organization_id uuid not null,
    id bigint not null check (id >= 1),
    settings jsonb not null check (jsonb_typeof(settings) = 'object'),
    created_at timestamptz(3) not null,
    primary key (organization_id, id)
  );
alter table sign.agreement enable row level security;
alter table sign.agreement force row level security;
create policy org_isolation on sign.agreement
    using (organization_id = nullif(current_setting('app.org_id', true), '')::uuid)
    with check (organization_id = nullif(current_setting('app.org_id', true), '')::uuid);
alter table sign.document enable row level security;
alter table sign.document force row level security;
create policy org_isolation on sign.document
    using (organization_id = nullif(current_setting('app.org_id', true), '')::uuid)
    with check (organization_id = nullif(current_setting('app.org_id', true), '')::uuid);
alter table sign.recipient enable row level security;
alter table sign.recipient force row level security;
create policy org_isolation on sign.recipient
    using (organization_id = nullif(current_setting('app.org_id', true), '')::uuid)
    with check (organization_id = nullif(current_setting('app.org_id', true), '')::uuid);
alter table sign.custom_field enable row level security;
alter table sign.custom_field force row level security;
create policy org_isolation on sign.custom_field
    using (organization_id = nullif(current_setting('app.org_id', true), '')::uuid)
    with check (organization_id = nullif(current_setting('app.org_id', true), '')::uuid);
alter table sign.audit_event enable row level security;
alter table sign.audit_event force row level security;
create policy org_isolation on sign.audit_event
    using (organization_id = nullif(current_setting('app.org_id', true), '')::uuid)
    with check (organization_id = nullif(current_setting('app.org_id', true), '')::uuid);
alter table sign.idempotency_key enable row level security;
alter table sign.idempotency_key force row level security;
create policy org_isolation on sign.idempotency_key
    using (organization_id = nullif(current_setting('app.org_id', true), '')::uuid)
    with check (organization_id = nullif(current_setting('app.org_id', true), '')::uuid);
alter table sign.view enable row level security;
alter table sign.view force row level security;
create policy org_isolation on sign.view
    using (organization_id = nullif(current_setting('app.org_id', true), '')::uuid)
    with check (organization_id = nullif(current_setting('app.org_id', true), '')::uuid);
alter table sign.attachment enable row level security;
alter table sign.attachment force row level security;
create policy org_isolation on sign.attachment
    using (organization_id = nullif(current_setting('app.org_id', true), '')::uuid)
    with check (organization_id = nullif(current_setting('app.org_id', true), '')::uuid);
alter table sign.bulk_list enable row level security;
alter table sign.bulk_list force row level security;
create policy org_isolation on sign.bulk_list
    using (organization_id = nullif(current_setting('app.org_id', true), '')::uuid)
    with check (organization_id = nullif(current_setting('app.org_id', true), '')::uuid);
alter table sign.bulk_batch enable row level security;
alter table sign.bulk_batch force row level security;
create policy org_isolation on sign.bulk_batch
    using (organization_id = nullif(current_setting('app.org_id', true), '')::uuid)
    with check (organization_id = nullif(current_setting('app.org_id', true), '')::uuid);
alter table sign.job enable row level security;
alter table sign.job force row level security;
create policy org_isolation on sign.job
    using (organization_id = nullif(current_setting('app.org_id', true), '')::uuid)
    with check (organization_id = nullif(current_setting('app.org_id', true), '')::uuid);
alter table sign.subscription enable row level security;
alter table sign.subscription force row level security;
create policy org_isolation on sign.subscription
    using (organization_id = nullif(current_setting('app.org_id', true), '')::uuid)
    with check (organization_id = nullif(current_setting('app.org_id', true), '')::uuid);
grant usage on schema sign to assent_sign;
grant select, insert, update on sign.agreement, sign.view, sign.bulk_batch to assent_sign;
grant select, insert, update, delete on sign.document, sign.recipient, sign.custom_field, sign.bulk_list, sign.job, sign.subscription to assent_sign;
grant delete on sign.view to assent_sign;
grant select, insert on sign.audit_event, sign.idempotency_key, sign.attachment to assent_sign;
grant usage on schema sign to assent_sign_claimer;
create policy claimer_chooses on sign.job to assent_sign_claimer using (true) with check (true);
grant select (organization_id, id, kind, created_at, run_at, attempts, claim, claimed_until, failed_at), update (claim, claimed_until, attempts) on sign.job to assent_sign_claimer;
grant usage on schema sign to assent_sign_verifier;
create policy verifier_finds on sign.document for select to assent_sign_verifier using (sealed_sha256 is not null);
create policy verifier_finds on sign.agreement for select to assent_sign_verifier using (certificate_sha256 is not null);
grant select (organization_id, agreement_id, sealed_sha256) on sign.document to assent_sign_verifier;
grant select (organization_id, id, certificate_sha256) on sign.agreement to assent_sign_verifier;
-- gateway
create schema gateway;
create table gateway.migration (id serial primary key, name varchar(255), executed_at timestamptz default current_timestamp);
do $role$
begin
  for attempt in 1 .. 20 loop
    begin
      if not exists (select from pg_catalog.pg_roles where rolname = 'assent_gateway') then
        create role "assent_gateway" nologin;
      end if;
      if not pg_catalog.pg_has_role(current_user, 'assent_gateway', 'set') then
        grant "assent_gateway" to current_user with inherit false, set true;
      end if;
      return;
    exception
      -- Both are what the loser of the race sees; internal_error is "tuple concurrently updated".
      when duplicate_object or unique_violation or internal_error then
        perform pg_catalog.pg_sleep(0.01 * attempt);
    end;
  end loop;
  raise exception 'the role % could not be created', 'assent_gateway';
end
$role$;
grant usage on schema gateway to assent_gateway;
create table gateway.rate_window (
        window_start timestamptz not null,
        bucket text not null,
        used integer not null,
        granted integer not null,
        budget integer not null,
        primary key (window_start, bucket)
      ) with (fillfactor = 50);
comment on table gateway.rate_window is
      'Requests taken per client and group in one window. Without organization_id: a bucket is named after a client, which belongs to one organization for ever, and one statement takes for many of them. granted and budget are those of the last take.';
grant select, insert, update, delete on gateway.rate_window to assent_gateway;
