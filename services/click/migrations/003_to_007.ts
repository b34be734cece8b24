import { Migration } from "@mikro-orm/migrations";
import { forceOrgIsolationSql } from "#platform/db/ddl.ts";

export class Migration003Render extends Migration {
  override up(): void {
    for (const statement of [...shownTable, ...sessionColumns, ...keyTable]) this.addSql(statement);
  }
}

const shownTable = [
  `create table click.shown (
    organization_id uuid not null,
    hash bytea not null,
    content bytea not null,
    stored_at timestamptz not null default now(),
    primary key (organization_id, hash),
    check (hash = sha256(content))
  )`,
  `comment on table click.shown is
    'What was shown besides the text itself, stored once per content before anybody sees it: rendered HTML, the words around it, and snapshots of deployments. Nobody may change or delete it.'`,
  ...forceOrgIsolationSql("click.shown"),
  "grant select, insert on click.shown to assent_click",
];

const sessionColumns = [
  `alter table click.session
    add column deployment_id uuid,
    add column deployment_hash text,
    add column render_hash text,
    add column words_hash text,
    add column data text,
    add check ((deployment_id is null) = (deployment_hash is null)),
    add check ((render_hash is null) = (words_hash is null))`,
  `comment on column click.session.render_hash is
    'What the session shows, in click.shown; like words_hash and deployment_hash as sha256:<hex>. Null for sessions that are older than renderings.'`,
  "comment on column click.session.data is 'JSON: the merge values of a GENERATED template'",
  "grant update (presented_at) on click.session to assent_click",
  `grant select (deployment_id, deployment_hash, render_hash, words_hash)
    on click.session to assent_click_recorder`,
];

const keyTable = [
  `create table click.render_key (
    generation integer primary key,
    kid text not null unique,
    public_key bytea not null check (octet_length(public_key) = 32),
    private_key bytea not null,
    signs_from timestamptz not null,
    created_at timestamptz not null
  )`,
  `comment on table click.render_key is
    'The service''s own keys for render tokens, of no organization. The primary key lets one of several processes that make the next generation at once win. private_key is iv, tag and ciphertext of AES-256-GCM with the kid as associated data. Rows stay: whoever checks old evidence needs the public key.'`,
  "grant select, insert on click.render_key to assent_click",
];

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

export class Migration007ExternalHeads extends Migration {
  override up(): void {
    for (const statement of externalHeads) this.addSql(statement);
  }
}

const externalHeads = [
  `create table click.external_head (
    organization_id uuid not null,
    source text not null check (source in ('sign')),
    agreement_id uuid not null,
    record_id uuid not null,
    head_hash bytea not null check (octet_length(head_hash) = 32),
    sequence integer not null check (sequence > 0),
    completed_at timestamptz not null,
    recorded_at timestamptz not null,
    primary key (organization_id, source, agreement_id)
  )`,
  `comment on table click.external_head is
    'Heads of trails that other services keep, each with a leaf of the log (log_leaf, record_id). The primary key lets one of several calls enter a head. Rows are never changed or deleted.'`,
  ...forceOrgIsolationSql("click.external_head"),
  "grant select, insert on click.external_head to assent_click",
];
