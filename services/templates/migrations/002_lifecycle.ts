import { Migration } from "@mikro-orm/migrations";

export class Migration002Lifecycle extends Migration {
  override up(): void {
    for (const statement of [...softDeletion, ...deletionForGood]) this.addSql(statement);
  }
}

const writerRole = "assent_templates";
const resolverRole = "assent_templates_resolver";

/** What was published once stays for those who accepted it; it only cannot be seen any more. */
const softDeletion = [
  `alter table templates.template add column deleted_at timestamptz(3),
    add constraint template_deletion_check check (deleted_at is null or first_published_at is not null)`,
  // A deleted template frees its slug.
  "alter table templates.template drop constraint template_slug_key",
  "create unique index template_slug_key on templates.template (organization_id, slug) where deleted_at is null",
  "drop index templates.template_newest",
  `create index template_newest on templates.template (organization_id, created_at desc, id desc)
    where deleted_at is null`,
  `grant select (deleted_at) on templates.template to ${resolverRole}`,
];

/** Nobody can have accepted what was never published. */
const deletionForGood = [
  `grant delete on templates.template, templates.version to ${writerRole}`,
  `create policy never_published on templates.template as restrictive for delete to ${writerRole}
    using (first_published_at is null)`,
  `create policy never_published on templates.version as restrictive for delete to ${writerRole} using (revision = 0)`,
];
