import { Migration } from "@mikro-orm/migrations";

/** What happened in the last hours is read for all templates together; the primary key leads through each of them. */
export class Migration009StatsByHour extends Migration {
  override up(): void {
    this.addSql("create index stat_hour_by_hour on click.stat_hour (organization_id, hour)");
  }
}
