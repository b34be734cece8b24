import { Migration } from "@mikro-orm/migrations";
import { masterKeyTablesSql } from "#platform/master-keys/tables.ts";

/** Supports replacing the master key: a role of its own may read everything that is sealed and seal it again. */
export class Migration012MasterKeys extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}

const ofRecord = (table: string, recordId: string, columns: readonly string[], ...key: readonly string[]) => ({
  table,
  columns,
  reads: ["organization_id", recordId, ...key],
  isOfOrganizations: true,
});

const statements = masterKeyTablesSql({
  schema: "click",
  serviceRole: "assent_click",
  resealerRole: "assent_click_resealer",
  hasHashKey: true,
  sealed: [
    {
      table: "click.signing_key",
      columns: ["private_key"],
      reads: ["purpose", "generation", "kid"],
      isOfOrganizations: false,
    },
    ofRecord("click.acceptance", "receipt_id", ["sealed"], "idempotency_hash"),
    ofRecord("click.session", "id", ["sealed", "sealed_reason"]),
    ofRecord("click.session_event", "session_id", ["sealed_target"], "position"),
    ofRecord("click.sealed_rendering", "record_id", ["sealed"]),
    ofRecord("click.consent_event", "receipt_id", ["sealed"], "subject_index", "revision"),
    ofRecord("click.subject_key", "record_id", ["seed"]),
  ],
});
