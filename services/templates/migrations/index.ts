import { type ServiceMigrations, sqlMigration } from "#platform/db/migrate.ts";
import { outboxCursorSql } from "#platform/outbox/outbox.ts";
import { Migration001Initial } from "./001_initial.ts";
import { Migration002Lifecycle } from "./002_lifecycle.ts";
import { Migration003Deployments } from "./003_deployments.ts";
import { Migration005Search } from "./005_search.ts";
import { Migration006Published } from "./006_published.ts";

export const templatesMigrations: ServiceMigrations = {
  schema: "templates",
  list: [
    { name: "001_initial", class: Migration001Initial },
    { name: "002_lifecycle", class: Migration002Lifecycle },
    { name: "003_deployments", class: Migration003Deployments },
    sqlMigration("004_outbox_cursor", ...outboxCursorSql({ schema: "templates", relayRole: "assent_templates_relay" })),
    { name: "005_search", class: Migration005Search },
    { name: "006_published", class: Migration006Published },
  ],
};
