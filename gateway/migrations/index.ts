import type { ServiceMigrations } from "#platform/db/migrate.ts";
import { Initial } from "./001_initial.ts";

export const gatewayMigrations: ServiceMigrations = {
  schema: "gateway",
  list: [{ name: "001_initial", class: Initial }],
};
