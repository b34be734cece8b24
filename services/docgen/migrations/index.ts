import type { ServiceMigrations } from "#platform/db/migrate.ts";
import { Migration001Initial } from "./001_initial.ts";
import { Migration002Lists } from "./002_lists.ts";

export const docgenMigrations: ServiceMigrations = {
  schema: "docgen",
  list: [
    { name: "001_initial", class: Migration001Initial },
    { name: "002_lists", class: Migration002Lists },
  ],
};
