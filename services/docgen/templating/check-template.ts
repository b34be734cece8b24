import { checkMarkup } from "./check-markup.ts";
import type { CheckedTemplate } from "./checked-template.ts";
import { flattenTemplate } from "./flat-template.ts";
import { inferSchema } from "./infer-schema.ts";
import { createLiquid } from "./liquid-engine.ts";
import { createOutputMarks } from "./output-marks.ts";
import { type PlacedFinding, placeFindings } from "./place-findings.ts";
import { readLiquid } from "./read-liquid.ts";
import type { TemplateSource } from "./template-source.ts";

/**
 * Checks a template: its Liquid, what stands between, and whether its data can be what it takes them for. Without findings
 * every rendering with data that fit the schema is well formed. HTML takes linear time, Markdown can take quadratic time:
 * what may be hostile belongs into a thread.
 */
export function checkTemplate(source: TemplateSource): CheckedTemplate {
  const { findings, liquid } = readLiquid(createLiquid(), source);
  if (liquid === undefined) return refused(source, findings);
  const marks = createOutputMarks(source.content);
  const markup = checkMarkup(source.format, flattenTemplate(liquid, marks, inPlaceOfTags[source.format]), marks);
  if (markup.findings.length > 0) return refused(source, markup.findings);
  const inferred = inferSchema(liquid.templates);
  if (inferred.findings.length > 0) return refused(source, inferred.findings);
  return { findings: [], schema: inferred.schema, assetIds: markup.assetIds };
}

/** The words of two branches are two words. In Markdown, blanks can mean something. */
const inPlaceOfTags = { html: " ", markdown: "" };

const refused = ({ content }: TemplateSource, findings: readonly PlacedFinding[]): CheckedTemplate => ({
  findings: placeFindings(content, findings),
  schema: undefined,
  assetIds: [],
});
