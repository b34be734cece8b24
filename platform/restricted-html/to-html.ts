import type { LocatedHtmlFinding } from "./html-finding.ts";
import { type ContentFormat, readContent } from "./read-content.ts";

export type { ContentFormat } from "./read-content.ts";

/** Thrown for a content that must not be shown. Whoever stores content checks it before, so this is a defect. */
export class UnsafeContentError extends Error {
  readonly findings: readonly LocatedHtmlFinding[];

  constructor(findings: readonly LocatedHtmlFinding[]) {
    const [first] = findings;
    super(`the content must not be shown: ${first?.message ?? "it has errors"} (line ${first?.line ?? 1})`);
    this.name = "UnsafeContentError";
    this.findings = findings;
  }
}

/**
 * The HTML that a content is shown as: of HTML its very bytes, of Markdown and plain text what they mean. It can stand
 * in any element that takes blocks: it loads nothing, runs nothing and does not reach beyond its end. Merge fields stay
 * as they are. Throws an UnsafeContentError when the content breaks a rule. See readContent for the time it takes.
 */
export function contentToHtml(format: ContentFormat, content: string): string {
  const { findings, shown } = readContent(format, content);
  if (shown === undefined) throw new UnsafeContentError(findings.filter((finding) => finding.severity === "ERROR"));
  return shown.html;
}
