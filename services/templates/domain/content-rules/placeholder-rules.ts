import { findMergeFields, type MergeField, type MergeFieldMistake, type MergeFields } from "#platform/merge-fields.ts";
import { findMisplaced, prepareMerge } from "#platform/restricted-html/merge-html.ts";
import type { ReadContent } from "#platform/restricted-html/read-content.ts";
import { predefinedVariables } from "../type-config/generated.ts";
import { readTypeConfig } from "../type-config.ts";
import type { ContentCode } from "./codes.ts";
import { atStart, type ContentSubject, maxFindings, type Publication, type RuleFinding } from "./report.ts";

/** The rules about `{{…}}`. */
export function placeholderFindings(subject: ContentSubject, read: ReadContent): RuleFinding[] {
  // Braces in a file are what its author wrote, and nobody takes them for a placeholder.
  if (subject.format === "PDF") return subject.type === "GENERATED" ? [unfillable] : [];
  return subject.type === "GENERATED" ? mergeFindings(subject, read) : forbiddenPlaceholders(subject.content);
}

const unfillable = atStart(
  "CONTENT_PDF_NOT_ALLOWED",
  "ERROR",
  "Values cannot be filled into a PDF. A template of the type STATIC or CONSENT can have one.",
);

/** The first ones; one more than a report takes. */
const limit = maxFindings + 1;

/** In other types `{{…}}` is always a mistake, because nothing fills it in. */
function forbiddenPlaceholders(content: string): RuleFinding[] {
  const message = "Only content of the type GENERATED can have placeholders.";
  const findings: RuleFinding[] = [];
  let start = content.indexOf("{{");
  while (start !== -1 && findings.length < limit) {
    const end = content.indexOf("}}", start + 2);
    if (end === -1) break;
    // Closing braces belong to the innermost opening ones.
    const offset = content.lastIndexOf("{{", end - 2);
    const length = end + 2 - offset;
    findings.push(about("CONTENT_PLACEHOLDER_NOT_ALLOWED", "ERROR", message, { offset, length }));
    start = content.indexOf("{{", end + 2);
  }
  return findings;
}

function mergeFindings({ content, format, publication }: ContentSubject, read: ReadContent): RuleFinding[] {
  const found = findMergeFields(content);
  const findings = [
    ...found.problems.map((problem) => invalid(mistakes[problem.mistake], problem)),
    ...(format === "HTML" ? findMisplaced(content, found.fields, read.markup) : [])
      .slice(0, limit)
      .map((field) =>
        invalid("A placeholder must stand in the text: not inside of a tag, nor right after < or &.", field),
      ),
    ...(format === "MARKDOWN" ? lostInMarkdown(found, read) : []),
    ...unknownVariables(found.fields, publication),
    ...unusedVariables(found.fields, publication),
  ];
  if (found.fields.length > 0 || found.problems.length > 0) return findings;
  const message = "The content has no placeholder, so that it is the same for everyone. STATIC is the type for that.";
  return [...findings, about("CONTENT_NO_PLACEHOLDER", "WARNING", message, { offset: 0, length: 0 })];
}

const mistakes: Readonly<Record<MergeFieldMistake, string>> = {
  UNBALANCED: "{{ and }} must come in pairs, with a key between them: {{key}}.",
  TRIPLE_BRACES: "Placeholders have two braces on each side: {{key}}. Values are always escaped.",
  LOGIC: "There is no logic: placeholders are {{key}} and nothing else.",
  MALFORMED: "A placeholder is {{key}} without blanks; a key has letters, digits, _ and . and begins with a letter.",
};

/** Values are merged into the HTML, so the Markdown and its HTML must contain the same placeholders. */
function lostInMarkdown({ fields, problems }: MergeFields, { shown }: ReadContent): RuleFinding[] {
  if (shown === undefined || problems.length > 0) return [];
  const keys = keysIn(shown.html);
  const lost = fields.find((field, index) => keys?.[index] !== field.key);
  if (lost === undefined && keys?.length === fields.length) return [];
  const message = "A placeholder must stand in plain text: Markdown uses some of the characters here for itself.";
  return [invalid(message, lost ?? { offset: 0, length: 0 })];
}

/** Undefined when something in the HTML looks like a placeholder but cannot be one. */
function keysIn(html: string): readonly string[] | undefined {
  try {
    return prepareMerge(html).fields;
  } catch {
    return undefined;
  }
}

function unknownVariables(fields: readonly MergeField[], publication: Publication | undefined): RuleFinding[] {
  const known = new Set<string>(predefinedVariables);
  for (const { key } of variablesOf(publication)) known.add(key);
  const unknown = fields.filter((field) => !known.has(field.key)).slice(0, limit);
  const severity = publication === undefined ? "WARNING" : "ERROR";
  return unknown.map((field) => {
    const message = `{{${field.key}}} is neither predefined nor one of the template's variables.`;
    return about("CONTENT_PLACEHOLDER_UNKNOWN", severity, message, field);
  });
}

function unusedVariables(fields: readonly MergeField[], publication: Publication | undefined): RuleFinding[] {
  const used = new Set(fields.map((field) => field.key));
  return variablesOf(publication)
    .filter(({ key, required }) => required && !used.has(key))
    .map(({ key }) => {
      const message = `The variable ${key} is required but the content does not use it.`;
      return atStart("CONTENT_VARIABLE_UNUSED", "WARNING", message, "typeConfig.variables");
    });
}

const variablesOf = (publication: Publication | undefined) =>
  publication === undefined ? [] : readTypeConfig("GENERATED", publication.typeConfig).variables;

type Range = Pick<RuleFinding, "offset" | "length">;

const invalid = (message: string, range: Range): RuleFinding =>
  about("CONTENT_PLACEHOLDER_INVALID", "ERROR", message, range);

const about = (
  code: ContentCode,
  severity: RuleFinding["severity"],
  message: string,
  { offset, length }: Range,
): RuleFinding => ({ code, severity, message, path: "content.placeholder", offset, length });
