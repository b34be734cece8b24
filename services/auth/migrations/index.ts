import { createRoleSql, destroyerSql, forceOrgIsolationSql } from "#platform/db/ddl.ts";
import { holdMarksSql } from "#platform/db/hold-marks.ts";
import { type ServiceMigrations, sqlMigration } from "#platform/db/migrate.ts";
import { outboxCursorSql, outboxTablesSql } from "#platform/outbox/outbox.ts";
import {
  Migration001Initial,
  Migration002ClientKeys,
  Migration003People,
  Migration005Identities,
  Migration006WebhookNotices,
  Migration007MasterKeys,
  Migration009Exports,
  Migration010Erasures,
  Migration014OrganizationDeletions,
} from "./001_to_014.ts";
import { passkeyMigrations } from "./passkeys.ts";

const relayRole = "assent_auth_relay";

export const authMigrations: ServiceMigrations = {
  schema: "auth",
  list: [
    { name: "001_initial", class: Migration001Initial },
    { name: "002_client_keys", class: Migration002ClientKeys },
    { name: "003_people", class: Migration003People },
    sqlMigration(
      "004_organization_defaults",
      `alter table auth.organization
    add column locale text not null default '',
    add column time_zone text not null default ''`,
      "comment on column auth.organization.locale is 'BCP 47, for users who are invited without one; empty for none'",
      "comment on column auth.organization.time_zone is 'IANA, for users who are invited; empty for none'",
      "grant update (locale, time_zone) on auth.organization to assent_auth",
    ),
    { name: "005_identities", class: Migration005Identities },
    { name: "006_webhook_notices", class: Migration006WebhookNotices },
    { name: "007_master_keys", class: Migration007MasterKeys },
    // What is added to the audit trail is told to others.
    sqlMigration(
      "008_outbox",
      createRoleSql(relayRole),
      ...outboxTablesSql({ schema: "auth", writerRole: "assent_auth", relayRole }),
      ...outboxCursorSql({ schema: "auth", relayRole }),
    ),
    { name: "009_exports", class: Migration009Exports },
    { name: "010_erasures", class: Migration010Erasures },
    sqlMigration(
      "011_organization_exports",
      "alter table auth.export add column kind text not null default 'person' check (kind in ('person', 'organization'))",
    ),
    // What is taken from the audit trail and the page of the report that says so are written at once.
    sqlMigration("012_eraser_reports", "grant select, insert on auth.erasure_page to assent_auth_eraser"),
    { name: "014_organization_deletions", class: Migration014OrganizationDeletions },
    // Lines of the audit trail go when the period of the organization is over, by a role that does nothing else.
    sqlMigration(
      "016_retention",
      createRoleSql("assent_auth_remover"),
      "grant usage on schema auth to assent_auth_remover",
      "grant select (organization_id, event_id, at), delete on auth.audit_event to assent_auth_remover",
      "comment on table auth.audit_event is 'Who did what to whom. Only added to: no role of requests may change or delete an event.'",
    ),
    // Operators list all organizations, suspend them, and bound what all clients of one do together.
    sqlMigration(
      "017_operated_organizations",
      `alter table auth.organization
    add column shared_accept integer,
    add column shared_render integer,
    add column shared_other integer,
    add column shared_sign integer,
    add column max_credentials integer,
    add column suspended_at timestamptz,
    add column suspension_reason text`,
      "comment on column auth.organization.shared_accept is 'requests a window of all its clients together; null: ten times what one client has, at least the default'",
      "comment on column auth.organization.suspended_at is 'since when it may only read'",
      `grant update (shared_accept, shared_render, shared_other, shared_sign, max_credentials, suspended_at,
    suspension_reason) on auth.organization to assent_auth`,
      "create policy lookup on auth.organization for select to assent_auth_lookup using (true)",
      "grant select (organization_id) on auth.organization to assent_auth_lookup",
    ),
    // Operators see how much organizations use, and who keeps the gateways busy.
    sqlMigration(
      "018_use",
      "grant select on auth.organization to assent_auth_lookup",
      "create policy reported on auth.organization for select to assent_auth_janitor using (true)",
      "grant select (organization_id) on auth.organization to assent_auth_janitor",
      `create table auth.request_day (
    organization_id uuid not null references auth.organization,
    day date not null,
    requests bigint not null,
    refused bigint not null,
    primary key (organization_id, day)
  )`,
      "comment on table auth.request_day is 'Requests of a day, UTC, for 30 days, as gateways report them; refused: answered with 429'",
      "create index request_day_day on auth.request_day (day)",
      ...forceOrgIsolationSql("auth.request_day"),
      "grant select on auth.request_day to assent_auth",
      "create policy lookup on auth.request_day for select to assent_auth_lookup using (true)",
      "grant select on auth.request_day to assent_auth_lookup",
      "create policy reported on auth.request_day to assent_auth_janitor using (true) with check (true)",
      "grant select, insert, update (requests, refused), delete on auth.request_day to assent_auth_janitor",
      `create table auth.gateway_report (
    gateway_id uuid not null,
    sequence bigint not null,
    reported_at timestamptz(3) not null,
    load jsonb not null,
    primary key (gateway_id, sequence)
  )`,
      "comment on table auth.gateway_report is 'The last reports of each gateway process: that one counts once, and who keeps it busy'",
      "create index gateway_report_at on auth.gateway_report (reported_at)",
      "grant select on auth.gateway_report to assent_auth_lookup",
      "grant select, insert, delete on auth.gateway_report to assent_auth_janitor",
      ...destroyerSql("auth", "assent_auth_destroyer", ["organization_deletion"]),
      // Nothing names an organization that is gone.
      "grant select (load), delete on auth.gateway_report to assent_auth_destroyer",
    ),
    // Receipts of acceptances are exported as one text.
    sqlMigration(
      "019_acceptance_exports",
      "alter table auth.export drop constraint export_kind_check",
      `alter table auth.export add constraint export_kind_check
    check (kind in ('person', 'organization', 'acceptances')) not valid`,
      "alter table auth.export add column format text",
      `alter table auth.export add constraint export_format_check
    check ((kind = 'acceptances') = (format is not null) and format in ('csv', 'jsonl')) not valid`,
      "alter table auth.export validate constraint export_kind_check, validate constraint export_format_check",
      "comment on column auth.export.format is 'of receipts of acceptances, which are no archive'",
      "comment on column auth.export.sealed_person is 'whom it is about, or which acceptances'",
    ),
    // Nothing is deleted under a legal hold that was set meanwhile.
    sqlMigration(
      "020_hold_marks",
      ...holdMarksSql("auth", "assent_auth", "assent_auth_eraser", "assent_auth_remover"),
      ...destroyerSql("auth", "assent_auth_destroyer", ["organization_deletion"]),
    ),
    // Acceptances are exported again and again.
    sqlMigration(
      "021_export_schedules",
      `alter table auth.export
    add column schedule_id uuid,
    add column from_leaf_index bigint,
    add column until_leaf_index bigint`,
      "comment on column auth.export.until_leaf_index is 'of acceptances: the first leaf of the evidence log that is not in it; null until it has begun'",
      `create table auth.export_schedule (
    organization_id uuid not null references auth.organization,
    id uuid not null,
    key_hash bytea,
    request_hash bytea not null,
    format text not null check (format in ('csv', 'jsonl')),
    template_id uuid,
    every text not null check (every in ('daily', 'weekly', 'monthly')),
    day integer not null check (day between 1 and 31),
    at text not null,
    time_zone text not null,
    created_by text not null,
    created_at timestamptz(3) not null,
    next_at timestamptz(3),
    run_at timestamptz(3),
    last_export_id uuid,
    until_leaf_index bigint not null default 0,
    primary key (organization_id, id),
    unique (organization_id, key_hash),
    check ((next_at is null) = (run_at is null))
  )`,
      "comment on column auth.export_schedule.next_at is 'when the next export is due; null while it is paused'",
      "comment on column auth.export_schedule.run_at is 'when to look for it again: later than next_at while the export before is made'",
      "comment on column auth.export_schedule.until_leaf_index is 'where the last export that was completed has ended, and the next one begins'",
      "create index export_schedule_due on auth.export_schedule (run_at) where run_at is not null",
      ...forceOrgIsolationSql("auth.export_schedule"),
      "grant select, insert, update, delete on auth.export_schedule to assent_auth",
      "create policy due on auth.export_schedule for select to assent_auth_janitor using (run_at is not null)",
      "grant select (organization_id, id, run_at) on auth.export_schedule to assent_auth_janitor",
      ...destroyerSql("auth", "assent_auth_destroyer", ["organization_deletion"]),
    ),
    // Users are told by mail of what becomes of the agreements that they send.
    sqlMigration(
      "022_notices",
      `alter table auth.user_account add column notices text not null
    default 'immediate signed declined completed expiring expired undelivered'`,
      "grant update (notices) on auth.user_account to assent_auth",
      "grant select (notices) on auth.user_account to assent_auth_lookup",
      "comment on column auth.user_account.notices is 'how the user is told of agreements, immediate or daily, and of what'",
    ),
    // Envelopes that were sent stay as they are in the compatible interface unless an owner says otherwise.
    sqlMigration(
      "023_envelope_corrections",
      "alter table auth.organization add column envelope_corrections boolean not null default false",
      "grant update (envelope_corrections) on auth.organization to assent_auth",
      "comment on column auth.organization.envelope_corrections is 'whether envelopes that were sent can be corrected in the compatible interface'",
    ),
    ...passkeyMigrations,
  ],
};
