import { type ReadContent, readContent } from "#platform/restricted-html/read-content.ts";
import { accessibilityFindings } from "./accessibility-rules.ts";
import { consentConfigFindings, consentFindings, precheckedMarkup } from "./consent-rules.ts";
import { noticeFindings } from "./notice-rules.ts";
import { placeholderFindings } from "./placeholder-rules.ts";
import type { ContentSubject } from "./report.ts";
import { atStart, type ContentReport, makeReport, type RuleFinding } from "./report.ts";
import { normalizationFindings } from "./text-rules.ts";

const maxBytes = 1_048_576;

/**
 * Checks a content by all rules. With a publication it tells what would keep the version from being published; without
 * one what is known to be wrong whatever the template is. Takes as long as readContent does.
 */
export function checkContent(subject: ContentSubject): ContentReport {
  const { content, format } = subject;
  const bytes = Buffer.byteLength(content);
  if (bytes > maxBytes) {
    const message = `The content has ${bytes} bytes in UTF-8; at most ${maxBytes} are allowed.`;
    return makeReport("", [atStart("CONTENT_TOO_LARGE", "ERROR", message)]);
  }
  const read = readContent(format, content);
  return makeReport(content, [
    ...read.findings.map(
      (finding): RuleFinding => ({ ...finding, code: `CONTENT_${finding.code}` as const, path: "content" }),
    ),
    ...(content.trim() === "" || read.shown?.isBlank === true ? [empty] : []),
    ...normalizationFindings(content),
    ...placeholderFindings(subject, read),
    ...shownFindings(subject, read),
    ...consentRules(subject, read),
    ...noticeFindings(subject.publication),
  ]);
}

const empty = atStart("CONTENT_EMPTY", "ERROR", "The content has no text that could be read.");

/** What can be said only of a content that may be shown. */
function shownFindings({ publication }: ContentSubject, { shown }: ReadContent): RuleFinding[] {
  return shown === undefined ? [] : accessibilityFindings(shown.outline, publication?.locale);
}

function consentRules({ type, publication }: ContentSubject, { findings, shown }: ReadContent): RuleFinding[] {
  if (type !== "CONSENT") return [];
  return [
    ...(publication === undefined ? [] : consentConfigFindings(publication.typeConfig)),
    ...(shown === undefined ? precheckedMarkup(findings) : consentFindings(shown.text, publication?.typeConfig)),
  ];
}
