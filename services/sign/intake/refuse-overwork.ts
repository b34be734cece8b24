import { PDFArray, PDFDict, PDFName, type PDFObject } from "pdf-lib";
import { maxAnnotations, maxFieldDepth, maxFields } from "./pdf-limits.ts";
import { PdfProblem } from "./pdf-problem.ts";
import type { Graph } from "./reading/read-graph.ts";

/**
 * Refuses forms and annotations that cost more work than a document is worth, before any of that work begins. What stands
 * in several places counts in each of them, since that is how often it is looked at.
 */
export function refuseOverwork({ context }: Graph): void {
  const catalog = context.lookup(context.trailerInfo.Root);
  const form = catalog instanceof PDFDict ? catalog.lookup(PDFName.of("AcroForm")) : undefined;
  if (form instanceof PDFDict) countFields(arrayOf(form, "Fields"));
  let annotations = 0;
  for (const [, object] of context.enumerateIndirectObjects()) {
    if (!(object instanceof PDFDict)) continue;
    const own = arrayOf(object, "Annots");
    annotations += own?.size() ?? 0;
    if (annotations > maxAnnotations) throw tooMany(maxAnnotations, "annotations");
    for (const link of own?.asArray() ?? []) refuseDeepField(context.lookup(link));
  }
}

/** Fields lead to those in them, which need not be shown on any page. */
function countFields(fields: PDFArray | undefined): void {
  const waiting = fields === undefined ? [] : [{ kids: fields, depth: 1 }];
  let [named, shown] = [0, 0];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { kids, depth } = next;
    if (depth > maxFieldDepth) throw tooDeep();
    for (let index = 0; index < kids.size(); index += 1) {
      const field = kids.lookup(index);
      const isField = field instanceof PDFDict && (field.has(PDFName.of("T")) || field.has(PDFName.of("Kids")));
      if (isField) named += 1;
      else shown += 1;
      if (named > maxFields) throw tooMany(maxFields, "form fields");
      if (shown > maxAnnotations) throw tooMany(maxAnnotations, "annotations");
      const own = field instanceof PDFDict ? arrayOf(field, "Kids") : undefined;
      if (own !== undefined) waiting.push({ kids: own, depth: depth + 1 });
    }
  }
}

/** The same from below: a page may show fields that the form does not lead to. */
function refuseDeepField(annotation: PDFObject | undefined): void {
  if (!(annotation instanceof PDFDict) || annotation.lookup(PDFName.of("Subtype")) !== PDFName.of("Widget")) return;
  let parent = annotation.lookup(PDFName.Parent);
  for (let depth = 2; parent instanceof PDFDict; depth += 1) {
    if (depth > maxFieldDepth) throw tooDeep();
    parent = parent.lookup(PDFName.Parent);
  }
}

const arrayOf = (dictionary: PDFDict, name: string): PDFArray | undefined => {
  const value = dictionary.lookup(PDFName.of(name));
  return value instanceof PDFArray ? value : undefined;
};

const tooMany = (limit: number, what: string) =>
  new PdfProblem(`The PDF has more than ${limit.toLocaleString("en")} ${what}.`);

const tooDeep = () => new PdfProblem(`The form fields of the PDF are nested more than ${maxFieldDepth} deep.`);
