import { Migration } from "@mikro-orm/migrations";
import { outboxCursorSql } from "#platform/outbox/outbox.ts";

export class Migration006OutboxCursor extends Migration {
  override up(): void {
    for (const statement of outboxCursorSql({ schema: "click", relayRole: "assent_click_relay" })) {
      this.addSql(statement);
    }
  }
}
