import { destroyerSql } from "#platform/db/ddl.ts";
import { erasureAnswersSql } from "#platform/db/erasure-answers.ts";
import { holdMarksSql } from "#platform/db/hold-marks.ts";
import { indexMigration, type ServiceMigrations, sqlMigration } from "#platform/db/migrate.ts";
import { Migration001Initial } from "./001_initial.ts";

export const docgenMigrations: ServiceMigrations = {
  schema: "docgen",
  list: [
    { name: "001_initial", class: Migration001Initial },
    // Indexes for filtered lists, so that they do not read rows that they do not show.
    sqlMigration(
      "002_lists",
      "create index batch_by_status on docgen.batch (organization_id, status, id)",
      "create index document_of_template on docgen.document (organization_id, template_id, id) where deleted_at is null",
      // Completed documents are so many that the primary key finds them fast enough; waiting and rendering ones have
      // indexes for the queue.
      `create index document_ended on docgen.document (organization_id, status, id)
    where status in ('failed', 'cancelled', 'expired') and deleted_at is null`,
    ),
    sqlMigration("003_erasure_answers", ...erasureAnswersSql({ schema: "docgen", role: "assent_docgen" })),
    // An organization is deleted by a role that does nothing else.
    sqlMigration("005_destroyer", ...destroyerSql("docgen", "assent_docgen_destroyer")),
    // When the period of the organization is over, or a person is erased, ids and times are left.
    sqlMigration(
      "006_retention",
      "alter table docgen.document add column cleared_at timestamptz(3)",
      "comment on column docgen.document.cleared_at is 'when all that was said of it was taken away: nothing but ids, times and numbers is left'",
    ),
    indexMigration(
      "007_kept_documents",
      "document_kept",
      "docgen.document (organization_id, id) where cleared_at is null",
    ),
    // Nothing is deleted under a legal hold that was set meanwhile.
    sqlMigration(
      "008_hold_marks",
      ...holdMarksSql("docgen", "assent_docgen"),
      ...destroyerSql("docgen", "assent_docgen_destroyer"),
    ),
    // Templates that are Word files: the file is an asset, which has no width.
    sqlMigration(
      "009_word_files",
      ...["template", "template_version"].flatMap((table) => [
        `alter table docgen.${table} drop constraint ${table}_format_check`,
        `alter table docgen.${table} add constraint ${table}_format_check check (format in ('html', 'markdown', 'docx')) not valid`,
      ]),
      "alter table docgen.asset drop constraint asset_content_type_check",
      "alter table docgen.asset drop constraint asset_width_check",
      "alter table docgen.asset drop constraint asset_height_check",
      `alter table docgen.asset add constraint asset_content_type_check check (
    content_type in ('image/png', 'image/jpeg', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document')) not valid`,
      "alter table docgen.asset add constraint asset_width_check check (width >= 0) not valid",
      "alter table docgen.asset add constraint asset_height_check check (height >= 0) not valid",
      "alter table docgen.document add column is_word boolean not null default false",
      "comment on column docgen.document.is_word is 'its template is a Word file, which another service prints'",
      "grant select (is_word) on docgen.document to assent_docgen_claimer",
    ),
    // In a transaction of its own, in which nobody who writes has to wait for it.
    sqlMigration(
      "010_word_files_validated",
      "alter table docgen.template validate constraint template_format_check",
      "alter table docgen.template_version validate constraint template_version_format_check",
      ...["content_type", "width", "height"].map(
        (column) => `alter table docgen.asset validate constraint asset_${column}_check`,
      ),
    ),
  ],
};
