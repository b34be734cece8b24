import { type ServiceMigrations, sqlMigration } from "#platform/db/migrate.ts";
import { Migration001Initial } from "./001_initial.ts";
import { Migration002Evidence } from "./002_evidence.ts";
import { Migration005SearchText } from "./005_search_text.ts";
import { Migration006BatchesAndMailTexts } from "./006_batches_and_mail_texts.ts";
import { Migration007SentFiles } from "./007_sent_files.ts";
import { Migration008ConsentTexts } from "./008_consent_texts.ts";
import { Migration011TrailFormat } from "./011_trail_format.ts";
import { Migration014FileKeys } from "./014_file_keys.ts";
import { Migration016Retention } from "./016_retention.ts";
import { Migration017Erasure } from "./017_erasure.ts";

export const signMigrations: ServiceMigrations = {
  schema: "sign",
  list: [
    { name: "001_initial", class: Migration001Initial },
    { name: "002_evidence", class: Migration002Evidence },
    // The webhooks service keeps where events are sent; nothing was ever sent to what stood here.
    sqlMigration("003_no_subscriptions", "drop table sign.subscription"),
    // Lists of one status are read in their order, and all are counted without a look at them.
    sqlMigration(
      "004_agreements_by_status",
      `create index agreement_by_status on sign.agreement (organization_id, status, created_at desc, id desc)
      where deleted_at is null and status <> 'template'`,
    ),
    { name: "005_search_text", class: Migration005SearchText },
    { name: "006_batches_and_mail_texts", class: Migration006BatchesAndMailTexts },
    { name: "007_sent_files", class: Migration007SentFiles },
    { name: "008_consent_texts", class: Migration008ConsentTexts },
    // What is to be known of a file before something is placed on it, such as that it is certified.
    sqlMigration(
      "010_document_warnings",
      `alter table sign.document add column warnings jsonb not null default '[]'
    check (jsonb_typeof(warnings) = 'array')`,
      "comment on column sign.document.warnings is 'codes of what signatures and claims of the file forbid, as the API has them'",
    ),
    { name: "011_trail_format", class: Migration011TrailFormat },
    { name: "014_file_keys", class: Migration014FileKeys },
    { name: "016_retention", class: Migration016Retention },
    { name: "017_erasure", class: Migration017Erasure },
  ],
};
