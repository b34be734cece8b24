import { type ServiceMigrations, sqlMigration } from "#platform/db/migrate.ts";
import { Migration001Initial } from "./001_initial.ts";
import { Migration002MasterKeys } from "./002_master_keys.ts";

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
  ],
};
