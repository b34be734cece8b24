import { micromark } from "micromark";
import { gfmTable, gfmTableHtml } from "micromark-extension-gfm-table";
import type { Template } from "#api/templates.ts";
import { esignDisclosure } from "#platform/esign-disclosure.ts";
import { findMergeFields } from "#platform/merge-fields.ts";
import { pdfTextToHtml, readPdfText } from "#platform/pdf-text.ts";
import { plainTextToHtml } from "#platform/restricted-html/serialize.ts";
import { chooseWords } from "#platform/words.ts";
import { parseSafeHtml } from "../../../../../embed/dom.ts";
import type { Configuration } from "../configuration.ts";
import type { Draft } from "./draft.ts";
import type { Variable } from "./findings.ts";

interface PreviewSubject {
  readonly template: Template;
  readonly configuration: Configuration | undefined;
  readonly draft: Draft;
  readonly locale: string;
  readonly samples: ReadonlyMap<string, string>;
}

/**
 * What the API would answer as a rendering if the draft were published, made by the code that it uses itself; undefined
 * while the text has mistakes that forbid to show it.
 */
export function previewRendering(subject: PreviewSubject): Record<string, unknown> | undefined {
  const { template, configuration, draft, locale, samples } = subject;
  const html = htmlOf(draft);
  if (html === undefined) return undefined;
  const own = {
    consentText: draft.consentText || null,
    buttonText: draft.buttonText || null,
    declineText: draft.declineText || null,
    checkboxText: draft.checkboxText || null,
  };
  return {
    ...chooseWords(own, draft.title || template.name, locale),
    templateId: template.id,
    templateType: template.type,
    isDraft: false,
    locale,
    html: template.type === "GENERATED" ? fill(html, samples) : html,
    purposes: purposesOf(template, draft),
    documents: template.type === "STATIC" ? (template.typeConfig.documents ?? []) : [],
    disclosure:
      configuration?.effectivePolicy.esignDisclosure === true
        ? esignDisclosure(locale, { ...template, party: template.counterparty?.legalName ?? null })
        : null,
    pdf: draft.format === "pdf" ? readPdfText(draft.content) : null,
    policy: configuration?.effectivePolicy ?? {},
    verification: configuration?.verification ?? {},
  };
}

/** What is more than a text the pages of customers refuse, and so does the preview. */
function htmlOf({ content, format }: Draft): string | undefined {
  const html = convert(content, format);
  return parseSafeHtml(html) === undefined ? undefined : html;
}

function convert(content: string, format: Draft["format"]): string {
  switch (format) {
    case "html":
      return content;
    case "markdown":
      // As the API converts it; the check of the text tells what it would refuse of that.
      return micromark(content, {
        extensions: [gfmTable()],
        htmlExtensions: [gfmTableHtml()],
        allowDangerousProtocol: true,
      });
    case "text":
      return plainTextToHtml(content);
    case "pdf": {
      const pdf = readPdfText(content);
      return pdf === undefined ? "" : pdfTextToHtml(pdf);
    }
  }
}

/** The keys that a text has, each once. */
export const keysIn = (content: string): string[] => [
  ...new Set(findMergeFields(content).fields.map(({ key }) => key)),
];

/** Something that a person could have there. */
export function sampleOf(key: string, variable: Variable | undefined, locale: string): string {
  if (variable?.fallback !== undefined) return variable.fallback;
  if (variable?.type === "ENUM") return variable.choices[0] ?? "";
  if (variable?.type === "NUMBER") return "42";
  if (variable?.type === "BOOLEAN") return "true";
  if (variable?.type === "DATE") return today();
  const predefined = new Map([
    ["fullName", "Ada Lovelace"],
    ["email", "ada@example.com"],
    ["company", "Example Ltd."],
    ["title", "Dr."],
    ["date", localDate(locale)],
  ]);
  return predefined.get(key) ?? variable?.label ?? key;
}

const today = (): string => new Date().toISOString().slice(0, 10);

function localDate(locale: string): string {
  return new Intl.DateTimeFormat(locale, { dateStyle: "long" }).format(new Date());
}

/** A sample is text and never markup, as values are. */
function fill(html: string, samples: ReadonlyMap<string, string>): string {
  const { fields } = findMergeFields(html);
  let end = 0;
  let filled = "";
  for (const { key, offset, length } of fields) {
    filled += html.slice(end, offset) + escaped(samples.get(key) ?? "");
    end = offset + length;
  }
  return filled + html.slice(end);
}

const entities = new Map([
  ["&", "&amp;"],
  ["<", "&lt;"],
  [">", "&gt;"],
  ['"', "&quot;"],
]);
const escaped = (text: string): string => text.replaceAll(/[&<>"]/g, (character) => entities.get(character) ?? "");

function purposesOf({ type, typeConfig }: Template, { purposeTexts }: Draft): unknown[] {
  return listPurposes({ type, typeConfig }).map(({ key, name, description, required }) => ({
    purpose: key,
    name,
    description,
    text: purposeTexts[key] || description || name,
    required,
  }));
}

/** What the configuration of a CONSENT template asks for. */
export interface Purpose {
  readonly key: string;
  readonly name: string;
  readonly description: string;
  readonly required: boolean;
}

export function listPurposes({ type, typeConfig }: Pick<Template, "type" | "typeConfig">): Purpose[] {
  if (type !== "CONSENT" || !Array.isArray(typeConfig.purposes)) return [];
  return (typeConfig.purposes as Record<string, unknown>[]).map(({ key, name, description, required }) => ({
    key: String(key),
    name: String(name ?? key),
    description: typeof description === "string" ? description : "",
    required: required === true,
  }));
}
