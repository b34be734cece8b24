import type { MessageInitShape } from "@bufbuild/protobuf";
import type { ContentFindingSchema, ContentReportSchema } from "#gen/assent/templates/v1/templates_pb.ts";
import { type ContentFinding, type ContentReport, limitFindings, maxFindings } from "../domain/content-rules/report.ts";

export type ReportInit = MessageInitShape<typeof ContentReportSchema>;

/** A report with at most so many findings of each severity, and one more that says so when there are others. */
export const reportMessage = (report: ContentReport, limit = maxFindings): ReportInit => ({
  valid: report.valid,
  errors: limitFindings(report.errors, limit).map(findingMessage),
  warnings: limitFindings(report.warnings, limit).map(findingMessage),
});

const findingMessage = (finding: ContentFinding): MessageInitShape<typeof ContentFindingSchema> => ({
  code: finding.code,
  message: finding.message,
  path: finding.path,
  line: finding.line,
  column: finding.column,
  offset: finding.offset,
  length: finding.length,
  snippet: finding.snippet,
});
