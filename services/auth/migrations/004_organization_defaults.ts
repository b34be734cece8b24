import { Migration } from "@mikro-orm/migrations";

export class Migration004OrganizationDefaults extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}

const statements = [
  `alter table auth.organization
    add column locale text not null default '',
    add column time_zone text not null default ''`,
  "comment on column auth.organization.locale is 'BCP 47, for users who are invited without one; empty for none'",
  "comment on column auth.organization.time_zone is 'IANA, for users who are invited; empty for none'",
  "grant update (locale, time_zone) on auth.organization to assent_auth",
];
