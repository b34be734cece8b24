import type { JsonObject } from "@bufbuild/protobuf";
import {
  type Finding,
  type LocatedFinding,
  locateFindings,
  type Severity,
} from "#platform/restricted-html/findings.ts";
import type { ContentFormat } from "../content.ts";
import type { TemplateType } from "../type-config.ts";
import type { ContentCode } from "./codes.ts";

/** A content and what is known about where it will be shown. */
export interface ContentSubject {
  readonly type: TemplateType;
  readonly format: ContentFormat;
  readonly content: string;
  /** Absent while the template is unknown. */
  readonly publication?: Publication;
}

/** What the publication of a version decides besides its content. */
export interface Publication {
  readonly locale: string;
  readonly texts: { readonly consentText?: string | undefined; readonly buttonText?: string | undefined };
  /** Complete, as a template of the subject's type stores it. */
  readonly typeConfig: JsonObject;
}

/** What a finding is about. */
export type FindingPath =
  | "content"
  | "content.placeholder"
  | "consentText"
  | "typeConfig.controller"
  | "typeConfig.purposes"
  | "typeConfig.variables"
  | "typeConfig.withdrawalMethod";

export interface RuleFinding extends Finding<ContentCode> {
  readonly path: FindingPath;
}

export type ContentFinding = LocatedFinding<ContentCode> & Pick<RuleFinding, "path">;

/** What the rules say of a content. */
export interface ContentReport {
  /** True when there are no errors. */
  readonly valid: boolean;
  /** In the order of the content; at most 100, and one more that says so when there were others. */
  readonly errors: readonly ContentFinding[];
  readonly warnings: readonly ContentFinding[];
}

/** How many findings of each severity a report has at most, apart from the one that says that there were more. */
export const maxFindings = 100;

/** Puts the findings about a content together. */
export function makeReport(content: string, findings: readonly RuleFinding[]): ContentReport {
  // Findings keep what they have besides their place.
  const located = locateFindings(content, findings) as ContentFinding[];
  const errors = located.filter((finding) => finding.severity === "ERROR");
  const warnings = located.filter((finding) => finding.severity === "WARNING");
  return { valid: errors.length === 0, errors: limitFindings(errors), warnings: limitFindings(warnings) };
}

/** The first findings, and one more that says so when there are others. */
export function limitFindings(findings: readonly ContentFinding[], limit = maxFindings): ContentFinding[] {
  const kept = findings.slice(0, limit);
  const next = findings[limit];
  return next === undefined ? kept : [...kept, tooMany(next)];
}

const tooMany = (next: ContentFinding): ContentFinding =>
  next.code === "CONTENT_TOO_MANY_ERRORS"
    ? next
    : {
        ...next,
        code: "CONTENT_TOO_MANY_ERRORS",
        path: "content",
        message: "More problems were found than are listed. Fix these and check again.",
      };

/** A finding about something that is not in the content, or about all of it. */
export const atStart = (
  code: ContentCode,
  severity: Severity,
  message: string,
  path: FindingPath = "content",
): RuleFinding => ({ code, severity, message, path, offset: 0, length: 0 });
