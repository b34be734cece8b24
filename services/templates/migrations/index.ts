import type { ServiceMigrations } from "#platform/db/migrate.ts";
import { Migration001Initial } from "./001_initial.ts";
import { Migration002Lifecycle } from "./002_lifecycle.ts";
import { Migration003Deployments } from "./003_deployments.ts";
import { Migration004OutboxCursor } from "./004_outbox_cursor.ts";

export const templatesMigrations: ServiceMigrations = {
  schema: "templates",
  list: [
    { name: "001_initial", class: Migration001Initial },
    { name: "002_lifecycle", class: Migration002Lifecycle },
    { name: "003_deployments", class: Migration003Deployments },
    { name: "004_outbox_cursor", class: Migration004OutboxCursor },
  ],
};
