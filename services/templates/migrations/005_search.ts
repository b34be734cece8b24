import { Migration } from "@mikro-orm/migrations";

export class Migration005Search extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}

const statements = [
  // Row-level security lets an index answer comparisons only, which is why the small letters are kept as a column.
  `alter table templates.template
    add column name_search text collate "C" not null generated always as (lower(name)) stored`,
  `create index template_by_name on templates.template (organization_id, name_search) where deleted_at is null`,
  `create index template_active_newest on templates.template (organization_id, created_at desc, id desc)
    where deleted_at is null and archived_at is null`,
  `create index template_archived_newest on templates.template (organization_id, created_at desc, id desc)
    where deleted_at is null and archived_at is not null`,
  "create index version_published on templates.version (organization_id, template_id) where status = 'PUBLISHED'",
];
