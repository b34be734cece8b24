import { Migration } from "@mikro-orm/migrations";
import { forceOrgIsolationSql } from "#platform/db/ddl.ts";

export class Migration004Stats extends Migration {
  override up(): void {
    for (const statement of [...tables, ...tableNames.flatMap(protect)]) this.addSql(statement);
  }
}

const counter = (name: string): string => `${name} bigint not null default 0`;

const hourCounters = [
  "sessions_created",
  "sessions_presented",
  "sessions_accepted",
  "sessions_completed",
  "sessions_declined",
  "sessions_expired",
  "sessions_cancelled",
  "sessions_unanswered",
  "accepted_direct",
  "accepted_with_session",
  "declines",
  "withdrawals",
  "renders",
];

// Each row is updated many times until its hour is over; free space in the pages keeps these updates out of the index.
const updated = "with (fillfactor = 70)";

const tables = [
  `create table click.stat_hour (
    organization_id uuid not null,
    template_id uuid not null,
    hour timestamptz not null,
    version_id uuid not null,
    revision integer not null,
    ${hourCounters.map(counter).join(",\n    ")},
    first_accepted_at timestamptz,
    last_accepted_at timestamptz,
    primary key (organization_id, template_id, hour, version_id, revision)
  ) ${updated}`,
  `comment on table click.stat_hour is
    'What happened in an hour, by the events of the service. Its texts have their locale and label in click.agreement_text. A change of consent without a known text has the version 0.'`,

  `create table click.stat_accept_time (
    organization_id uuid not null,
    template_id uuid not null,
    hour timestamptz not null,
    version_id uuid not null,
    revision integer not null,
    bucket smallint not null,
    ${counter("acceptances")},
    primary key (organization_id, template_id, hour, version_id, revision, bucket)
  ) ${updated}`,
  `comment on table click.stat_accept_time is
    'How long it took from the first display of a text to its acceptance: eight buckets for each doubling of the time.'`,

  `create table click.stat_purpose (
    organization_id uuid not null,
    template_id uuid not null,
    hour timestamptz not null,
    version_id uuid not null,
    revision integer not null,
    purpose text not null,
    ${["granted", "denied", "withdrawn"].map(counter).join(",\n    ")},
    primary key (organization_id, template_id, hour, version_id, revision, purpose)
  ) ${updated}`,

  `create table click.stat_user (
    organization_id uuid not null,
    template_id uuid not null,
    user_key bytea not null,
    days text not null,
    last_accepted_at timestamptz not null,
    last_version_id uuid not null,
    last_revision integer not null,
    primary key (organization_id, template_id, user_key)
  ) with (fillfactor = 90)`,
  `comment on table click.stat_user is
    'One row per user, by a keyed hash of the user reference: on which days which versions were accepted, and what was last. Locked by whoever counts an acceptance of the user, so that stat_reach and stat_holder always agree with it.'`,

  `create table click.stat_reach (
    organization_id uuid not null,
    template_id uuid not null,
    scope text not null,
    day date not null,
    previous_day date not null,
    ${counter("users")},
    primary key (organization_id, template_id, scope, day, previous_day)
  ) ${updated}`,
  `comment on table click.stat_reach is
    'How many users accepted on a day and before that last on previous_day (0001-01-01: never). Whoever accepted between two days is in exactly one row whose day is within and whose previous_day is before: so the users of any period are a sum, without looking at users. scope: empty for the template, v:<version> or l:<locale>.'`,

  `create table click.stat_holder (
    organization_id uuid not null,
    template_id uuid not null,
    version_id uuid not null,
    revision integer not null,
    day date not null,
    ${counter("users")},
    primary key (organization_id, template_id, version_id, revision, day)
  ) ${updated}`,
  "comment on table click.stat_holder is 'How many users accepted this revision on this day and nothing since.'",

  `create table click.stat_reused_session (
    organization_id uuid not null,
    session_id uuid not null,
    primary key (organization_id, session_id)
  )`,
  `comment on table click.stat_reused_session is
    'Sessions that take many acceptances and were counted as accepted, which each is once.'`,
];

const tableNames = ["hour", "accept_time", "purpose", "user", "reach", "holder", "reused_session"].map(
  (name) => `click.stat_${name}`,
);

const protect = (table: string): string[] => [
  ...forceOrgIsolationSql(table),
  `grant select, insert, update on ${table} to assent_click`,
];
