import { DomainError } from "#platform/errors.ts";
import type { CheckedTemplate, TemplateChecker } from "../templating/checked-template.ts";
import type { TemplateSource } from "../templating/template-source.ts";

export interface FakeChecker extends TemplateChecker {
  /** What was checked, in its order. */
  readonly checked: readonly TemplateSource[];
  /** Called once, before the next check is answered. */
  beforeAnswer(work: () => Promise<unknown>): void;
}

/**
 * A checker for tests of what is done with its answers: the data of a template are the names in its outputs, each a text,
 * and `{% oops %}` is a finding.
 */
export function createFakeChecker(): FakeChecker {
  const checked: TemplateSource[] = [];
  let work: (() => Promise<unknown>) | undefined;
  const check = async (source: TemplateSource): Promise<CheckedTemplate> => {
    checked.push(source);
    const next = work;
    work = undefined;
    await next?.();
    if (source.content.includes("{% too-slow %}")) throw new DomainError("GEN_INVALID_REQUEST");
    return answer(source);
  };
  return {
    checked,
    beforeAnswer: (next) => {
      work = next;
    },
    check,
    checkWithData: async (source, data) => {
      const { findings, ...rest } = await check(source);
      const missing = namesIn(source).filter((name) => !Object.hasOwn(data as object, name));
      const ofData = missing.map((name) => ({
        code: "required",
        message: `${name} is missing`,
        line: 0,
        column: 0,
        path: `/${name}`,
        expected: "string",
      }));
      return { ...rest, findings: findings.length > 0 ? findings : ofData };
    },
    close: async () => undefined,
  };
}

function answer(source: TemplateSource): CheckedTemplate {
  const findings = source.content.split("\n").flatMap((text, index) => {
    const at = text.indexOf("{% oops %}");
    const finding = { code: "unknown_tag", message: "There is no tag oops.", line: index + 1, column: at + 1 };
    return at < 0 ? [] : [finding];
  });
  if (findings.length > 0) return { findings, schema: undefined, assetIds: [] };
  const names = namesIn(source);
  const properties = Object.fromEntries(names.map((name) => [name, { type: "string" }]));
  return { findings, schema: { type: "object", properties, required: names }, assetIds: [] };
}

const namesIn = ({ content }: TemplateSource): string[] =>
  [...new Set([...content.matchAll(/\{\{ (\w+) \}\}/g)].map((match) => match[1] ?? ""))].sort();
