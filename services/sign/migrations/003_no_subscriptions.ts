import { Migration } from "@mikro-orm/migrations";

/** The webhooks service keeps where events are sent; nothing was ever sent to what stood here. */
export class Migration003NoSubscriptions extends Migration {
  override up(): void {
    this.addSql("drop table sign.subscription");
  }
}
