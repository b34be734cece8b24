import { Migration } from "@mikro-orm/migrations";
import { destroyerSql, forceOrgIsolationSql } from "#platform/db/ddl.ts";
import { erasureAnswersSql } from "#platform/db/erasure-answers.ts";
import { holdMarksSql } from "#platform/db/hold-marks.ts";
import { type ServiceMigrations, sqlMigration } from "#platform/db/migrate.ts";
import { masterKeyTablesSql } from "#platform/master-keys/tables.ts";
import { Migration001Initial } from "./001_initial.ts";

/** The master key can be replaced: everything that is sealed can be read and sealed anew by a role of its own. */
class Migration002MasterKeys extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}

const statements = masterKeyTablesSql({
  schema: "webhooks",
  serviceRole: "assent_webhooks",
  resealerRole: "assent_webhooks_resealer",
  hasHashKey: false,
  sealed: [
    {
      table: "webhooks.endpoint",
      columns: ["secret", "previous_secret"],
      reads: ["organization_id", "id"],
      isOfOrganizations: true,
    },
    {
      table: "webhooks.connect_secret",
      columns: ["secret"],
      reads: ["organization_id", "id"],
      isOfOrganizations: true,
    },
  ],
});

export const webhooksMigrations: ServiceMigrations = {
  schema: "webhooks",
  list: [
    { name: "001_initial", class: Migration001Initial },
    { name: "002_master_keys", class: Migration002MasterKeys },
    // Events of the audit trail may be sent in a form that systems which watch over others understand.
    sqlMigration(
      "003_audit_format",
      `alter table webhooks.endpoint
    add column audit_format text not null default 'assent' check (audit_format in ('assent', 'ocsf'))`,
      "grant select (audit_format) on webhooks.endpoint to assent_webhooks_sender",
    ),
    sqlMigration("004_erasure_answers", ...erasureAnswersSql({ schema: "webhooks", role: "assent_webhooks" })),
    // An organization is deleted by a role that does nothing else.
    sqlMigration("006_destroyer", ...destroyerSql("webhooks", "assent_webhooks_destroyer")),
    // Operators see how much each organization does.
    sqlMigration(
      "007_use",
      `create table webhooks.use_day (
    organization_id uuid not null,
    day date not null,
    acceptances bigint not null,
    agreements bigint not null,
    documents bigint not null,
    deliveries bigint not null,
    primary key (organization_id, day)
  )`,
      "comment on table webhooks.use_day is 'How many of them there were on a day, UTC, for 30 days: as operators see it'",
      "create index use_day_day on webhooks.use_day (day)",
      ...forceOrgIsolationSql("webhooks.use_day"),
      "grant select, insert, update on webhooks.use_day to assent_webhooks",
      `grant select, insert, update (acceptances, agreements, documents, deliveries)
    on webhooks.use_day to assent_webhooks_fan_out`,
      "create policy fan_out_all on webhooks.use_day to assent_webhooks_fan_out using (true) with check (true)",
      "grant select (organization_id, day), delete on webhooks.use_day to assent_webhooks_sweeper",
      "create policy sweeper_all on webhooks.use_day to assent_webhooks_sweeper using (true) with check (true)",
      ...destroyerSql("webhooks", "assent_webhooks_destroyer"),
    ),
    // What was sent is kept while there is a legal hold.
    sqlMigration(
      "008_hold_marks",
      ...holdMarksSql("webhooks", "assent_webhooks", "assent_webhooks_sweeper"),
      "grant select (event_id) on webhooks.delivery to assent_webhooks_sweeper",
      ...destroyerSql("webhooks", "assent_webhooks_destroyer"),
    ),
  ],
};
