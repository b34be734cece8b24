import { checkData } from "./check-data.ts";
import { checkTemplate } from "./check-template.ts";
import type { CheckedTemplate } from "./checked-template.ts";
import type { TemplateSource } from "./template-source.ts";

export interface CheckJob {
  readonly source: TemplateSource;
  /** Absent: only the template is checked. */
  readonly data?: unknown;
}

/** Checks a template, and its data when it has no findings of its own. */
export function runCheckJob({ source, data }: CheckJob): CheckedTemplate {
  const checked = checkTemplate(source);
  if (checked.schema === undefined || data === undefined) return checked;
  return { ...checked, findings: checkData(checked.schema, data) };
}
