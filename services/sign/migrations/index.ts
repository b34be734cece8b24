import type { ServiceMigrations } from "#platform/db/migrate.ts";
import { Migration001Initial } from "./001_initial.ts";
import { Migration002Evidence } from "./002_evidence.ts";

export const signMigrations: ServiceMigrations = {
  schema: "sign",
  list: [
    { name: "001_initial", class: Migration001Initial },
    { name: "002_evidence", class: Migration002Evidence },
  ],
};
