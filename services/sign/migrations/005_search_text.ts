import { Migration } from "@mikro-orm/migrations";

/** Words are looked for in one column: in small letters once, and not again at each search in four columns. */
export class Migration005SearchText extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}

const statements = [
  "alter table sign.agreement add column search_text text not null default ''",
  `comment on column sign.agreement.search_text is
    'Subject, name, and the names and addresses of the recipients, in small letters'`,
  // The owner sees rows only while row-level security is not forced upon it.
  ...["agreement", "recipient"].map((table) => `alter table sign.${table} no force row level security`),
  `update sign.agreement a set search_text = lower(concat_ws(E'\\x1f', a.email_subject, a.name, (
      select string_agg(p.name || E'\\x1f' || p.email, E'\\x1f' order by p.position) from sign.recipient p
      where p.organization_id = a.organization_id and p.agreement_id = a.id)) collate "und-x-icu")
    where a.deleted_at is null`,
  ...["agreement", "recipient"].map((table) => `alter table sign.${table} force row level security`),
];
