import type { ServiceMigrations } from "#platform/db/migrate.ts";
import { Migration001Initial } from "./001_initial.ts";
import { Migration002ClientKeys } from "./002_client_keys.ts";
import { Migration003People } from "./003_people.ts";
import { Migration004OrganizationDefaults } from "./004_organization_defaults.ts";
import { Migration005Identities } from "./005_identities.ts";
import { Migration006WebhookNotices } from "./006_webhook_notices.ts";
import { Migration007MasterKeys } from "./007_master_keys.ts";

export const authMigrations: ServiceMigrations = {
  schema: "auth",
  list: [
    { name: "001_initial", class: Migration001Initial },
    { name: "002_client_keys", class: Migration002ClientKeys },
    { name: "003_people", class: Migration003People },
    { name: "004_organization_defaults", class: Migration004OrganizationDefaults },
    { name: "005_identities", class: Migration005Identities },
    { name: "006_webhook_notices", class: Migration006WebhookNotices },
    { name: "007_master_keys", class: Migration007MasterKeys },
  ],
};
