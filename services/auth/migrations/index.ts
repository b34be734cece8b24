import { createRoleSql } from "#platform/db/ddl.ts";
import { type ServiceMigrations, sqlMigration } from "#platform/db/migrate.ts";
import { outboxCursorSql, outboxTablesSql } from "#platform/outbox/outbox.ts";
import { Migration001Initial } from "./001_initial.ts";
import { Migration002ClientKeys } from "./002_client_keys.ts";
import { Migration003People } from "./003_people.ts";
import { Migration005Identities } from "./005_identities.ts";
import { Migration006WebhookNotices } from "./006_webhook_notices.ts";
import { Migration007MasterKeys } from "./007_master_keys.ts";

const relayRole = "assent_auth_relay";

export const authMigrations: ServiceMigrations = {
  schema: "auth",
  list: [
    { name: "001_initial", class: Migration001Initial },
    { name: "002_client_keys", class: Migration002ClientKeys },
    { name: "003_people", class: Migration003People },
    sqlMigration(
      "004_organization_defaults",
      `alter table auth.organization
    add column locale text not null default '',
    add column time_zone text not null default ''`,
      "comment on column auth.organization.locale is 'BCP 47, for users who are invited without one; empty for none'",
      "comment on column auth.organization.time_zone is 'IANA, for users who are invited; empty for none'",
      "grant update (locale, time_zone) on auth.organization to assent_auth",
    ),
    { name: "005_identities", class: Migration005Identities },
    { name: "006_webhook_notices", class: Migration006WebhookNotices },
    { name: "007_master_keys", class: Migration007MasterKeys },
    // What is added to the audit trail is told to others.
    sqlMigration(
      "008_outbox",
      createRoleSql(relayRole),
      ...outboxTablesSql({ schema: "auth", writerRole: "assent_auth", relayRole }),
      ...outboxCursorSql({ schema: "auth", relayRole }),
    ),
  ],
};
