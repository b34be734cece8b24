import { Migration } from "@mikro-orm/migrations";
import { inboxTablesSql } from "#platform/events/consume.ts";

/** Owners are told when one of their organization's webhook endpoints is turned off. */
export class Migration006WebhookNotices extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}

const statements = [
  ...inboxTablesSql({ schema: "auth", role: "assent_auth" }),
  "alter table auth.mail_job add column details jsonb not null default '{}'",
  "comment on column auth.mail_job.details is 'What the mail is about, for kinds that tell of something.'",
  "alter table auth.mail_job drop constraint mail_job_kind_check",
  `alter table auth.mail_job add constraint mail_job_kind_check check
    (kind in ('invitation', 'reset', 'lockout', 'endpoint-disabled'))`,
];
