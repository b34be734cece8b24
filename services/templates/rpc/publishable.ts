import { DomainError, type FieldProblem } from "#platform/errors.ts";
import type { ContentChecker } from "../content-check/content-checker.ts";
import type { ContentSubject, Publication } from "../domain/content-rules/check-content.ts";
import { type ContentFinding, limitFindings } from "../domain/content-rules/report.ts";
import type { Template } from "../domain/template.ts";
import type { Version } from "../domain/version.ts";

/** The content of a version with everything that its publication depends on. */
export const publicationSubject = (
  { type, typeConfig }: Pick<Template, "type" | "typeConfig">,
  { format, content, locale, texts }: Pick<Version, "format" | "content" | "locale"> & Pick<Publication, "texts">,
): ContentSubject => ({ type, format, content, publication: { locale, texts, typeConfig } });

/** Details travel in a header block of limited size. */
const maxDetails = 25;

/** Throws CLICK_CONTENT_INVALID with the findings that forbid the publication, and SERVICE_UNAVAILABLE. */
export async function requirePublishable(checker: ContentChecker, subject: ContentSubject): Promise<void> {
  const outcome = await checker.check(subject);
  if (outcome.kind === "busy") throw new DomainError("SERVICE_UNAVAILABLE");
  if (outcome.kind === "tooComplex") {
    const message = "takes too long to check: make it simpler or shorter";
    throw new DomainError("CLICK_CONTENT_INVALID", { details: [{ field: "content", code: "TOO_COMPLEX", message }] });
  }
  const { valid, errors } = outcome.report;
  if (valid) return;
  throw new DomainError("CLICK_CONTENT_INVALID", { details: limitFindings(errors, maxDetails).map(toProblem) });
}

function toProblem({ path, code, line, column, message, length }: ContentFinding): FieldProblem {
  return { field: path, code, message: length === 0 ? message : `Line ${line}, column ${column}: ${message}` };
}
