import { Migration } from "@mikro-orm/migrations";

/** The agreements that a batch has made can be listed, and a recipient can have mails with words of their own. */
export class Migration006BatchesAndMailTexts extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}

const statements = [
  "alter table sign.agreement add column bulk_batch_id uuid",
  "comment on column sign.agreement.bulk_batch_id is 'the batch whose copy it is'",
  `create index agreement_of_batch on sign.agreement (organization_id, bulk_batch_id, status_changed_at desc, id desc)
    where bulk_batch_id is not null`,
  `alter table sign.recipient add column email_subject text not null default '',
    add column email_blurb text not null default ''`,
  `comment on column sign.recipient.email_subject is
    'of mails that ask this person to act; empty for that of the agreement'`,
  "comment on column sign.recipient.email_blurb is 'in place of the message of the agreement; empty for that'",
];
