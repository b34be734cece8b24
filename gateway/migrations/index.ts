import { Migration } from "@mikro-orm/migrations";
import { createRoleSql } from "#platform/db/ddl.ts";
import type { ServiceMigrations } from "#platform/db/migrate.ts";

/** The counters of the rate limits; the only thing that the gateway keeps. */
class Initial extends Migration {
  override up(): void {
    this.addSql(createRoleSql("assent_gateway"));
    this.addSql("grant usage on schema gateway to assent_gateway");
    // window_start leads the key so that old windows are one range to delete. Half-empty pages leave room for the
    // next count of a row on its own page, which spares the index.
    this.addSql(`
      create table gateway.rate_window (
        window_start timestamptz not null,
        bucket text not null,
        used integer not null,
        granted integer not null,
        budget integer not null,
        primary key (window_start, bucket)
      ) with (fillfactor = 50)`);
    this.addSql(`comment on table gateway.rate_window is
      'Requests taken per client and group in one window. Without organization_id: a bucket is named after a client, which belongs to one organization for ever, and one statement takes for many of them. granted and budget are those of the last take.'`);
    this.addSql("grant select, insert, update, delete on gateway.rate_window to assent_gateway");
  }
}

export const gatewayMigrations: ServiceMigrations = {
  schema: "gateway",
  list: [{ name: "001_initial", class: Initial }],
};
