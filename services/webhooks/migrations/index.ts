import type { ServiceMigrations } from "#platform/db/migrate.ts";
import { Migration001Initial } from "./001_initial.ts";
import { Migration002MasterKeys } from "./002_master_keys.ts";

export const webhooksMigrations: ServiceMigrations = {
  schema: "webhooks",
  list: [
    { name: "001_initial", class: Migration001Initial },
    { name: "002_master_keys", class: Migration002MasterKeys },
  ],
};
