import {
  type Context,
  type Emitter,
  evalTokenValue,
  ForTag,
  type Liquid,
  Tag,
  type TagToken,
  type TopLevelToken,
  TypeGuards,
  Value,
} from "liquidjs";
import { dataPathOf, type LoopFrame, pointerOf, stateOf, TemplateProblem, ValueProblem } from "./liquid-state.ts";

/** `{% assign name = value %}`. Unlike liquidjs' own, an undefined value is an error. */
export class Assign extends Tag {
  readonly key: string;
  readonly value: Value;

  constructor(token: TagToken, remaining: TopLevelToken[], liquid: Liquid) {
    super(token, remaining, liquid);
    this.key = this.tokenizer.readIdentifier().content;
    this.tokenizer.assert(this.key, "A name is missing after assign.");
    this.tokenizer.skipBlank();
    this.tokenizer.assert(this.tokenizer.peek() === "=", "Write = after the name.");
    this.tokenizer.advance();
    this.value = new Value(this.tokenizer.readFilteredValue(), liquid);
  }

  override *render(context: Context): Generator<unknown, void, unknown> {
    const value = yield this.value.value(context, false);
    context.bottom()[this.key] = value;
    stateOf(context).assigned.add(this.key);
  }
}

/**
 * `{% for item in items limit: 3 offset: 1 reversed %}`. Unlike liquidjs' own, it takes lists and ranges only, never
 * makes a list of a range, and knows which item of the data it is at.
 */
export class For extends ForTag {
  override *render(context: Context, emitter: Emitter): Generator<unknown, string | undefined, unknown> {
    const { renderer } = this.liquid;
    const list = yield* this.list(context);
    const { start, end } = yield* this.bounds(context, list.length);
    if (start >= end) {
      yield renderer.renderTemplates(this.elseTemplates, context, emitter);
      return undefined;
    }
    const isReversed = Object.hasOwn(this.hash.hash, "reversed");
    const { loops } = stateOf(context);
    const frame: LoopFrame = { variable: this.variable, path: dataPathOf(this.collection, context), index: 0 };
    const scope: Record<string, unknown> = Object.create(null);
    context.push(scope);
    loops.push(frame);
    const length = end - start;
    for (let turn = 0; turn < length && !context.breakCalled; turn += 1) {
      frame.index = isReversed ? end - 1 - turn : start + turn;
      scope[this.variable] = list.at(frame.index);
      scope.forloop = loopFacts(turn, length);
      context.continueCalled = false;
      yield renderer.renderTemplates(this.templates, context, emitter);
    }
    context.continueCalled = false;
    context.breakCalled = false;
    loops.pop();
    context.pop();
    return undefined;
  }

  private *list(context: Context): Generator<unknown, List, unknown> {
    if (TypeGuards.isRangeToken(this.collection)) {
      const first = wholeNumber(yield evalTokenValue(this.collection.lhs, context));
      const last = wholeNumber(yield evalTokenValue(this.collection.rhs, context));
      return { length: Math.max(0, last - first + 1), at: (index) => first + index };
    }
    const value: unknown = yield evalTokenValue(this.collection, context);
    if (value === null) return { length: 0, at: () => undefined };
    if (!Array.isArray(value)) {
      const path = dataPathOf(this.collection, context);
      throw new ValueProblem("array", path && pointerOf(path));
    }
    return { length: value.length, at: (index) => value[index] };
  }

  private *bounds(context: Context, length: number): Generator<unknown, { start: number; end: number }, unknown> {
    const { offset, limit } = this.hash.hash;
    const start = offset === undefined ? 0 : wholeNumber(yield evalTokenValue(offset, context));
    const count = limit === undefined ? length : wholeNumber(yield evalTokenValue(limit, context));
    if (start < 0 || count < 0) throw new TemplateProblem("limit and offset of a loop must not be below 0.");
    return { start, end: Math.min(length, start + count) };
  }
}

interface List {
  readonly length: number;
  at(index: number): unknown;
}

function wholeNumber(value: unknown): number {
  if (typeof value === "number" && Number.isSafeInteger(value)) return value;
  throw new ValueProblem("whole number");
}

/** Without a prototype, like everything that templates see. */
const loopFacts = (turn: number, length: number): object =>
  Object.assign(Object.create(null), {
    index: turn + 1,
    index0: turn,
    rindex: length - turn,
    rindex0: length - turn - 1,
    first: turn === 0,
    last: turn === length - 1,
    length,
  });
