import { Migration } from "@mikro-orm/migrations";

/** What is to be known of a file before something is placed on it, such as that it is certified. */
export class Migration010DocumentWarnings extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}

const statements = [
  `alter table sign.document add column warnings jsonb not null default '[]'
    check (jsonb_typeof(warnings) = 'array')`,
  "comment on column sign.document.warnings is 'codes of what signatures and claims of the file forbid, as the API has them'",
];
