import type { ServiceMigrations } from "#platform/db/migrate.ts";
import { Migration001Initial } from "./001_initial.ts";
import { Migration002Evidence } from "./002_evidence.ts";
import { Migration003NoSubscriptions } from "./003_no_subscriptions.ts";
import { Migration004AgreementsByStatus } from "./004_agreements_by_status.ts";
import { Migration005SearchText } from "./005_search_text.ts";
import { Migration006BatchesAndMailTexts } from "./006_batches_and_mail_texts.ts";
import { Migration007SentFiles } from "./007_sent_files.ts";
import { Migration008ConsentTexts } from "./008_consent_texts.ts";
import { Migration010DocumentWarnings } from "./010_document_warnings.ts";

export const signMigrations: ServiceMigrations = {
  schema: "sign",
  list: [
    { name: "001_initial", class: Migration001Initial },
    { name: "002_evidence", class: Migration002Evidence },
    { name: "003_no_subscriptions", class: Migration003NoSubscriptions },
    { name: "004_agreements_by_status", class: Migration004AgreementsByStatus },
    { name: "005_search_text", class: Migration005SearchText },
    { name: "006_batches_and_mail_texts", class: Migration006BatchesAndMailTexts },
    { name: "007_sent_files", class: Migration007SentFiles },
    { name: "008_consent_texts", class: Migration008ConsentTexts },
    { name: "010_document_warnings", class: Migration010DocumentWarnings },
  ],
};
