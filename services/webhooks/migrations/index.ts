import type { ServiceMigrations } from "#platform/db/migrate.ts";
import { Migration001Initial } from "./001_initial.ts";

export const webhooksMigrations: ServiceMigrations = {
  schema: "webhooks",
  list: [{ name: "001_initial", class: Migration001Initial }],
};
