import { type ServiceMigrations, sqlMigration } from "#platform/db/migrate.ts";
import { outboxCursorSql } from "#platform/outbox/outbox.ts";
import { Migration001Initial } from "./001_initial.ts";
import { Migration002Consent } from "./002_consent.ts";
import { Migration003Render } from "./003_render.ts";
import { Migration004Stats } from "./004_stats.ts";
import { Migration005Evidence } from "./005_evidence.ts";
import { Migration007ExternalHeads } from "./007_external_heads.ts";
import { Migration012MasterKeys } from "./012_master_keys.ts";

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
  ],
};
