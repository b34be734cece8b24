import { type Context, type Liquid, Tag, type TagToken, type TopLevelToken, Value } from "liquidjs";
import { stateOf } from "./liquid-state.ts";

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
