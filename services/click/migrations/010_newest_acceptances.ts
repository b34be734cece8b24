import { Migration } from "@mikro-orm/migrations";

/** The list of an organization's acceptances need not pass over the keys of changes of consent, which are none. */
export class Migration010NewestAcceptances extends Migration {
  override up(): void {
    this.addSql("drop index click.acceptance_newest");
    this.addSql(`create index acceptance_newest on click.acceptance (organization_id, accepted_at, receipt_id)
      where decision <> 'CONSENT'`);
  }
}
