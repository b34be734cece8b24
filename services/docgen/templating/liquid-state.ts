import type { Context, Template } from "liquidjs";
import type { OutputMarks } from "./output-marks.ts";

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
