import type { ServiceMigrations } from "#platform/db/migrate.ts";
import { Migration001Initial } from "./001_initial.ts";

export const docgenMigrations: ServiceMigrations = {
  schema: "docgen",
  list: [{ name: "001_initial", class: Migration001Initial }],
};
