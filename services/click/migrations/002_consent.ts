import { Migration } from "@mikro-orm/migrations";
import { createRoleSql, forceOrgIsolationSql } from "#platform/db/ddl.ts";
import { inboxTablesSql } from "#platform/events/consume.ts";

export class Migration002Consent extends Migration {
  override up(): void {
    const inbox = inboxTablesSql({ schema: "click", role: "assent_click" });
    for (const statement of [
      ...sweeperRole,
      ...sessionExpiry,
      ...sessionEvents,
      ...consentTables,
      ...acceptanceKeys,
      ...acceptanceLists,
      ...publications,
      ...inbox,
      ...recorderGrants,
      ...sweeperGrants,
    ]) {
      this.addSql(statement);
    }
  }
}

const sweeperRole = [createRoleSql("assent_click_sweeper"), "grant usage on schema click to assent_click_sweeper"];

/** Rows of a queue are short-lived; without these settings, scans would read many dead rows. */
const asQueue = (table: string): string => `alter table ${table} set (autovacuum_vacuum_scale_factor = 0.02)`;

const sessionExpiry = [
  `alter table click.session
    drop constraint session_status_check,
    add constraint session_status_check check (status in
      ('PENDING', 'PRESENTED', 'ACCEPTED', 'DECLINED', 'COMPLETED', 'CANCELLED', 'EXPIRED'))`,
  `create table click.session_deadline (
    organization_id uuid not null,
    session_id uuid not null,
    expires_at timestamptz not null,
    primary key (organization_id, session_id)
  )`,
  `comment on table click.session_deadline is
    'Sessions whose time will be over, until the sweeper has looked at them. Apart from the session: an index over its expiry and state would make every change of the state write to the index.'`,
  "create index session_deadline_due on click.session_deadline (expires_at)",
  asQueue("click.session_deadline"),
  // The owner sees rows only while row-level security is not forced upon it.
  "alter table click.session no force row level security",
  `insert into click.session_deadline (organization_id, session_id, expires_at)
   select organization_id, id, expires_at from click.session where status in ('PENDING', 'PRESENTED')`,
  "alter table click.session force row level security",
  ...forceOrgIsolationSql("click.session_deadline"),
  "grant insert on click.session_deadline to assent_click",
];

const sessionEvents = [
  "alter table click.session add column event_count integer not null default 0, add column page_facts json",
  `comment on column click.session.page_facts is
    'What the events of the page come to, so that an acceptance need not read them. Null until there are any.'`,
  "grant update (event_count, page_facts) on click.session to assent_click",
  `create table click.session_event (
    organization_id uuid not null,
    session_id uuid not null,
    position integer not null,
    type text not null,
    at timestamptz,
    target text,
    server_at timestamptz not null,
    primary key (organization_id, session_id, position)
  )`,
  `comment on table click.session_event is
    'What the page of a session told us, in the order in which it came. at is its clock, server_at is ours.'`,
  ...forceOrgIsolationSql("click.session_event"),
  "grant select, insert on click.session_event to assent_click",
];

const consentTables = [
  `create table click.consent_head (
    organization_id uuid not null,
    user_ref text not null,
    revision bigint not null,
    clock timestamptz not null,
    primary key (organization_id, user_ref)
  ) with (fillfactor = 80)`,
  `comment on table click.consent_head is
    'One row per user, locked by whoever changes the consent of the user: changes are numbered without gaps, and none is given an earlier time than the one before it (clock).'`,
  ...forceOrgIsolationSql("click.consent_head"),
  "grant select, insert, update (revision, clock) on click.consent_head to assent_click",

  `create table click.consent_event (
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
  ) with (toast_tuple_target = 8160)`,
  `comment on table click.consent_event is
    'Every change of consent, never changed or deleted. The state of a purpose is its last row: each row carries on what it leaves as it was. That a grant runs out is computed from expires_at. receipt is null for a change that an acceptance made: the receipt is that of the acceptance.'`,
  `create unique index consent_event_receipt on click.consent_event (organization_id, receipt_id)
    where receipt is not null`,
  ...forceOrgIsolationSql("click.consent_event"),
  "grant select, insert on click.consent_event to assent_click",

  `create table click.consent_deadline (
    organization_id uuid not null,
    user_ref text not null,
    revision bigint not null,
    expires_at timestamptz not null,
    primary key (organization_id, user_ref, revision)
  )`,
  `comment on table click.consent_deadline is
    'Grants that will run out, until the sweeper has looked at them.'`,
  "create index consent_deadline_due on click.consent_deadline (expires_at)",
  asQueue("click.consent_deadline"),
  ...forceOrgIsolationSql("click.consent_deadline"),
  "grant insert on click.consent_deadline to assent_click",
];

/**
 * A change of consent claims its idempotency key in the table of acceptances: only one index can keep the keys of both
 * distinct.
 */
const acceptanceKeys = [
  `alter table click.acceptance
    alter column template_id drop not null,
    alter column version_id drop not null,
    alter column revision drop not null,
    alter column terms_hash drop not null,
    drop constraint acceptance_decision_check,
    add constraint acceptance_decision_check check (
      case when decision in ('ACCEPT', 'DECLINE')
        then template_id is not null and version_id is not null and revision is not null and terms_hash is not null
        else decision = 'CONSENT' and template_id is null and session_id is null and once_hash is null
      end)`,
  `comment on table click.acceptance is
    'Acceptances, which are their own idempotency records: keys never expire, so rows are never deleted. session_id is null for an acceptance that is its own session. once_hash is set when the policy allows one acceptance per user and revision. A row with the decision CONSENT is no acceptance: it only keeps the key of a change of consent, whose events name receipt_id as their update_id. No foreign keys: what a row refers to is stored before it and cannot be deleted, and checking that again would cost the hot path.'`,
  "grant insert on click.acceptance to assent_click",
  `create policy only_keys_of_consent on click.acceptance as restrictive for insert to assent_click
    with check (decision = 'CONSENT')`,
];

const acceptanceLists = [
  "create index acceptance_newest on click.acceptance (organization_id, accepted_at, receipt_id)",
  `create index acceptance_template on click.acceptance (organization_id, template_id, accepted_at, receipt_id)
    where template_id is not null`,
];

const publications = [
  `create table click.publication (
    organization_id uuid not null,
    version_id uuid not null,
    revision integer not null,
    template_id uuid not null,
    locale text not null,
    label text not null,
    published_at timestamptz not null,
    primary key (organization_id, version_id, revision)
  )`,
  `comment on table click.publication is
    'When each revision was first published, as the events of the templates service told.'`,
  "create index publication_template on click.publication (organization_id, template_id, published_at)",
  ...forceOrgIsolationSql("click.publication"),
  "grant select, insert on click.publication to assent_click",
];

const recorderGrants = [
  "grant select (decision) on click.acceptance to assent_click_recorder",
  "grant select (page_facts) on click.session to assent_click_recorder",
  "create policy recorder_all on click.consent_head to assent_click_recorder using (true) with check (true)",
  "grant select, insert, update (revision, clock) on click.consent_head to assent_click_recorder",
  "create policy recorder_insert on click.consent_event for insert to assent_click_recorder with check (true)",
  "grant insert on click.consent_event to assent_click_recorder",
  "create policy recorder_insert on click.consent_deadline for insert to assent_click_recorder with check (true)",
  "grant insert on click.consent_deadline to assent_click_recorder",
];

/** The sweeper publishes what has expired, for any organization. It sees no texts and no claims. */
const sweeperGrants = [
  ...["click.session_deadline", "click.consent_deadline"].flatMap((table) => [
    `create policy sweeper_all on ${table} to assent_click_sweeper using (true) with check (true)`,
    `grant select, delete, update (expires_at) on ${table} to assent_click_sweeper`,
  ]),
  "create policy sweeper_reads on click.session for select to assent_click_sweeper using (true)",
  "create policy sweeper_expires on click.session for update to assent_click_sweeper using (true) with check (true)",
  `grant select (organization_id, id, template_id, version_id, revision, status, expires_at)
    on click.session to assent_click_sweeper`,
  "grant update (status, outcome, updated_at) on click.session to assent_click_sweeper",
  "create policy sweeper_all on click.consent_head to assent_click_sweeper using (true) with check (true)",
  "grant select, update (clock) on click.consent_head to assent_click_sweeper",
  "create policy sweeper_reads on click.consent_event for select to assent_click_sweeper using (true)",
  `grant select (organization_id, user_ref, revision, event_id, purpose, recorded_at, template_id, version_id,
      template_revision, expires_at)
    on click.consent_event to assent_click_sweeper`,
  "create policy sweeper_insert on click.outbox for insert to assent_click_sweeper with check (true)",
  "grant insert on click.outbox to assent_click_sweeper",
];
