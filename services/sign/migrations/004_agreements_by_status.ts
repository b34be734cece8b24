import { Migration } from "@mikro-orm/migrations";

/** Lists of one status are read in their order, and all are counted without a look at them. */
export class Migration004AgreementsByStatus extends Migration {
  override up(): void {
    this.addSql(`create index agreement_by_status on sign.agreement (organization_id, status, created_at desc, id desc)
      where deleted_at is null and status <> 'template'`);
  }
}
