import {
  type Context,
  evalTokenValue,
  type PropertyAccessToken,
  type Template,
  type Token,
  TypeGuards,
  toValueSync,
} from "liquidjs";
import type { OutputMarks } from "./outputs.ts";

/** What stands where an output leaves its mark. */
export interface OutputValue {
  readonly text: string;
  /** Whether line ends are shown as such. */
  readonly hasBreaks: boolean;
  /** Where its output stands in the template. */
  readonly offset: number;
  /** The JSON pointer of the datum that it shows as it is; undefined for everything that was made of data. */
  readonly path: string | undefined;
}

/** A loop that is running. */
export interface LoopFrame {
  readonly variable: string;
  /** Of the list; undefined when it is no datum. */
  readonly path: readonly string[] | undefined;
  /** Of the item in the list. */
  index: number;
}

/** What one rendering knows, beside the values of its names. */
export interface LiquidState {
  readonly locale: string;
  readonly timeZone: string;
  readonly now: Date;
  /** What outputs leave in the text. */
  readonly marks: OutputMarks;
  readonly outputs: OutputValue[];
  readonly loops: LoopFrame[];
  readonly assigned: Set<string>;
  /** Formatters by what they do: making one takes longer than using it a hundred times. */
  readonly formats: Map<string, unknown>;
  /** The template whose rendering has begun last. */
  current: Template | undefined;
  steps: number;
  length: number;
}

const register = "assent";

export const setState = (context: Context, state: LiquidState): void => {
  context.setRegister(register, state);
};

export const stateOf = (context: Context): LiquidState => {
  const state = context.getRegister<LiquidState | undefined>(register);
  if (state === undefined) throw new TypeError("the context has no state");
  return state;
};

/** Makes it, or takes the one that was made before. */
export function formatOf<Format>(state: LiquidState, key: string, make: () => Format): Format {
  const known = state.formats.get(key);
  if (known !== undefined) return known as Format;
  const made = make();
  state.formats.set(key, made);
  return made;
}

/** Limits on what one template can consume, far above what a document of 200 pages needs. */
export const liquidLimits = {
  /** UTF-16 code units of a template: 512 KB of text are never more. */
  source: 524_288,
  /** Tags and outputs in a template. */
  tags: 20_000,
  /** Conditions and loops in one another. */
  depth: 30,
  /** Names in one path such as `a.b.c`. */
  path: 30,
  /** Operators, operands and filters of one expression. */
  expression: 500,
  /** Texts, tags and outputs of one rendering; a loop counts each time. */
  steps: 2_000_000,
  /** Milliseconds of one rendering: half of what the renderer has for everything. */
  renderMs: 10_000,
  /** Characters and list entries that the filters of one rendering make. */
  memory: 20_000_000,
  /** UTF-16 code units of what is rendered. */
  output: 5_000_000,
} as const;

/** A name in a path; undefined for one that is computed. */
export function nameOf(token: PropertyAccessToken["props"][number]): string | number | undefined {
  if (TypeGuards.isWordToken(token) || TypeGuards.isQuotedToken(token)) return token.content;
  return TypeGuards.isNumberToken(token) ? token.content : undefined;
}

/** Where in the data a name leads now; undefined when it is not to a datum. */
export function dataPathOf(token: Token | undefined, context: Context): string[] | undefined {
  if (token === undefined || !TypeGuards.isPropertyAccessToken(token) || token.variable !== undefined) return undefined;
  const names: string[] = [];
  for (const prop of token.props) {
    const name = nameOf(prop) ?? toValueSync(evalTokenValue(prop, context) as unknown as IterableIterator<unknown>);
    if (typeof name !== "string" && typeof name !== "number") return undefined;
    names.push(String(name));
  }
  const [root = "", ...rest] = names;
  const { loops, assigned } = stateOf(context);
  const loop = loops.findLast(({ variable }) => variable === root);
  if (loop !== undefined) return loop.path === undefined ? undefined : [...loop.path, String(loop.index), ...rest];
  return root === "forloop" || assigned.has(root) ? undefined : names;
}

/** Thrown while rendering for a value that is not what the template needs. */
export class ValueProblem extends Error {
  /** A kind of JSON value, or a few words. */
  readonly expected: string;
  /** JSON pointer; undefined when it is not known here. */
  readonly path: string | undefined;

  constructor(expected: string, path?: string) {
    super(`a value must be ${expected}`);
    this.name = "ValueProblem";
    this.expected = expected;
    this.path = path;
  }
}

/** Thrown while rendering for what is wrong with the template, whatever its data. */
export class TemplateProblem extends Error {
  constructor(message: string) {
    super(message);
    this.name = "TemplateProblem";
  }
}

/** A path of names as JSON pointer (RFC 6901). */
export const pointerOf = (names: readonly string[]): string =>
  names.map((name) => `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
