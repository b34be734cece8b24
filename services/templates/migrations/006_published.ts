import { Migration } from "@mikro-orm/migrations";

export class Migration006Published extends Migration {
  override up(): void {
    for (const statement of [...column, ...trigger, ...indexes]) this.addSql(statement);
  }
}

// The owner sees rows only while row-level security is not forced upon it.
const column = [
  "alter table templates.template add column is_published boolean not null default false",
  `comment on column templates.template.is_published is
    'Whether a version is published. Kept by a trigger on the versions, for lists to be read by.'`,
  ...["template", "version"].map((table) => `alter table templates.${table} no force row level security`),
  `update templates.template t set is_published = true where exists (
    select from templates.version v
    where v.organization_id = t.organization_id and v.template_id = t.id and v.status = 'PUBLISHED')`,
  ...["template", "version"].map((table) => `alter table templates.${table} force row level security`),
];

// Whoever changes a version has locked its template, so that nobody counts while somebody else publishes.
const trigger = [
  `create function templates.note_published() returns trigger language plpgsql as $$
   begin
     update templates.template t set is_published = exists (
       select from templates.version v
       where v.organization_id = new.organization_id and v.template_id = new.template_id and v.status = 'PUBLISHED')
     where t.organization_id = new.organization_id and t.id = new.template_id;
     return null;
   end $$`,
  `create trigger version_added after insert on templates.version for each row
    when (new.status = 'PUBLISHED') execute function templates.note_published()`,
  `create trigger version_changed after update of status on templates.version for each row
    when (old.status <> new.status and 'PUBLISHED' in (old.status, new.status))
    execute function templates.note_published()`,
];

const indexes = [
  "drop index templates.template_active_newest",
  ...[
    ["published", "is_published"],
    ["draft", "not is_published"],
  ].map(
    ([name, condition]) => `create index template_${name}_newest
      on templates.template (organization_id, created_at desc, id desc)
      where deleted_at is null and archived_at is null and ${condition}`,
  ),
];
