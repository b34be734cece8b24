import { Migration } from "@mikro-orm/migrations";

/** The event of a grant that ran out names the receipt of the grant, so that who may read it can find whose it was. */
export class Migration008ExpiredReceipt extends Migration {
  override up(): void {
    this.addSql("grant select (receipt_id) on click.consent_event to assent_click_sweeper");
  }
}
