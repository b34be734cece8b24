import { Migration } from "@mikro-orm/migrations";
import { outboxCursorSql } from "#platform/outbox/outbox.ts";

export class Migration004OutboxCursor extends Migration {
  override up(): void {
    for (const statement of outboxCursorSql({ schema: "templates", relayRole: "assent_templates_relay" })) {
      this.addSql(statement);
    }
  }
}
