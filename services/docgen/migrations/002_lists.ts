import { Migration } from "@mikro-orm/migrations";

/** What lists that are narrowed down are read by, however much there is beside what they show. */
export class Migration002Lists extends Migration {
  override up(): void {
    for (const statement of indexes) this.addSql(statement);
  }
}

const indexes = [
  "create index batch_by_status on docgen.batch (organization_id, status, id)",
  "create index document_of_template on docgen.document (organization_id, template_id, id) where deleted_at is null",
  // Of those that are completed there are so many that the key itself finds them; what waits and what is rendered have
  // indexes for the queue.
  `create index document_ended on docgen.document (organization_id, status, id)
    where status in ('failed', 'cancelled', 'expired') and deleted_at is null`,
];
