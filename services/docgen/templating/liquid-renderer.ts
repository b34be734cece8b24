import { type Context, Drop, type Emitter, LiquidError, Output, RenderError, type Template } from "liquidjs";
import { isLines } from "./filters/filter-spec.ts";
import {
  dataPathOf,
  type LiquidState,
  liquidLimits,
  pointerOf,
  stateOf,
  TemplateProblem,
  ValueProblem,
} from "./liquid-state.ts";

/**
 * Takes the place of liquidjs' own function: counts what is rendered, in steps and in characters, and leaves marks where
 * outputs stand.
 */
export function* renderTemplates(
  templates: readonly Template[],
  context: Context,
  emitter: Emitter,
): Generator<unknown, string, unknown> {
  const state = stateOf(context);
  // Counted here because every iteration of a loop calls this, even when its body is empty.
  countStep(state, context);
  for (const template of templates) {
    try {
      countStep(state, context);
      state.current = template;
      if (template instanceof Output) {
        const value = yield template.value.value(context, false);
        emitter.write(markOf(template, value, context, state));
      } else {
        yield template.render(context, emitter);
      }
    } catch (error) {
      throw LiquidError.is(error) ? error : new RenderError(error as Error, template);
    }
    if (context.breakCalled || context.continueCalled) break;
  }
  return "";
}

/** Collects the text and its length. */
export function createEmitter(state: LiquidState): Emitter & { text(): string } {
  const parts: string[] = [];
  return {
    buffer: "",
    write: (text: string) => {
      countLength(state, text.length);
      parts.push(text);
    },
    text: () => parts.join(""),
  };
}

function countStep(state: LiquidState, context: Context): void {
  state.steps += 1;
  if (state.steps > liquidLimits.steps) throw new TemplateProblem("The template takes too many steps to render.");
  // Asking the clock each time would take longer than most steps.
  if (state.steps % 64 === 0) context.renderLimit.check(performance.now());
}

function countLength(state: LiquidState, length: number): void {
  state.length += length;
  if (state.length > liquidLimits.output) throw new TemplateProblem("The template renders too much text.");
}

function markOf(template: Output, value: unknown, context: Context, state: LiquidState): string {
  const [token, ...others] = template.value.initial.postfix;
  const names = others.length === 0 ? dataPathOf(token, context) : undefined;
  const path = names && pointerOf(names);
  const hasBreaks = isLines(value);
  const text = textOf(hasBreaks ? value.text : value, path);
  countLength(state, text.length);
  state.outputs.push({ text, hasBreaks, offset: template.token.begin, path });
  return state.marks.of(state.outputs.length - 1);
}

function textOf(value: unknown, path: string | undefined): string {
  switch (typeof value) {
    case "string":
      return value;
    case "number":
    case "boolean":
      return String(value);
    default:
      // Missing values and liquidjs' nil, empty and blank become an empty text.
      if (value === null || value === undefined || value instanceof Drop) return "";
      throw new ValueProblem("string", path);
  }
}
