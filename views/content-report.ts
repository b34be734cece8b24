import type { ContentFinding, ContentReport } from "#gen/assent/templates/v1/templates_pb.ts";

/** What is wrong with some content, as the REST API shows it. */
export const contentReportView = ({ valid, errors, warnings }: ContentReport): Record<string, unknown> => ({
  valid,
  errors: errors.map(findingView("ERROR")),
  warnings: warnings.map(findingView("WARNING")),
});

const findingView =
  (severity: "ERROR" | "WARNING") =>
  ({ code, message, path, line, column, offset, length, snippet }: ContentFinding): Record<string, unknown> => ({
    code,
    message,
    severity,
    path,
    line,
    column,
    offset,
    length,
    snippet,
  });
