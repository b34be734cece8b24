import type { MessageInitShape } from "@bufbuild/protobuf";
import type { ContentFindingSchema, ContentReportSchema } from "#gen/assent/templates/v1/templates_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { DomainError } from "#platform/errors.ts";
import { type ContentFinding, type ContentReport, limitFindings, maxFindings } from "../domain/content-rules/report.ts";
import { invalid, problem } from "../domain/problems.ts";
import type { TemplatesDeps, TemplatesRpcs } from "./deps.ts";
import { templateTypeOf } from "./messages.ts";
import { parseFormat } from "./update-version.ts";

export const validateContent = (deps: Pick<TemplatesDeps, "checker">): TemplatesRpcs<"validateContent"> => ({
  async validateContent(request, context) {
    requireCaller(context);
    const type = templateTypeOf(request.type);
    if (type === undefined) throw invalid(problem("type", "INVALID_TYPE", "must be STATIC, GENERATED or CONSENT"));
    const { content } = request;
    const outcome = await deps.checker.check({ type, format: parseFormat(request.format), content });
    switch (outcome.kind) {
      case "report":
        return { report: reportMessage(outcome.report) };
      case "tooComplex":
        throw invalid(problem("content", "TOO_COMPLEX", "takes too long to check: make it simpler or shorter"));
      case "busy":
        throw new DomainError("SERVICE_UNAVAILABLE");
    }
  },
});

type ReportInit = MessageInitShape<typeof ContentReportSchema>;

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
