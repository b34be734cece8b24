import {
  Context,
  type Liquid,
  LiquidError,
  type PropertyAccessToken,
  type Template,
  type Token,
  TypeGuards,
  toValueSync,
  Value,
} from "liquidjs";
import { type ConvertedMarkdown, convertMarkdown } from "#platform/restricted-html/markdown.ts";
import { parseRestrictedHtml } from "#platform/restricted-html/parse.ts";
import { RenderError } from "../renderer/render-job.ts";
import { type FilledHtml, fillOutputs } from "./fill-outputs.ts";
import { isImageData } from "./image-address.ts";
import { createLiquid } from "./liquid-engine.ts";
import { createEmitter } from "./liquid-renderer.ts";
import {
  dataPathOf,
  type LiquidState,
  nameOf,
  type OutputValue,
  pointerOf,
  setState,
  TemplateProblem,
  ValueProblem,
} from "./liquid-state.ts";
import { createOutputMarks, findMisplacedOutputs, type OutputMarks } from "./outputs.ts";
import { placeOf } from "./place-findings.ts";
import { printRules } from "./print-style.ts";
import { type LiquidTemplate, readLiquid } from "./read-liquid.ts";
import type { TemplateSource } from "./template-source.ts";

export interface TemplateRendering {
  readonly template: TemplateSource;
  readonly data: Readonly<Record<string, unknown>>;
  /** BCP 47. */
  readonly locale: string;
  /** An IANA name. */
  readonly timeZone: string;
  /** What templates see as now: nothing else tells them the time. */
  readonly now: Date;
}

/**
 * The restricted HTML of a template with its data; it fits the rules of print. Values are text, whatever they hold: the
 * template is rendered with marks in their place, Markdown becomes HTML, and only then are the values put in. Throws a
 * RenderError: GEN_INVALID_DATA when a value is to blame, GEN_TEMPLATE_ERROR otherwise.
 */
export function renderTemplate(rendering: TemplateRendering): string {
  const { template } = rendering;
  const { text, state, marks } = renderMarked(rendering);
  const html = template.format === "html" ? text : toHtml(template, text, state, marks);
  const [misplaced] = findMisplacedOutputs(html, marks);
  if (misplaced !== undefined) {
    throw templateError(template, misplaced.message, state.outputs[misplaced.index]?.offset ?? 0);
  }
  const filled = fillOutputs(html, state.outputs, marks);
  checkImages(template, filled);
  checkHtml(template, filled);
  return filled.html;
}

/** What a template renders, with marks in place of its outputs, and their values. */
export function renderMarked(rendering: TemplateRendering) {
  const { template } = rendering;
  const liquid = createLiquid();
  const read = readLiquid(liquid, template);
  if (read.liquid === undefined) {
    const [first] = read.findings;
    throw templateError(template, first?.message ?? "", first?.offset ?? 0);
  }
  const marks = createOutputMarks(template.content);
  const state = createState(rendering, marks);
  return { text: run(liquid, read.liquid, rendering, state), state, marks };
}

const createState = ({ locale, timeZone, now }: TemplateRendering, marks: OutputMarks): LiquidState => ({
  locale,
  timeZone,
  now,
  marks,
  outputs: [],
  loops: [],
  assigned: new Set(),
  formats: new Map(),
  current: undefined,
  steps: 0,
  length: 0,
});

function run(liquid: Liquid, { templates }: LiquidTemplate, rendering: TemplateRendering, state: LiquidState): string {
  const data = Object.assign(Object.create(null), rendering.data);
  const context = new Context(data, liquid.options, { sync: true }, { liquid });
  setState(context, state);
  const emitter = createEmitter(state);
  try {
    toValueSync(liquid.renderer.renderTemplates([...templates], context, emitter));
  } catch (error) {
    throw toRenderError(error, { content: rendering.template.content, context, state });
  }
  return emitter.text();
}

/** What the conversion drops, such as cells without a column, must not go missing in silence. */
function toHtml(template: TemplateSource, text: string, state: LiquidState, marks: OutputMarks): string {
  let dropped: { readonly message: string; readonly offset: number } | undefined;
  const converted: ConvertedMarkdown = convertMarkdown(text, (finding) => {
    dropped ??= finding;
  });
  if (dropped === undefined) return converted.html;
  // The last output before it is the nearest place in the template that is known.
  const index = marks.find(text.slice(0, dropped.offset)).at(-1)?.index ?? -1;
  throw templateError(template, dropped.message, state.outputs[index]?.offset ?? 0);
}

export const imageExpected = "data:image/png;base64, or data:image/jpeg;base64, with the bytes of an image";

/** Assets are loaded before the rendering, so data cannot name them. */
function checkImages(template: TemplateSource, { outputs }: FilledHtml): void {
  for (const output of outputs) {
    if (output.attribute === "src" && !isImageData(output.value.text)) {
      throw dataError(template, output.value, imageExpected);
    }
  }
}

function checkHtml(template: TemplateSource, { html, outputs }: FilledHtml): void {
  const finding = parseRestrictedHtml(html, printRules).findings.find(({ severity }) => severity === "ERROR");
  if (finding === undefined) return;
  const end = finding.offset + Math.max(1, finding.length);
  const blamed = outputs.find(({ offset, length }) => offset < end && offset + length >= finding.offset);
  const isAddress = finding.code === "URL_FORBIDDEN" || finding.code === "REMOTE_RESOURCE";
  if (blamed !== undefined && isAddress) {
    throw dataError(template, blamed.value, `address that begins with ${printRules.linkSchemes.join(":, ")}:`);
  }
  const before = outputs.findLast(({ offset }) => offset <= finding.offset);
  throw templateError(template, finding.message, (blamed ?? before)?.value.offset ?? 0);
}

export function templateError({ content }: TemplateSource, message: string, offset: number): RenderError {
  const { line, column } = placeOf(content, offset);
  return new RenderError("GEN_TEMPLATE_ERROR", message, { line: String(line), column: String(column) });
}

export function dataError(template: TemplateSource, value: OutputValue, expected: string): RenderError {
  if (value.path === undefined) {
    return templateError(template, `A value must be an ${expected}.`, value.offset);
  }
  const { line, column } = placeOf(template.content, value.offset);
  const details = { path: value.path, expected, line: String(line), column: String(column) };
  return new RenderError(
    "GEN_INVALID_DATA",
    `The value at ${value.path.slice(0, 100)} is not what is expected.`,
    details,
  );
}

interface FailedRendering {
  readonly content: string;
  /** As it was when it failed: loops still say where they are. */
  readonly context: Context;
  readonly state: LiquidState;
}

/** The RenderError for what rendering threw. Unknown errors, which are defects of this program, are returned as they are. */
function toRenderError(error: unknown, failed: FailedRendering): unknown {
  if (!LiquidError.is(error)) return error;
  const cause = error.originalError ?? error;
  const place = placeOf(failed.content, error.token.begin);
  const where = { line: String(place.line), column: String(place.column) };
  if (error.name === "UndefinedVariableError" && TypeGuards.isPropertyAccessToken(error.token)) {
    return missing(error.token, variableOf(cause), where, failed);
  }
  if (cause instanceof ValueProblem) {
    const path = cause.path ?? pathOfValue(failed);
    if (path === undefined) return new RenderError("GEN_TEMPLATE_ERROR", `A value must be a ${cause.expected}.`, where);
    const message = `The value at ${path.slice(0, 100).toWellFormed()} must be a ${cause.expected}.`;
    return new RenderError("GEN_INVALID_DATA", message, { path, expected: cause.expected, ...where });
  }
  return new RenderError("GEN_TEMPLATE_ERROR", messageOf(cause), where);
}

function missing(token: PropertyAccessToken, variable: string, where: Record<string, string>, failed: FailedRendering) {
  const names = token.props.map(nameOf);
  const count = names.findIndex((_name, index) => names.slice(0, index + 1).join(".") === variable) + 1;
  const full = dataPathOf(token, failed.context);
  if (full === undefined) {
    return new RenderError(
      "GEN_TEMPLATE_ERROR",
      `There is no value ${variable.slice(0, 100).toWellFormed()} here.`,
      where,
    );
  }
  // The first name may be a loop variable, which stands for an item of a list.
  const path = pointerOf(count === 0 ? full : full.slice(0, full.length - (names.length - count)));
  const message = `The template needs a value at ${path.slice(0, 100).toWellFormed()}, and the data have none.`;
  return new RenderError("GEN_INVALID_DATA", message, { path, expected: "required", ...where });
}

const variableOf = (cause: unknown): string => {
  const name = (cause as { readonly variableName?: unknown }).variableName;
  return typeof name === "string" ? name : "";
};

/** The datum that the value of the failed output or assignment begins with. */
function pathOfValue({ state, context }: FailedRendering): string | undefined {
  const token = firstToken(state.current);
  const names = dataPathOf(token, context);
  return names && pointerOf(names);
}

function firstToken(template: Template | undefined): Token | undefined {
  const value = (template as { readonly value?: unknown } | undefined)?.value;
  return value instanceof Value ? value.initial.postfix[0] : undefined;
}

function messageOf(cause: unknown): string {
  if (cause instanceof TemplateProblem) return cause.message;
  if (!(cause instanceof Error)) return "The template could not be rendered.";
  if (cause.message.includes("memory alloc limit")) return "The template makes too many or too long values.";
  if (cause.message.includes("render limit")) return "The template takes too long to render.";
  return `The template could not be rendered: ${cause.message.slice(0, 200).toWellFormed()}`;
}
