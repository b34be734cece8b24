import { Migration } from "@mikro-orm/migrations";

/** Indexes for filtered lists, so that they do not read rows that they do not show. */
export class Migration002Lists extends Migration {
  override up(): void {
    for (const statement of indexes) this.addSql(statement);
  }
}

const indexes = [
  "create index batch_by_status on docgen.batch (organization_id, status, id)",
  "create index document_of_template on docgen.document (organization_id, template_id, id) where deleted_at is null",
  // Completed documents are so many that the primary key finds them fast enough; waiting and rendering ones have
  // indexes for the queue.
  `create index document_ended on docgen.document (organization_id, status, id)
    where status in ('failed', 'cancelled', 'expired') and deleted_at is null`,
];
