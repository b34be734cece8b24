import { Migration } from "@mikro-orm/migrations";
import { createRoleSql, forceOrgIsolationSql } from "#platform/db/ddl.ts";
import { inboxTablesSql } from "#platform/events/consume.ts";
import { outboxTablesSql } from "#platform/outbox/outbox.ts";

export class Migration001Initial extends Migration {
  override up(): void {
    const outbox = outboxTablesSql({ schema: "click", writerRole: "assent_click", relayRole: "assent_click_relay" });
    for (const statement of [...roles, ...contentTables, ...sessionTable, ...acceptanceTable, ...outbox, ...recorder]) {
      this.addSql(statement);
    }
  }
}

// assent_click acts for one organization at a time, assent_click_recorder writes a batch of acceptances of many,
// assent_click_relay publishes the outbox. Nobody may change or delete an acceptance, nor what it refers to.
const roles = [
  ...["assent_click", "assent_click_recorder", "assent_click_relay"].map(createRoleSql),
  "grant usage on schema click to assent_click, assent_click_recorder",
];

const contentTables = [
  `create table click.agreement_text (
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
  )`,
  `comment on table click.agreement_text is
    'The exact bytes that were shown, copied before the first session or acceptance of a revision, so that evidence survives whatever happens to the template.'`,
  ...forceOrgIsolationSql("click.agreement_text"),
  "grant select, insert on click.agreement_text to assent_click",

  `create table click.template_terms (
    organization_id uuid not null,
    terms_hash bytea not null,
    terms text not null,
    stored_at timestamptz not null default now(),
    primary key (organization_id, terms_hash),
    check (terms_hash = sha256(convert_to(terms, 'UTF8')))
  )`,
  `comment on table click.template_terms is
    'What held besides the text: names, type configuration and policy flags of a template, in canonical JSON, stored once per content.'`,
  ...forceOrgIsolationSql("click.template_terms"),
  "grant select, insert on click.template_terms to assent_click",
];

const sessionTable = [
  `create table click.session (
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
  ) with (fillfactor = 80)`,
  `comment on table click.session is
    'A session created through the API. An acceptance without one is its own session and has no row here. EXPIRED is computed from expires_at. Room in the pages keeps status changes out of the index.'`,
  ...forceOrgIsolationSql("click.session"),
  "grant select, insert on click.session to assent_click",
  "grant update (status, outcome, reason, completed_at, updated_at) on click.session to assent_click",
];

// toast_tuple_target keeps rows of up to 8 KB as they are: compressing a receipt costs more than writing it.
const acceptanceTable = [
  `create table click.acceptance (
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
  ) with (toast_tuple_target = 8160)`,
  `comment on table click.acceptance is
    'Acceptances, which are their own idempotency records: keys never expire, so rows are never deleted. session_id is null for an acceptance that is its own session. once_hash is set when the policy allows one acceptance per user and revision. No foreign keys: what a row refers to is stored before it and cannot be deleted, and checking that again would cost the hot path.'`,
  "create unique index acceptance_receipt on click.acceptance (organization_id, receipt_id)",
  "create unique index acceptance_once on click.acceptance (organization_id, once_hash) where once_hash is not null",
  "create index acceptance_session on click.acceptance (organization_id, session_id) where session_id is not null",
  "create index acceptance_user on click.acceptance (organization_id, user_ref, accepted_at)",
  ...forceOrgIsolationSql("click.acceptance"),
  "grant select on click.acceptance to assent_click",
];

const recorder = [
  "create policy recorder_insert on click.acceptance for insert to assent_click_recorder with check (true)",
  "create policy recorder_lookup on click.acceptance for select to assent_click_recorder using (true)",
  "grant insert on click.acceptance to assent_click_recorder",
  `grant select (organization_id, idempotency_hash, body_hash, receipt_id, session_id, once_hash, receipt)
    on click.acceptance to assent_click_recorder`,
  "create policy recorder_lookup on click.session for select to assent_click_recorder using (true)",
  "create policy recorder_move on click.session for update to assent_click_recorder using (true) with check (true)",
  `grant select (organization_id, id, template_id, version_id, revision, label, locale, content_hash, terms_hash, user_ref,
      status, outcome, reason, created_at, presented_at, accepted_at, completed_at, expires_at)
    on click.session to assent_click_recorder`,
  `grant update (status, outcome, reason, user_ref, accepted_at, completed_at, updated_at)
    on click.session to assent_click_recorder`,
  "create policy recorder_insert on click.outbox for insert to assent_click_recorder with check (true)",
  "grant insert on click.outbox to assent_click_recorder",
  `create function click.require_equal(recorded bigint, moved bigint) returns boolean language plpgsql stable as $body$
  begin
    if recorded <> moved then
      raise exception '% acceptances of sessions, but % sessions moved', recorded, moved using errcode = 'CK001';
    end if;
    return true;
  end
  $body$`,
  `comment on function click.require_equal is
    'Ends the record statement, and with it all of its effects, unless each acceptance of a session moved its session.'`,
];

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
