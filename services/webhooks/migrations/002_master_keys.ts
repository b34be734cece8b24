import { Migration } from "@mikro-orm/migrations";
import { masterKeyTablesSql } from "#platform/master-keys/tables.ts";

/** The master key can be replaced: everything that is sealed can be read and sealed anew by a role of its own. */
export class Migration002MasterKeys extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}

const statements = masterKeyTablesSql({
  schema: "webhooks",
  serviceRole: "assent_webhooks",
  resealerRole: "assent_webhooks_resealer",
  hasHashKey: false,
  sealed: [
    {
      table: "webhooks.endpoint",
      columns: ["secret", "previous_secret"],
      reads: ["organization_id", "id"],
      isOfOrganizations: true,
    },
    {
      table: "webhooks.connect_secret",
      columns: ["secret"],
      reads: ["organization_id", "id"],
      isOfOrganizations: true,
    },
  ],
});
