import { Migration } from "@mikro-orm/migrations";

/** The hash of a file as it was sent is kept beside that of the document that it became. */
export class Migration007SentFiles extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}

const statements = [
  `alter table sign.document
    add column sent_sha256 bytea constraint document_sent_sha256_check check (octet_length(sent_sha256) = 32)`,
  "comment on column sign.document.sent_sha256 is 'of the file as it was sent; null for those from before it was kept'",
  // Whoever has the file that was sent asks for it.
  `create index document_sent on sign.document (organization_id, sent_sha256, agreement_id desc)
    where sent_sha256 is not null`,
];
