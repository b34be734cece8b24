import {
  type Context,
  LiquidError,
  type PropertyAccessToken,
  type Template,
  type Token,
  TypeGuards,
  Value,
} from "liquidjs";
import { RenderError } from "../renderer/render-job.ts";
import { dataPathOf, nameOf } from "./liquid-path.ts";
import { pointerOf, TemplateProblem, ValueProblem } from "./liquid-problem.ts";
import type { LiquidState } from "./liquid-state.ts";
import { placeOf } from "./place-findings.ts";

export interface FailedRendering {
  readonly content: string;
  /** As it was when it failed: loops still say where they are. */
  readonly context: Context;
  readonly state: LiquidState;
}

/** What to tell of an error that rendering threw. Defects of ours are given back as they are. */
export function toRenderError(error: unknown, failed: FailedRendering): unknown {
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
  // The first name may stand for the item of a list, whose path is longer.
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
