import { Migration } from "@mikro-orm/migrations";
import { destroyerSql, forceOrgIsolationSql } from "#platform/db/ddl.ts";
import { holdMarksSql } from "#platform/db/hold-marks.ts";
import { indexMigration, type ServiceMigrations, sqlMigration } from "#platform/db/migrate.ts";
import { masterKeyTablesSql } from "#platform/master-keys/tables.ts";
import { outboxCursorSql } from "#platform/outbox/outbox.ts";
import {
  Migration001Initial,
  Migration002Consent,
  Migration003Render,
  Migration004Stats,
  Migration007ExternalHeads,
} from "./001_to_007.ts";
import { Migration005Evidence } from "./005_evidence.ts";

/** Supports replacing the master key: a role of its own may read everything that is sealed and seal it again. */
class Migration012MasterKeys extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}

const ofRecord = (table: string, recordId: string, columns: readonly string[], ...key: readonly string[]) => ({
  table,
  columns,
  reads: ["organization_id", recordId, ...key],
  isOfOrganizations: true,
});

const statements = masterKeyTablesSql({
  schema: "click",
  serviceRole: "assent_click",
  resealerRole: "assent_click_resealer",
  hasHashKey: true,
  sealed: [
    {
      table: "click.signing_key",
      columns: ["private_key"],
      reads: ["purpose", "generation", "kid"],
      isOfOrganizations: false,
    },
    ofRecord("click.acceptance", "receipt_id", ["sealed"], "idempotency_hash"),
    ofRecord("click.session", "id", ["sealed", "sealed_reason"]),
    ofRecord("click.session_event", "session_id", ["sealed_target"], "position"),
    ofRecord("click.sealed_rendering", "record_id", ["sealed"]),
    ofRecord("click.consent_event", "receipt_id", ["sealed"], "subject_index", "revision"),
    ofRecord("click.subject_key", "record_id", ["seed"]),
  ],
});

export const clickMigrations: ServiceMigrations = {
  schema: "click",
  list: [
    { name: "001_initial", class: Migration001Initial },
    { name: "002_consent", class: Migration002Consent },
    { name: "003_render", class: Migration003Render },
    { name: "004_stats", class: Migration004Stats },
    { name: "005_evidence", class: Migration005Evidence },
    sqlMigration("006_outbox_cursor", ...outboxCursorSql({ schema: "click", relayRole: "assent_click_relay" })),
    { name: "007_external_heads", class: Migration007ExternalHeads },
    // The event of an expired grant names the receipt of the grant, so that a role that may read the receipt can find
    // its user.
    sqlMigration("008_expired_receipt", "grant select (receipt_id) on click.consent_event to assent_click_sweeper"),
    // The decisions of the last hours are read for all templates together; the primary key would visit each template.
    sqlMigration("009_stats_by_hour", "create index stat_hour_by_hour on click.stat_hour (organization_id, hour)"),
    // The list of an organization's acceptances must not read past the keys of changes of consent, which are not
    // acceptances.
    sqlMigration(
      "010_newest_acceptances",
      "drop index click.acceptance_newest",
      `create index acceptance_newest on click.acceptance (organization_id, accepted_at, receipt_id)
      where decision <> 'CONSENT'`,
    ),
    { name: "012_master_keys", class: Migration012MasterKeys },
    // That an agreement was deleted is a leaf of its own.
    sqlMigration(
      "016_deletion_heads",
      "alter table click.external_head drop constraint external_head_source_check",
      `alter table click.external_head add constraint external_head_source_check
      check (source in ('sign', 'sign.deletion'))`,
    ),
    // An agreement is completed once, but several people may be erased from it.
    sqlMigration(
      "017_erasure_heads",
      "alter table click.external_head drop constraint external_head_source_check",
      `alter table click.external_head add constraint external_head_source_check
      check (source in ('sign', 'sign.deletion', 'sign.erasure'))`,
      "alter table click.external_head drop constraint external_head_pkey, add primary key (organization_id, source, agreement_id, sequence)",
      `create unique index external_head_once on click.external_head (organization_id, source, agreement_id)
      where source <> 'sign.erasure'`,
      `comment on table click.external_head is
      'Heads of trails that other services keep, each with a leaf of the log (log_leaf, record_id). The unique indexes let one of several calls enter a head. Rows are never changed or deleted.'`,
    ),
    // An organization is deleted by a role that does nothing else.
    sqlMigration("018_destroyer", ...destroyerSql("click", "assent_click_destroyer")),
    // A database that was set back in time goes on under another origin.
    sqlMigration(
      "019_log_epochs",
      "alter table click.log_head add column epoch integer not null default 1",
      "alter table click.log_leaf add column epoch integer",
      "comment on column click.log_leaf.epoch is 'Of the log, when the leaf was recorded; null for the first.'",
      "grant update (epoch) on click.log_head to assent_click",
      `create table click.log_epoch (
        organization_id uuid not null,
        epoch integer not null check (epoch > 1),
        first_index bigint not null,
        tree_size bigint not null,
        missing_from bigint not null,
        former_epoch integer not null,
        former_size bigint not null,
        former_note text not null,
        opened_at timestamptz not null,
        confirmed_at timestamptz,
        primary key (organization_id, epoch)
      )`,
      `comment on table click.log_epoch is
      'Epochs of logs after the first: each was opened because the database did not have what the log had signed (former_note), and has an origin of its own. Its first leaf is at first_index; tree_size is the size of the last checkpoint that the database had. confirmed_at: an operator has taken note.'`,
      ...forceOrgIsolationSql("click.log_epoch"),
      "grant select, insert on click.log_epoch to assent_click",
      `create policy integrator_reads on click.log_epoch for select to assent_click_integrator using (true)`,
      `create policy integrator_confirms on click.log_epoch for update to assent_click_integrator using (true) with check (true)`,
      "grant select, update (confirmed_at) on click.log_epoch to assent_click_integrator",
      ...destroyerSql("click", "assent_click_destroyer"),
    ),
    // Copies that are mailed to those who accepted.
    sqlMigration(
      "020_copies",
      `create table click.copy (
        organization_id uuid not null,
        receipt_id uuid not null,
        status text not null default 'WAITING' check (status in ('WAITING', 'SENT', 'REFUSED', 'FAILED', 'CANCELLED')),
        created_at timestamptz not null,
        run_at timestamptz not null,
        attempts integer not null default 0,
        claim uuid,
        claimed_until timestamptz,
        ended_at timestamptz,
        message_id text,
        document_hash text,
        primary key (organization_id, receipt_id)
      )`,
      `comment on table click.copy is
      'Mails with the text and the receipt, one for each acceptance that asked for it; written with the acceptance. The address is sealed with the acceptance. Rows stay: they are what the evidence says of the delivery.'`,
      "create index copy_due on click.copy (run_at) where status = 'WAITING'",
      ...forceOrgIsolationSql("click.copy"),
      "create policy recorder_insert on click.copy for insert to assent_click_recorder with check (true)",
      "grant insert on click.copy to assent_click_recorder",
      "create policy sweeper_reads on click.copy for select to assent_click_sweeper using (true)",
      "create policy sweeper_claims on click.copy for update to assent_click_sweeper using (true) with check (true)",
      `grant select (organization_id, receipt_id, status, run_at, attempts, claim, claimed_until),
        update (claim, claimed_until, attempts) on click.copy to assent_click_sweeper`,
      `grant select, update (status, run_at, claim, claimed_until, ended_at, message_id, document_hash)
        on click.copy to assent_click`,
      "grant select, update (status, ended_at) on click.copy to assent_click_eraser",
      ...destroyerSql("click", "assent_click_destroyer"),
    ),
    // An empty witness is not a new one.
    sqlMigration(
      "021_log_witness",
      `create table click.log_witness (
        only_one boolean primary key default true check (only_one),
        marker text not null,
        since timestamptz not null,
        confirmed_by text
      )`,
      `comment on table click.log_witness is
      'One row: which witness of the logs this database knows, by what stands in it (marker). confirmed_by: the operator who has taken it for new; null for the first. No organization: it keeps the checkpoints of all.'`,
      "grant select, insert, update (marker, since, confirmed_by) on click.log_witness to assent_click_integrator",
      "alter table click.log_epoch add column confirmed_by text",
      "grant update (confirmed_by) on click.log_epoch to assent_click_integrator",
    ),
    // Nobody knows what logs had signed when their witness was lost: they go on under origins that were never used.
    sqlMigration(
      "022_first_epoch",
      "alter table click.log_witness add column first_epoch integer not null default 1",
      "comment on column click.log_witness.first_epoch is 'Nothing is signed in an epoch before this one, except in logs of organizations that are younger than the witness. 1 for the first witness.'",
      "grant update (first_epoch) on click.log_witness to assent_click_integrator",
    ),
    // Acceptances are listed by the text and the revision that were accepted.
    indexMigration(
      "023_acceptances_by_text",
      "acceptance_text",
      "click.acceptance (organization_id, version_id, revision, accepted_at, receipt_id) where decision <> 'CONSENT'",
    ),
    // Nothing is erased under a legal hold that was set meanwhile.
    sqlMigration(
      "024_hold_marks",
      ...holdMarksSql("click", "assent_click", "assent_click_eraser"),
      ...destroyerSql("click", "assent_click_destroyer"),
    ),
    // That records of other services were deleted is a leaf as well.
    sqlMigration(
      "025_record_heads",
      "alter table click.external_head drop constraint external_head_source_check",
      `alter table click.external_head add constraint external_head_source_check
      check (source in ('sign', 'sign.deletion', 'sign.erasure', 'sign.records')) not valid`,
    ),
    // Texts that are files: what names the file is kept here, and its bytes in click.shown.
    sqlMigration(
      "026_pdf_texts",
      `alter table click.agreement_text drop constraint agreement_text_format_check,
        add constraint agreement_text_format_check check (format in ('HTML', 'MARKDOWN', 'TEXT', 'PDF')) not valid`,
    ),
    // People who are asked for their acceptance by a date.
    sqlMigration(
      "027_campaigns",
      `create table click.campaign (
        organization_id uuid not null,
        id uuid not null,
        name text not null,
        template_id uuid not null,
        version_id uuid,
        revision integer,
        status text not null default 'DRAFT' check (status in ('DRAFT', 'RUNNING', 'ENDED', 'CANCELLED', 'DELETED')),
        due_at timestamptz(3) not null,
        reminder_days integer[] not null,
        reminder_at text not null,
        time_zone text not null,
        targets jsonb,
        next_at timestamptz(3),
        reminders_sent integer not null default 0,
        people integer not null default 0 check (people between 0 and 1000000),
        unchecked integer not null default 0 check (unchecked >= 0),
        accepted integer not null default 0 check (accepted >= 0),
        declined integer not null default 0 check (declined >= 0),
        withdrawn integer not null default 0 check (withdrawn >= 0),
        erased integer not null default 0,
        key_hash bytea,
        request_hash bytea not null,
        created_by text not null,
        created_at timestamptz(3) not null,
        started_at timestamptz(3),
        announced_at timestamptz(3),
        ended_at timestamptz(3),
        people_until timestamptz(3),
        check (unchecked + accepted + declined + withdrawn <= people),
        primary key (organization_id, id)
      )`,
      `comment on table click.campaign is
      'Campaigns: people who are asked for their acceptance of a template by a date. Whoever changes the state of one of its people locks the row first, and writes the counts with it. targets: the revisions that were live when it started. next_at: when the next reminder, its end, or the deletion of its people is due. A draft that was deleted has the status DELETED until its people are.'`,
      "create unique index campaign_key on click.campaign (organization_id, key_hash) where key_hash is not null",
      "create index campaign_due on click.campaign (next_at) where next_at is not null",
      "create index campaign_unchecked on click.campaign (organization_id, id) where status = 'RUNNING' and (unchecked > 0 or announced_at is null)",
      `create table click.campaign_person (
        organization_id uuid not null,
        campaign_id uuid not null,
        subject_index bytea not null,
        state text not null default 'LISTED' check (state in ('LISTED', 'ASKED', 'ACCEPTED', 'DECLINED', 'WITHDRAWN')),
        receipt_id uuid,
        decided_at timestamptz(3),
        seed bytea not null,
        sealed bytea not null,
        primary key (organization_id, campaign_id, subject_index),
        foreign key (organization_id, campaign_id) references click.campaign (organization_id, id)
      )`,
      `comment on table click.campaign_person is
      'The people of campaigns. Their references are sealed under the seed beside them: with the row both are gone.'`,
      "create index campaign_person_state on click.campaign_person (organization_id, campaign_id, state, subject_index)",
      "create index campaign_person_subject on click.campaign_person (organization_id, subject_index)",
      ...["campaign", "campaign_person"].flatMap((table) => [
        ...forceOrgIsolationSql(`click.${table}`),
        `grant select, insert, update, delete on click.${table} to assent_click`,
      ]),
      "create policy sweeper_reads on click.campaign for select to assent_click_sweeper using (true)",
      `grant select (organization_id, id, status, next_at, unchecked, announced_at) on click.campaign
        to assent_click_sweeper`,
      `grant select, update (people, unchecked, accepted, declined, withdrawn, erased) on click.campaign
        to assent_click_eraser`,
      "grant select, delete on click.campaign_person to assent_click_eraser",
      "create policy resealer_reads on click.campaign_person for select to assent_click_resealer using (true)",
      `create policy resealer_seals on click.campaign_person for update to assent_click_resealer
        using (true) with check (true)`,
      `grant select (organization_id, campaign_id, subject_index, seed, sealed), update (sealed)
        on click.campaign_person to assent_click_resealer`,
      ...destroyerSql("click", "assent_click_destroyer"),
    ),
  ],
};
