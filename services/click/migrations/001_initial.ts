import { Migration } from "@mikro-orm/migrations";
import { createRoleSql, forceOrgIsolationSql } from "#platform/db/ddl.ts";
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
