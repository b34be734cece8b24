import { Migration } from "@mikro-orm/migrations";
import { createRoleSql, forceOrgIsolationSql } from "#platform/db/ddl.ts";

export class Migration005Evidence extends Migration {
  override up(): void {
    for (const statement of [
      ...refuseUnsealed,
      ...roles,
      ...signingKeys,
      ...subjectKeys,
      ...log,
      ...anchoring,
      ...sealedRecords,
      ...sealedConsents,
      ...recorderGrants,
      ...integratorGrants,
      ...erasure,
    ]) {
      this.addSql(statement);
    }
  }
}

/**
 * Personal data is sealed by the service with a key that migrations do not have; no release ever stored it in any other
 * way.
 */
const recordTables = ["acceptance", "session", "consent_event"];
const refuseUnsealed = [
  // The owner sees rows only while row-level security is not forced upon it.
  ...recordTables.map((table) => `alter table click.${table} no force row level security`),
  `do $do$
  begin
    if ${recordTables.map((table) => `exists (select from click.${table})`).join(" or ")} then
      raise exception 'the records of this database are from before the evidence log and cannot be carried over'
        using hint = 'Start with an empty database; with npm start, set ASSENT_HOME to a new folder or remove .assent.';
    end if;
  end
  $do$`,
  ...recordTables.map((table) => `alter table click.${table} force row level security`),
];

// assent_click_integrator builds the trees of all organizations and the anchor log, assent_click_eraser removes
// personal data: no other role may change what was recorded.
const roles = ["assent_click_integrator", "assent_click_eraser"].flatMap((role) => [
  createRoleSql(role),
  `grant usage on schema click to ${role}`,
]);

const signingKeys = [
  `create table click.signing_key (
    purpose text not null check (purpose in ('render', 'receipt', 'log')),
    generation integer not null,
    kid text not null unique,
    public_key bytea not null check (octet_length(public_key) = 32),
    private_key bytea not null,
    signs_from timestamptz not null,
    revoked_at timestamptz,
    created_at timestamptz not null,
    primary key (purpose, generation)
  )`,
  `comment on table click.signing_key is
    'The service''s own Ed25519 keys, of no organization: for render tokens, receipts (and all leaves of the log), and checkpoints. The primary key lets one of several processes that make the next generation at once win. private_key is iv, tag and ciphertext of AES-256-GCM with the kid as associated data. Rows stay: whoever checks old evidence needs the public key. revoked_at: signatures are not to be trusted from then on.'`,
  `insert into click.signing_key (purpose, generation, kid, public_key, private_key, signs_from, created_at)
   select 'render', generation, kid, public_key, private_key, signs_from, created_at from click.render_key`,
  "drop table click.render_key",
  "grant select, insert, update (revoked_at) on click.signing_key to assent_click",
];

const subjectKeys = [
  `create table click.subject_key (
    organization_id uuid not null,
    record_id uuid not null,
    seed bytea not null check (octet_length(seed) in (32, 60)),
    restricted_until timestamptz,
    primary key (organization_id, record_id),
    check ((octet_length(seed) = 60) = (restricted_until is not null))
  )`,
  `comment on table click.subject_key is
    'What the data key of each record about a person is derived from, one fresh seed per record. Deleting the rows of a person makes what is sealed unreadable in this database, its replicas and every backup that leaves this table out. restricted_until: the seed is encrypted under the hold key and opened for administrators only, until it is deleted at that time.'`,
  "create index subject_key_due on click.subject_key (restricted_until) where restricted_until is not null",
  ...forceOrgIsolationSql("click.subject_key"),
  "grant select, insert on click.subject_key to assent_click",
];

/** The anchor log belongs to no organization. */
const anchorLog = "'00000000-0000-0000-0000-000000000000'";

// The leaf and its hash come first, so that reading the hashes of many leaves does not skip over long values.
const log = [
  `create table click.log_head (
    organization_id uuid primary key,
    size bigint not null check (size > 0)
  ) with (fillfactor = 50)`,
  `comment on table click.log_head is
    'How many leaves the log of an organization has. The row is locked from the moment indexes are taken until they are committed, so the order of indexes is the order of commits and there are no gaps. Locked last, after sessions, keys and heads of consent.'`,
  ...forceOrgIsolationSql("click.log_head"),
  "grant select, insert, update (size) on click.log_head to assent_click",

  `create table click.log_leaf (
    organization_id uuid not null,
    leaf_index bigint not null,
    record_id uuid not null,
    leaf_hash bytea not null check (octet_length(leaf_hash) = 32),
    signed_by integer,
    signature bytea check (octet_length(signature) = 64),
    leaf bytea not null,
    primary key (organization_id, leaf_index)
  ) with (toast_tuple_target = 8160)`,
  `comment on table click.log_leaf is
    'The leaves of each organization''s log: canonical JSON without personal data, exactly as signed. leaf_hash is SHA-256(0x00 || leaf) (RFC 6962). signed_by is the generation of the receipt key. Leaves of the anchor log (organization ${anchorLog.replaceAll("'", "")}) are not signed one by one. Rows are never changed or deleted.'`,
  "create unique index log_leaf_record on click.log_leaf (organization_id, record_id)",
  ...forceOrgIsolationSql("click.log_leaf"),
  "grant select, insert on click.log_leaf to assent_click",

  `create table click.log_tree (
    organization_id uuid primary key,
    size bigint not null,
    frontier bytea not null,
    root bytea not null check (octet_length(root) = 32),
    anchored_size bigint not null default 0,
    updated_at timestamptz not null
  ) with (fillfactor = 70)`,
  `comment on table click.log_tree is
    'How far the tree of a log is built: the hashes of its complete subtrees from left to right (frontier, 32 bytes each), and its root. anchored_size: the last size that the anchor log holds.'`,

  `create table click.log_tile (
    organization_id uuid not null,
    level smallint not null,
    tile bigint not null,
    hashes bytea not null check (octet_length(hashes) between 32 and 8192 and octet_length(hashes) % 32 = 0),
    primary key (organization_id, level, tile)
  )`,
  `comment on table click.log_tile is
    'Up to 256 neighbouring hashes of the tree at height 8 * level (C2SP tlog-tiles). A full tile never changes.'`,
  "alter table click.log_tile alter column hashes set storage external",

  `create table click.log_checkpoint (
    organization_id uuid not null,
    size bigint not null,
    root bytea not null check (octet_length(root) = 32),
    note text not null,
    created_at timestamptz not null,
    primary key (organization_id, size)
  )`,
  `comment on table click.log_checkpoint is
    'Every checkpoint that was ever published (C2SP tlog-checkpoint, signed note). One root per size, for ever.'`,
  ...["log_tree", "log_tile", "log_checkpoint"].flatMap((table) => [
    ...forceOrgIsolationSql(`click.${table}`),
    `grant select on click.${table} to assent_click`,
    `create policy anchor_log on click.${table} for select to assent_click using (organization_id = ${anchorLog})`,
  ]),
];

const anchoring = [
  `create table click.anchor (
    organization_id uuid not null,
    checkpoint_size bigint not null,
    anchor_index bigint not null,
    primary key (organization_id, checkpoint_size)
  )`,
  `comment on table click.anchor is
    'Where the anchor log holds a checkpoint: its leaf is the SHA-256 of the note. A fact about one organization; the anchor log itself tells nobody whose its leaves are.'`,
  // Not limited to one organization: all organizations share the anchor log.
  "create unique index anchor_index on click.anchor (anchor_index)",
  ...forceOrgIsolationSql("click.anchor"),
  "grant select on click.anchor to assent_click",

  `create table click.anchor_timestamp (
    anchor_size bigint primary key,
    token bytea not null,
    tsa_name text not null,
    stamped_at timestamptz not null,
    created_at timestamptz not null
  )`,
  `comment on table click.anchor_timestamp is
    'RFC 3161 time-stamp tokens over checkpoints of the anchor log, which is no organization''s. stamped_at is the time that the authority asserts.'`,
  "grant select on click.anchor_timestamp to assent_click",
];

const sealedRecords = [
  "drop index click.acceptance_user",
  `alter table click.acceptance
    drop column user_ref,
    drop column receipt,
    drop column evidence,
    add column subject_index bytea check (octet_length(subject_index) = 16),
    add column sealed bytea,
    add column erased_at timestamptz`,
  `comment on column click.acceptance.subject_index is
    'Keyed hash of the user reference; null after erasure.'`,
  `comment on column click.acceptance.sealed is
    'Receipt, disclosures and evidence: iv, tag and ciphertext of AES-256-GCM under the key of the record (subject_key). Null after erasure, and for a row that only keeps the key of a change of consent.'`,
  "create index acceptance_subject on click.acceptance (organization_id, subject_index, accepted_at)",

  `alter table click.session
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
    add check (render_hash is null or words_hash is not null)`,
  `comment on column click.session.sealed is
    'User reference, metadata, return address, context and merge values, under the key of the session (subject_key). Null after erasure. sealed_reason: why it was closed, and the disclosures of the leaf of its completion.'`,
  "create index session_subject on click.session (organization_id, subject_index) where subject_index is not null",
  "grant update (sealed_reason) on click.session to assent_click",

  "alter table click.session_event drop column target, add column sealed_target bytea",
  "comment on column click.session_event.sealed_target is 'What it happened to, under the key of the session (subject_key).'",

  `create table click.sealed_rendering (
    organization_id uuid not null,
    record_id uuid not null,
    sealed bytea not null,
    stored_at timestamptz not null default now(),
    primary key (organization_id, record_id)
  )`,
  `comment on table click.sealed_rendering is
    'The HTML of a GENERATED text with somebody''s merge values, under the key of its session, or of its acceptance when there is no session. What has no subject_key can never be read again.'`,
  "alter table click.sealed_rendering alter column sealed set storage external",
  ...forceOrgIsolationSql("click.sealed_rendering"),
  "grant select, insert on click.sealed_rendering to assent_click",
];

// A head without changes may have been left by a request that changed nothing; it carries no information.
const sealedConsents = [
  "truncate click.consent_head, click.consent_deadline",
  `alter table click.consent_head
    drop column user_ref,
    add column subject_index bytea not null check (octet_length(subject_index) = 16),
    add primary key (organization_id, subject_index)`,

  `alter table click.consent_event
    drop column user_ref,
    drop column receipt,
    drop column evidence,
    drop column reason,
    drop column actor_id,
    add column subject_index bytea not null check (octet_length(subject_index) = 16),
    add column sealed bytea,
    add column erased_at timestamptz,
    add primary key (organization_id, subject_index, revision),
    add check (erased_at is not null or (sealed is null) = (update_id is null))`,
  `create unique index consent_event_receipt on click.consent_event (organization_id, receipt_id)
    where update_id is not null`,
  "create index consent_event_update on click.consent_event (organization_id, update_id) where update_id is not null",
  `comment on table click.consent_event is
    'Every change of consent; an erasure takes away whose it was, nothing else ever changes. The state of a purpose is its last row: each row carries on what it leaves as it was. That a grant runs out is computed from expires_at. update_id is null for a change that an acceptance made: receipt_id is that of the acceptance, which also holds everything personal.'`,
  `comment on column click.consent_event.subject_index is
    'Keyed hash of the user reference; a random value after erasure, so that the changes of one person stay in their order.'`,
  `comment on column click.consent_event.sealed is
    'Receipt and disclosures of a change that was no acceptance, under the key of the change (subject_key, record receipt_id). Null after erasure.'`,

  `alter table click.consent_deadline
    drop column user_ref,
    add column subject_index bytea not null check (octet_length(subject_index) = 16),
    add column user_key bytea not null check (octet_length(user_key) = 16),
    add primary key (organization_id, subject_index, revision)`,
  `comment on column click.consent_deadline.user_key is
    'What events name the user by: the sweeper cannot compute it.'`,

  "grant select (subject_index) on click.consent_event to assent_click_sweeper",
];

const recorderGrants = [
  ...["subject_key", "log_leaf"].flatMap((table) => [
    `create policy recorder_insert on click.${table} for insert to assent_click_recorder with check (true)`,
    `create policy recorder_lookup on click.${table} for select to assent_click_recorder using (true)`,
    `grant select, insert on click.${table} to assent_click_recorder`,
  ]),
  "create policy recorder_all on click.log_head to assent_click_recorder using (true) with check (true)",
  "grant select, insert, update (size) on click.log_head to assent_click_recorder",
  "grant select (accepted_at, subject_index, sealed, erased_at) on click.acceptance to assent_click_recorder",
  "grant select (subject_index, sealed, sealed_reason, erased_at) on click.session to assent_click_recorder",
  "grant update (subject_index, sealed_reason) on click.session to assent_click_recorder",
];

/** The integrator reads leaves and writes trees; it adds leaves only to the anchor log. */
const integratorGrants = [
  ...["log_head", "log_leaf", "log_tree", "log_tile", "log_checkpoint", "anchor"].map(
    (table) => `create policy integrator_reads on click.${table} for select to assent_click_integrator using (true)`,
  ),
  ...["log_tree", "log_tile", "log_checkpoint", "anchor"].map(
    (table) =>
      `create policy integrator_adds on click.${table} for insert to assent_click_integrator with check (true)`,
  ),
  ...["log_tree", "log_tile"].map(
    (table) =>
      `create policy integrator_changes on click.${table} for update to assent_click_integrator using (true) with check (true)`,
  ),
  `create policy integrator_anchors on click.log_leaf for insert to assent_click_integrator
    with check (organization_id = ${anchorLog})`,
  `create policy integrator_anchors on click.log_head for insert to assent_click_integrator
    with check (organization_id = ${anchorLog})`,
  `create policy integrator_counts on click.log_head for update to assent_click_integrator
    using (organization_id = ${anchorLog}) with check (organization_id = ${anchorLog})`,
  "grant select, insert on click.log_leaf, click.log_checkpoint, click.anchor to assent_click_integrator",
  "grant select, insert, update (size) on click.log_head to assent_click_integrator",
  `grant select, insert, update (size, frontier, root, anchored_size, updated_at)
    on click.log_tree to assent_click_integrator`,
  "grant select, insert, update (hashes) on click.log_tile to assent_click_integrator",
  "grant select, insert on click.anchor_timestamp to assent_click_integrator",
  "create policy integrator_insert on click.outbox for insert to assent_click_integrator with check (true)",
  "grant insert on click.outbox to assent_click_integrator",
];

const erasure = [
  `create table click.erasure (
    organization_id uuid not null,
    id uuid not null,
    outcome text not null,
    client_id text not null,
    request_id text not null,
    requested_at timestamptz not null,
    primary key (organization_id, id)
  )`,
  `comment on table click.erasure is
    'What was erased, restricted and kept on somebody''s request; names records, not the person. outcome is JSON.'`,
  ...forceOrgIsolationSql("click.erasure"),
  "grant select on click.erasure to assent_click",

  `create table click.restricted_access (
    organization_id uuid not null,
    id uuid not null,
    session_id uuid not null,
    reason text not null,
    client_id text not null,
    request_id text not null,
    accessed_at timestamptz not null,
    primary key (organization_id, id)
  )`,
  `comment on table click.restricted_access is
    'Who opened restricted records, when and why (GDPR art. 18). reason is the administrator''s own text.'`,
  ...forceOrgIsolationSql("click.restricted_access"),
  "grant select, insert on click.restricted_access to assent_click",

  "grant insert, select on click.erasure to assent_click_eraser",
  "grant select, delete, update (seed, restricted_until) on click.subject_key to assent_click_eraser",
  "grant select, update (subject_index, sealed, once_hash, erased_at) on click.acceptance to assent_click_eraser",
  `grant select, update (subject_index, sealed, sealed_reason, erased_at, status, outcome, updated_at, page_facts, render_hash)
    on click.session to assent_click_eraser`,
  "grant select, delete on click.sealed_rendering, click.session_event, click.session_deadline to assent_click_eraser",
  "grant select, update (subject_index, sealed, erased_at) on click.consent_event to assent_click_eraser",
  // Locking a row requires the right to update it.
  "grant select, delete, update (clock) on click.consent_head to assent_click_eraser",
  "grant select, delete, update (expires_at) on click.consent_deadline to assent_click_eraser",
  "grant select on click.template_terms to assent_click_eraser",
  "grant select, insert, update (size) on click.log_head to assent_click_eraser",
  "grant select, insert on click.log_leaf to assent_click_eraser",
  "grant insert on click.outbox to assent_click_eraser",
  "grant select, delete, insert, update on click.stat_user to assent_click_eraser",
  // Restricted records of any organization are erased when their retention time is over.
  "create policy eraser_due on click.subject_key for select to assent_click_eraser using (restricted_until is not null)",
];
