import { Migration } from "@mikro-orm/migrations";
import { masterKeyTablesSql } from "#platform/master-keys/tables.ts";

/** The master key can be replaced: everything that is sealed can be read and sealed anew by a role of its own. */
export class Migration007MasterKeys extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}

const statements = masterKeyTablesSql({
  schema: "auth",
  serviceRole: "assent_auth",
  resealerRole: "assent_auth_resealer",
  hasHashKey: true,
  sealed: [
    { table: "auth.signing_key", columns: ["private_jwk"], reads: ["generation", "kid"], isOfOrganizations: false },
    {
      table: "auth.user_account",
      columns: ["totp_secret"],
      reads: ["organization_id", "user_id"],
      isOfOrganizations: true,
    },
    {
      table: "auth.mail_job",
      columns: ["sealed_token"],
      reads: ["organization_id", "job_id"],
      isOfOrganizations: true,
    },
  ],
});
