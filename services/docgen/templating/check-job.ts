import { type CaseTag, type IfTag, Output, type Template, type UnlessTag } from "liquidjs";
import { FileProblem } from "#platform/office-package.ts";
import { readWord, type WordTemplate } from "../word/read-word.ts";
import { checkData } from "./check-data.ts";
import { checkMarkup } from "./check-markup.ts";
import type { CheckedTemplate } from "./checked-template.ts";
import { flattenTemplate } from "./flat-template.ts";
import { createExpressionReader, type ExpressionReader } from "./infer-expression.ts";
import { createLiquid } from "./liquid-engine.ts";
import { Assign, For } from "./liquid-tags.ts";
import { createOutputMarks } from "./outputs.ts";
import { type PlacedFinding, placeFindings } from "./place-findings.ts";
import { readLiquid } from "./read-liquid.ts";
import { type AnyFlow, createSchemaNode, type Frame, isList, itemOf } from "./schema-node.ts";
import type { JsonSchema, TemplateSource } from "./template-source.ts";

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

/**
 * Checks a template: its Liquid, what stands between, and whether its data can be what it takes them for. Without findings
 * every rendering with data that fit the schema is well formed. HTML takes linear time, Markdown can take quadratic time:
 * what may be hostile belongs into a thread.
 */
export function checkTemplate(source: TemplateSource): CheckedTemplate {
  if (source.format === "docx") return checkWord(source);
  const { findings, liquid } = readLiquid(createLiquid(), source);
  if (liquid === undefined) return refused(source, findings);
  const marks = createOutputMarks(source.content);
  const markup = checkMarkup(source.format, flattenTemplate(liquid, marks, inPlaceOfTags[source.format]), marks);
  if (markup.findings.length > 0) return refused(source, markup.findings);
  const inferred = inferSchema(liquid.templates);
  if (inferred.findings.length > 0) return refused(source, inferred.findings);
  return { findings: [], schema: inferred.schema, assetIds: markup.assetIds };
}

/** Lines and columns are those of `WordTemplate`: paragraphs, and places in their texts. */
function checkWord({ format, file = new Uint8Array() }: TemplateSource): CheckedTemplate {
  let word: WordTemplate;
  try {
    word = readWord(file);
  } catch (error) {
    if (!(error instanceof FileProblem)) throw error;
    const finding = { code: "invalid_file", message: error.message, line: 0, column: 0 };
    return { findings: [finding], schema: undefined, assetIds: [] };
  }
  const source = { format, content: word.source };
  const { findings, liquid } = readLiquid(createLiquid(), source);
  if (liquid === undefined || word.findings.length > 0) return refused(source, [...findings, ...word.findings]);
  const inferred = inferSchema(liquid.templates);
  if (inferred.findings.length > 0) return refused(source, inferred.findings);
  return { findings: [], schema: inferred.schema, assetIds: [] };
}

/** What takes the place of a tag: a blank keeps the words of two branches apart, but in Markdown it could have a meaning. */
const inPlaceOfTags = { html: " ", markdown: "", docx: "" };

const refused = ({ content }: TemplateSource, findings: readonly PlacedFinding[]): CheckedTemplate => ({
  findings: placeFindings(content, findings),
  schema: undefined,
  assetIds: [],
});

interface InferredSchema {
  /** Of paths that are used as what they cannot be together. */
  readonly findings: readonly PlacedFinding[];
  readonly schema: JsonSchema;
}

/** Infers of what the templates use what their data have to be. Linear in the template. */
function inferSchema(templates: readonly Template[]): InferredSchema {
  const root = createSchemaNode();
  root.require();
  const frame: Frame = { depth: 0, isCertain: true };
  const names = new Map<string, AnyFlow>([["forloop", undefined]]);
  const walk = createWalk(createExpressionReader({ node: root, frame }, names), names, frame);
  walk(templates);
  // Also when the template uses no data at all.
  root.use("object", 0);
  return {
    findings: root.conflicts(),
    schema: {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      ...root.schema(),
      additionalProperties: true,
    },
  };
}

function createWalk(read: ExpressionReader, names: Map<string, AnyFlow>, root: Frame) {
  /** From the outermost. */
  const frames: Frame[] = [root];

  const inBranch = (templates: readonly Template[]): void => {
    read.enter();
    walk(templates);
    read.leave();
  };
  const inLoop = (loop: For): void => {
    const list = read.collection(loop.collection);
    const { limit, offset } = loop.hash.hash;
    for (const bound of [limit, offset]) if (bound !== undefined) read.token(bound, "number");
    const item = itemOfLoop(list, loop);
    const isOfAll = limit === undefined && offset === undefined;
    const isCertain = item !== undefined && isOfAll && read.isCertain(item.frame);
    read.enter();
    const frame: Frame = { depth: read.depth(), isCertain };
    const hidden = names.get(loop.variable);
    const wasKnown = names.has(loop.variable);
    names.set(loop.variable, item && { node: item.node, frame });
    frames.push(frame);
    walk(loop.templates);
    frames.pop();
    if (wasKnown) names.set(loop.variable, hidden);
    else names.delete(loop.variable);
    read.leave();
    inBranch(loop.elseTemplates);
  };
  const visit = (template: Template): void => {
    if (template instanceof Output) read.value(template.value, "text");
    else if (template instanceof Assign) names.set(template.key, read.value(template.value, "any"));
    else if (template instanceof For) inLoop(template);
    else if (isJump(template)) for (const frame of frames.slice(1)) frame.isCertain = false;
    else if (isCase(template)) {
      read.condition(template.value);
      for (const { values, templates } of template.branches) {
        for (const value of values) read.operand(value);
        inBranch(templates);
      }
      inBranch(template.elseTemplates);
    } else if (isCondition(template)) {
      for (const { value, templates } of template.branches) {
        read.condition(value);
        inBranch(templates);
      }
      inBranch(template.elseTemplates ?? []);
    }
  };
  const walk = (templates: readonly Template[]): void => {
    for (const template of templates) visit(template);
  };
  return walk;
}

const itemOfLoop = (list: AnyFlow, { collection }: For) =>
  list === undefined || isList(list) ? list?.item : itemOf(list, collection.begin);

type Named = Template & { readonly name?: string };

const isJump = ({ name }: Named): boolean => name === "break" || name === "continue";
const isCase = (template: Named): template is CaseTag => template.name === "case";
const isCondition = (template: Named): template is IfTag | UnlessTag =>
  template.name === "if" || template.name === "unless";
